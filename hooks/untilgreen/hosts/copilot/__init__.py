"""GitHub Copilot CLI."""

from untilgreen.hosts.adapter import Adapter
from untilgreen.hosts.copilot import wire

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from untilgreen.core.model.act import Act
    from untilgreen.core.model.event import TurnFailure
    from untilgreen.core.model.snapshot import ReadSoFar
    from untilgreen.hosts.host import Facts, Health, Host, SettingsFiles


class _Copilot(Adapter):
    name = wire.NAME
    read = staticmethod(wire.read)
    write = staticmethod(wire.write)

    @property
    def facts(self) -> "Facts":
        from untilgreen.hosts.copilot.facts import FACTS

        return FACTS

    def last_message(self, transcript: str) -> str | None:
        from untilgreen.hosts.copilot import transcript as transcripts

        return transcripts.last_message(transcript)

    def last_failure(self, transcript: str) -> "TurnFailure | None":
        from untilgreen.hosts.copilot import transcript as transcripts

        return transcripts.last_failure(transcript)

    def acts(self, transcript: str) -> "tuple[Act, ...]":
        from untilgreen.hosts.copilot import acts

        return acts.of(transcript)

    def usage(
        self, transcript: str, sessions: "Sequence[str]", before: "Mapping[str, ReadSoFar]", since: str
    ) -> "dict[str, ReadSoFar]":
        from untilgreen.hosts.copilot import usage

        return usage.read(transcript, sessions, before, since)

    def health(self) -> "Health":
        from untilgreen.hosts.copilot import health

        return health.HEALTH

    def settings(self) -> "SettingsFiles":
        from untilgreen.hosts.copilot.settings import SETTINGS

        return SETTINGS


HOST: "Host" = _Copilot()
