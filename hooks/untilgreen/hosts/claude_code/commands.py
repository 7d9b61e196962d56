"""Slash commands of ours under the names of other loops (`init --alias`), where they are really installed.

`/loop` is a command of Claude Code itself, and anybody may have a `/ralph` of their own: such a line is ours only if
the file that the host would take it from is one that we wrote.
"""

import os
from collections.abc import Mapping

from untilgreen.hosts.adapter import Typed
from untilgreen.project import files, trust

# what opens a typed line -> our name for the command
_PLAIN = Typed()
NAMES = _PLAIN.NAMES | {
    "/loop": "loop",
    "/ralph": "ralph",
    "/cancel-ralph": "cancel",
    "/jikime:loop": "jikime",
}
# what is ours only where we put it -> its file below a folder of commands
ALIASES = {
    "/loop": "loop.md",
    "/ralph": "ralph.md",
    "/cancel-ralph": "cancel-ralph.md",
    "/jikime:loop": os.path.join("jikime", "loop.md"),
}
_MARKS = (b"A loop of untilgreen", b"The hook of untilgreen")  # how our texts begin
_LARGEST = 65_536  # bytes; ours are under three thousand


def is_ours(prompt: str, root: str, env: Mapping[str, str]) -> bool:
    """Whether the prompt is a slash command of ours, by our own name or by one that `init --alias` put into the user's
    folder or the project's. What lies in a project that is not trusted may have come with it: it begins no loop, which
    would trust it. Raises trust.Unread.

    The user's command hides the project's of the same name, and a line that begins with a blank is none (Claude Code
    2.1.330 and 2.1.150).
    """
    if _PLAIN.is_ours(prompt):
        return True
    name = prompt.split(maxsplit=1)[0] if prompt.startswith("/") else ""
    if name not in ALIASES:
        return False
    own = env.get("CLAUDE_CONFIG_DIR", "") or os.path.join(env.get("HOME") or os.path.expanduser("~"), ".claude")
    text = _text(os.path.join(own, "commands", ALIASES[name]))
    if text is None and trust.trusted(root, env):
        text = _text(os.path.join(root, ".claude", "commands", ALIASES[name]))
    return text is not None and any(mark in text for mark in _MARKS)


def _text(path: str) -> bytes | None:
    """The text of a command file, None where there is none; a file that we may not read is not ours."""
    try:
        with open(path, "rb", opener=files.followed) as file:
            return file.read(_LARGEST)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError:
        return b""
