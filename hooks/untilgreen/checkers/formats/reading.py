"""What every reader of a format answers with, and how it names what is in it."""

import re
from collections.abc import Iterable
from typing import Any, NamedTuple

from untilgreen.checkers.checker import MESSAGE, Malformed, first_line
from untilgreen.core.model import Diagnostic, Tests

_LARGEST = 10**9  # a line number beyond it is none
_SEVERITIES = {
    "error": ("error", "fatal", "fatal error", "critical", "blocker", "major", "high", "err", "e", "f"),
    "warning": ("warning", "warn", "medium", "minor", "w"),
    "info": ("info", "information", "note", "hint", "notice", "style", "suggestion", "low", "none", "i"),
    "security": ("security",),
}
_UNPARSED = re.compile(r"(?:parsing|parse|syntax)[ -]?error\b|invalid[ -]syntax\b|SyntaxError\b", re.IGNORECASE)
_BY_WORD = {word: severity for severity, words in _SEVERITIES.items() for word in words}


class Reading(NamedTuple):
    """What a text says. `check` of the diagnostics is "" until somebody names the check, `file` is as the tool
    printed it ("" for none); `tests` is None where the format is not one of tests."""

    diagnostics: tuple[Diagnostic, ...]
    tests: Tests | None = None


def finding(file: str, line: int, rule: str, severity: str, message: str, *, hides: bool = False) -> Diagnostic:
    """One diagnostic: the rule and the message each become one bounded line, the rule is never empty.

    A file that could not be parsed is recognised by its rule or message, and hides what else is in it.
    """
    rule, message = first_line(rule, MESSAGE) or severity, first_line(message)
    hides = hides or (severity == "error" and bool(_UNPARSED.match(rule) or _UNPARSED.match(message)))
    return Diagnostic("", file, line, rule, severity, message or rule, hides=hides)


def severity_of(word: str) -> str:
    """The severity that a tool's own word means, in any letter case. A word that nobody knows is an error: what is
    not understood must not look harmless."""
    return _BY_WORD.get(word.strip().lower(), "error")


def line_of(value: Any) -> int:
    """A line number out of a number or digits, 0 where there is none."""
    if isinstance(value, str) and re.fullmatch(r"\s*[0-9]{1,9}\s*", value):
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 < value <= _LARGEST else 0


def one_line(text: str) -> str:
    """The lines of a message down to the stack trace or the code frame, as one: `expected 3; received -1`."""
    lines: list[str] = []
    for line in map(str.strip, text[: 10 * MESSAGE].split("\n")):
        if lines and re.match(r"at \S|>? ?\d+ \|", line):
            break
        lines += [line] if line else []
    return "; ".join(lines)[:MESSAGE]


def tested(failing: Iterable[Diagnostic], run: int, skipped: int) -> Reading:
    """The reading of a test report. Raises Malformed where nothing ran: that is no evidence."""
    diagnostics = tuple(failing)
    if not run and not diagnostics:
        raise Malformed(f"no test ran: {skipped} skipped" if skipped else "no test ran")
    return Reading(diagnostics, Tests(max(run, len(diagnostics)), len(diagnostics)))
