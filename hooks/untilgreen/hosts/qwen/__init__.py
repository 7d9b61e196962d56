"""Qwen Code."""

from untilgreen.hosts.adapter import Adapter
from untilgreen.hosts.qwen import wire

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from untilgreen.core.model.act import Act
    from untilgreen.core.model.snapshot import ReadSoFar
    from untilgreen.hosts.host import Facts, Health, Host, SettingsFiles


class _QwenCode(Adapter):
    name = wire.NAME
    read = staticmethod(wire.read)
    write = staticmethod(wire.write)

    @property
    def facts(self) -> "Facts":
        from untilgreen.hosts.qwen.facts import FACTS

        return FACTS

    def last_message(self, transcript: str) -> str | None:
        from untilgreen.hosts.qwen import transcript as transcripts

        return transcripts.last_message(transcript)

    def acts(self, transcript: str) -> "tuple[Act, ...]":
        from untilgreen.hosts.qwen import transcript as transcripts

        return transcripts.acts(transcript)

    def usage(
        self, transcript: str, sessions: "Sequence[str]", before: "Mapping[str, ReadSoFar]", since: str
    ) -> "dict[str, ReadSoFar]":
        from untilgreen.hosts.qwen import transcript as transcripts

        return transcripts.usage(transcript, sessions, before, since)

    def health(self) -> "Health":
        from untilgreen.hosts.qwen.health import HEALTH

        return HEALTH

    def settings(self) -> "SettingsFiles":
        from untilgreen.hosts.qwen.settings import SETTINGS

        return SETTINGS


HOST: "Host" = _QwenCode()
