"""What a type cannot say about a key of the configuration: the values that are allowed, key by key.

A rule is a test of the value, and the words in which an error names what would pass it.
"""

import posixpath
import re
from collections.abc import Callable
from typing import Any

from untilgreen.checkers import formats
from untilgreen.settings import values
from untilgreen.settings.presets import PRESETS

Rule = tuple[Callable[[Any], bool], str]

_MOST = 10**9
_GROUPS = ("file", "line", "column", "severity", "rule", "message")


def _one_of(*allowed: str) -> Rule:
    return (lambda value: value in allowed), f"one of {', '.join(allowed)}"


def _at_least(least: int) -> Rule:
    return (lambda value: least <= value <= _MOST), f"a number from {least} up"


def _compiled(pattern: str) -> re.Pattern[str] | None:
    try:
        return re.compile(pattern)
    except (re.error, OverflowError, RecursionError):
        return None


def _finds(pattern: str) -> bool:
    """Whether a pattern can name a finding. A group of another name would be one that silently does nothing."""
    compiled = _compiled(pattern)
    names = set(compiled.groupindex) if compiled else set()
    return bool(names & {"file", "message"}) and names <= set(_GROUPS)


def _is_inside(root: str) -> bool:
    return bool(root) and not posixpath.isabs(root) and ".." not in root.split("/")


_PATTERN: Rule = (lambda pattern: _compiled(pattern) is not None, "a valid regular expression")
SETTINGS: dict[str, Rule] = {
    "auto": _one_of("new", "all", "off"),
    "max_iterations": _at_least(1),
    "max_minutes": _at_least(0),
    "stagnation_limit": _at_least(0),
    "marker": _one_of(*values.MARKERS),
    "success_regex": _PATTERN,
    "blocked_regex": _PATTERN,
    "preset": _one_of(*PRESETS),
    "lang": (lambda lang: lang == "en", '"en", the only language so far'),
    "deadline": _at_least(1),
    "env_remove": (lambda names: all(name and "=" not in name for name in names), "a list of variable names"),
    "hold_style": _one_of("exit", "context"),
}
CHECK: dict[str, Rule] = {
    "command": (lambda words: bool(words and words[0]), "a command"),
    "timeout": (lambda seconds: 0 < seconds <= _MOST, "a number of seconds above 0"),
    "ok": (lambda codes: bool(codes) and all(0 <= code <= 255 for code in codes), "exit codes from 0 to 255"),
    "root": (_is_inside, "a folder inside the project, relative to its root"),
    "format": _one_of(*formats.NAMES),
    "pattern": (
        _finds,
        "a regular expression with a group named file or message, and no group of a name other than "
        + ", ".join(_GROUPS),
    ),
}
