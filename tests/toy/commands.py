"""What people type at Toy's prompt. It has no command files: a line that begins with `!` reaches the hooks as it is."""

from collections.abc import Mapping

NAMES = {"!loop": "loop", "!cancel": "cancel", "!status": "status"}


def is_ours(prompt: str, _root: str, _env: Mapping[str, str]) -> bool:
    """Whether the prompt is a slash command that the host has from us."""
    return any(prompt.split(maxsplit=1)[:1] == [name] for name in NAMES)
