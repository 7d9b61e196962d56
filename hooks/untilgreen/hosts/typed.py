"""What people type to us at every host's prompt: a slash command where the host has them, else the same words plain."""

from collections.abc import Mapping

_COMMANDS = ("loop", "cancel", "status", "resume", "rollback")
# what opens a typed line -> our name for the command
NAMES = {f"{sign}untilgreen:{name}": name for sign in ("/", "") for name in _COMMANDS}


def is_ours(prompt: str, _root: str = "", _env: Mapping[str, str] | None = None) -> bool:
    """Whether the prompt is a line of ours: a word that nobody types by chance opens it."""
    opens = prompt.split(maxsplit=1)[:1]
    return bool(opens) and (opens[0] in NAMES or opens[0].startswith("/untilgreen:"))
