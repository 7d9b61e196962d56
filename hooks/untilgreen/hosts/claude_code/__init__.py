"""Claude Code."""

from untilgreen.hosts.claude_code import wire
from untilgreen.hosts.claude_code.facts import FACTS
from untilgreen.hosts.host import Commands, Health, Host, SettingsFiles

TYPE_CHECKING = False
if TYPE_CHECKING:
    from untilgreen.core.shape import Vocabulary


class _ClaudeCode:
    name = wire.NAME
    facts = FACTS
    read = staticmethod(wire.read)
    write = staticmethod(wire.write)

    def last_message(self, transcript: str) -> str | None:
        from untilgreen.hosts.claude_code import transcript as transcripts

        return transcripts.last_message(transcript)

    def commands(self) -> Commands:
        from untilgreen.hosts.claude_code import commands

        return commands

    def vocabulary(self) -> "Vocabulary":
        from untilgreen.hosts.claude_code import vocabulary

        return vocabulary.VOCABULARY

    def health(self) -> Health:
        from untilgreen.hosts.claude_code import health

        return health

    def settings(self) -> SettingsFiles:
        from untilgreen.hosts.claude_code import settings

        return settings


HOST: Host = _ClaudeCode()
