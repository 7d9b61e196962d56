"""What an adapter is that has nothing but its `wire` and its facts: a base for the others, which say what they have."""

from untilgreen.hosts import typed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from untilgreen.core.model.act import Act
    from untilgreen.core.model.event import TurnFailure
    from untilgreen.core.model.snapshot import ReadSoFar
    from untilgreen.hosts.host import Commands, Health, SettingsFiles


class Adapter:
    """A host that tells us only what its payloads hold, and whose settings we do not write."""

    def last_message(self, _transcript: str, /) -> str | None:
        return None

    def last_failure(self, _transcript: str, /) -> "TurnFailure | None":
        return None

    def acts(self, _transcript: str, /) -> "Sequence[Act]":
        return ()

    def usage(
        self, _transcript: str, _sessions: "Sequence[str]", _before: "Mapping[str, ReadSoFar]", _since: str, /
    ) -> "dict[str, ReadSoFar] | None":
        return None

    def commands(self) -> "Commands | None":
        return typed

    def health(self) -> "Health | None":
        return None

    def settings(self) -> "SettingsFiles | None":
        return None
