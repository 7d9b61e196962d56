"""An adapter is a folder: its `wire`, its `facts`, and what else it has, each loaded when it is asked for.

`commands` (what people type to us), `settings` and `health` are modules, or have a SETTINGS and a HEALTH;
`last_message` and `last_failure` are functions of `transcript`, `acts` and `usage` of modules of their names, or of
`transcript`. What a folder lacks the host does not tell, or we do not do there.
"""

from untilgreen.hosts import typed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any, Protocol

    from untilgreen.core.model.act import Act
    from untilgreen.core.model.event import Event, Kind, Message, Reply, TurnFailure
    from untilgreen.core.model.snapshot import ReadSoFar
    from untilgreen.hosts.closing import Closing
    from untilgreen.hosts.facts import Facts
    from untilgreen.hosts.host import Commands, Health, SettingsFiles

    class Wire(Protocol):
        """Payload to event, verdict to reply: pure, as `Host` describes them."""

        @property
        def NAME(self) -> str: ...  # noqa: N802

        def read(self, payload: dict[str, Any], env: Mapping[str, str], default_event: str, /) -> Event: ...

        def write(self, event: Event, verdict: Kind, message: Message, /) -> Reply: ...


class Adapter:
    """A host by the modules beside its `wire`."""

    def __init__(self, wire: "Wire", facts: "Facts | None" = None, *, heard: bool = True) -> None:
        """`facts`: where no module has them; `heard`: people can type to us there."""
        self.name, self.read, self.write = wire.NAME, wire.read, wire.write
        self._folder = str(wire.__name__).rpartition(".")[0]  # type: ignore[attr-defined]
        self._facts, self._heard = facts, heard

    @property
    def facts(self) -> "Facts":
        found: Facts = self._facts or self._part("facts", "FACTS")
        return found

    @property
    def closing(self) -> "Callable[[str], Closing | None] | None":
        found: Callable[[str], Closing | None] | None = self._part("closing", "read")
        return found

    def last_message(self, transcript: str, /) -> str | None:
        read = self._part("transcript", "last_message")
        return read(transcript) if read else None

    def last_failure(self, transcript: str, /) -> "TurnFailure | None":
        read = self._part("transcript", "last_failure")
        return read(transcript) if read else None

    def acts(self, transcript: str, /) -> "Sequence[Act]":
        read = self._part("acts", "acts") or self._part("transcript", "acts")
        return read(transcript) if read else ()

    def usage(
        self, transcript: str, sessions: "Sequence[str]", before: "Mapping[str, ReadSoFar]", since: str, /
    ) -> "dict[str, ReadSoFar] | None":
        read = self._part("usage", "usage") or self._part("transcript", "usage")
        return read(transcript, sessions, before, since) if read else None

    def commands(self) -> "Commands | None":
        own: Commands = self._module("commands") or typed
        return own if self._heard else None

    def health(self) -> "Health | None":
        found: Health | None = self._part("health", "HEALTH") or self._module("health")
        return found

    def settings(self) -> "SettingsFiles | None":
        found: SettingsFiles | None = self._part("settings", "SETTINGS") or self._module("settings")
        return found

    def _part(self, module: str, name: str) -> "Any":
        return getattr(self._module(module), name, None)

    def _module(self, name: str) -> "Any":
        """A module of the host's folder, None where there is none."""
        path = f"{self._folder}.{name}"
        try:
            return __import__(path, fromlist=[name])
        except ModuleNotFoundError as error:
            if error.name != path:
                raise
            return None
