"""What people type to us at its prompt: `$untilgreen-loop TASK`, a skill of ours that its menu offers, or plainly
`untilgreen:loop TASK`. Either reaches the hook as it was typed; a line that begins with `/` is refused before that, and
custom prompts are gone (0.169.0)."""

from collections.abc import Mapping

from untilgreen.hosts import typed

SKILL = "untilgreen-"
# what opens a typed line -> our name for the command
NAMES = typed.NAMES | {f"${SKILL}{name}": name for name in dict.fromkeys(typed.NAMES.values())}


def is_ours(prompt: str, _root: str, _env: Mapping[str, str]) -> bool:
    """Whether the prompt is a line of ours."""
    opens = prompt.split(maxsplit=1)[:1]
    return typed.is_ours(prompt) or (bool(opens) and opens[0] in NAMES)
