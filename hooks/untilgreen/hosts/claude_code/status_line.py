"""Our line in Claude Code's settings: `"statusLine": {"type": "command", "command": LINE, ...}`; a shell runs LINE.

An older version put itself before a line that was there: it kept that in its own command line.
"""

import json
import os
import shlex
from collections.abc import Mapping
from typing import Any

_KEY = "statusLine"
_SECONDS = 5  # between two looks at a loop's clock
_FILES = (("untilgreen", "events", "status_line.py"), ("untilgreen", "statusline.py"))  # now, and before


def whose(settings: Mapping[str, Any]) -> str:
    """Whose status line these settings have: "ours", "theirs", "" where there is none."""
    if _KEY not in settings:
        return ""
    return "theirs" if _switches(settings[_KEY]) is None else "ours"


def with_line(settings: Mapping[str, Any], line: str) -> dict[str, Any]:
    """The settings with this command line for the status line, where there is none or an older one of ours. It is
    called every five seconds, too."""
    old = settings.get(_KEY) or {"type": "command", "refreshInterval": _SECONDS}
    return {**settings, _KEY: {**old, "command": line}} if whose(settings) != "theirs" else dict(settings)


def without(settings: Mapping[str, Any]) -> dict[str, Any]:
    """The settings without our line; with the one that an older version had put itself before."""
    bare = unchained(settings)
    return {key: value for key, value in bare.items() if key != _KEY or whose(bare) != "ours"}


def unchained(settings: Mapping[str, Any]) -> dict[str, Any]:
    """The settings, and where an older version had put itself before a line that was there, that line again."""
    switches = _switches(settings.get(_KEY))
    if switches and switches[0] == "--then" and len(switches) == 2:
        return {**settings, _KEY: {**settings[_KEY], "command": switches[1]}}
    if switches and switches[0] == "--instead-of":
        return {**settings, _KEY: json.loads(switches[1])}
    return dict(settings)


def _switches(value: Any) -> list[str] | None:
    """The arguments of our command, None where another one is called."""
    if not isinstance(value, dict) or value.get("type") != "command" or not isinstance(value.get("command"), str):
        return None
    try:
        words = shlex.split(value["command"])
    except ValueError:  # an open quote
        return None
    typed = [os.path.basename(word) for word in words[:2]] == ["untilgreen", "statusline"]
    file = tuple(words[2].split(os.sep)) if len(words) > 2 and words[1] == "-I" else ()
    if not typed and not any(file[-len(ours) :] == ours for ours in _FILES):
        return None
    switches = words[2 if typed else 3 :]
    return switches if _is_known(switches) else None


def _is_known(switches: list[str]) -> bool:
    """None, or those of an older version: `--then LINE`, with `--inherited` where LINE stands in other settings, or
    `--instead-of JSON`."""
    if switches[:1] == ["--instead-of"]:
        try:
            json.loads("".join(switches[1:]))
        except ValueError:
            return False
        return len(switches) == 2
    return not switches or (switches[0] == "--then" and switches[2:] in ([], ["--inherited"]) and len(switches) > 1)
