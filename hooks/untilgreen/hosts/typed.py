"""What people type to us at a host's prompt: a slash command where the host has them, else the same words plain."""

from collections.abc import Mapping

_COMMANDS = ("loop", "cancel", "status", "resume", "rollback")
_SLASH = "/untilgreen:"


class Typed:
    """The lines that are ours; `begin`: how people type our commands at that host, before the command's name."""

    def __init__(self, begin: str = _SLASH) -> None:
        signs = dict.fromkeys((_SLASH, "untilgreen:", begin))
        #: what opens a typed line -> our name for the command
        self.NAMES = {f"{sign}{name}": name for sign in signs for name in _COMMANDS}

    def is_ours(self, prompt: str, _root: str = "", _env: Mapping[str, str] | None = None) -> bool:
        """Whether the prompt is a line of ours: a word that nobody types by chance opens it."""
        opens = prompt.split(maxsplit=1)[:1]
        return bool(opens) and (opens[0] in self.NAMES or opens[0].startswith(_SLASH))
