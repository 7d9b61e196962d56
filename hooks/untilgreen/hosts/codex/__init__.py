"""Codex CLI."""

from untilgreen.hosts.adapter import Adapter
from untilgreen.hosts.codex import wire

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from untilgreen.core.model.act import Act
    from untilgreen.core.model.event import TurnFailure
    from untilgreen.hosts.host import Commands, Facts, Health, Host, SettingsFiles


class _Codex(Adapter):
    name = wire.NAME
    read = staticmethod(wire.read)
    write = staticmethod(wire.write)

    @property
    def facts(self) -> "Facts":
        from untilgreen.hosts.codex.facts import FACTS

        return FACTS

    def last_message(self, transcript: str) -> str | None:
        from untilgreen.hosts.codex import transcript as its

        return its.last_message(transcript)

    def last_failure(self, transcript: str) -> "TurnFailure | None":
        from untilgreen.hosts.codex import transcript as its

        return its.last_failure(transcript)

    def acts(self, transcript: str) -> "Sequence[Act]":
        from untilgreen.hosts.codex import acts

        return acts.of(transcript)

    def commands(self) -> "Commands":
        from untilgreen.hosts.codex import commands

        return commands

    def health(self) -> "Health":
        from untilgreen.hosts.codex.health import HEALTH

        return HEALTH

    def settings(self) -> "SettingsFiles":
        from untilgreen.hosts.codex import settings

        return settings.SETTINGS


HOST: "Host" = _Codex()
