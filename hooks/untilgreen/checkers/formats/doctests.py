"""Examples in documentation that fail, as doctest itself prints them and as pytest does: by name, line and example.

Learned from Python 3.11 to 3.13 and pytest 7.4 to 9.2.
"""

import re
from collections.abc import Iterator

from untilgreen.checkers.answer import Malformed, finding
from untilgreen.core.model.outcome import Diagnostic
from untilgreen.core.record import NamedTuple

_BLOCK = re.compile(
    r'(?m)^File "(?P<file>[^"\n]+)", line (?P<line>\d{1,9}), in (?P<name>.+)\nFailed example:\n'
    r"(?P<source>(?:    .*\n)+)(?P<rest>(?:(?!\*{3}|File \").*\n)*)"
)
_FAILED = re.compile(r"(?m)^\*{3}Test Failed\*{3} (?P<count>\d{1,9}) failures?\.$")
_PLACE = re.compile(r"(?m)^\S.*?:(?P<line>\d{1,9}): (?:DocTestFailure|UnexpectedException)$")
_EXAMPLE = re.compile(r"(?m)^\d{3,} +>>> (?P<source>.+)$")
_RAISED = re.compile(r"(?ms)^Exception raised:\n.*^ {4}(?P<what>[A-Za-z_][\w.]*(?::.*?)?)$")
_UNEXPECTED = re.compile(r"(?m)^UNEXPECTED EXCEPTION: (?P<what>.+)$")


class Example(NamedTuple):
    """Where pytest says that an example failed, and how."""

    line: int
    message: str


def of_pytest(text: str) -> Example | None:
    """The first failing example of a failure's text; None where it is no doctest's."""
    place = _PLACE.search(text)
    if place is None:
        return None
    said = text[: place.start()]
    begin = re.search(r"(?m)^(?:Expected|UNEXPECTED EXCEPTION|Differences)", said)
    sources = _EXAMPLE.findall(said[: begin.start()] if begin else said)
    return Example(int(place["line"]), _told(sources[-1] if sources else "", said[begin.start() :] if begin else ""))


def of_doctest(text: str) -> list[Diagnostic]:
    """The failing examples that `python -m doctest` or `doctest.testmod()` tells. Raises Malformed where it tells fewer
    than it counts, or does not count them."""
    found = list(_blocks(text))
    counted = sum(int(one["count"]) for one in _FAILED.finditer(text))
    if not found or counted != len(found):
        raise Malformed(f"{counted} failing examples counted, {len(found)} read")
    return found


def _blocks(text: str) -> Iterator[Diagnostic]:
    for block in _BLOCK.finditer(text if text.endswith("\n") else f"{text}\n"):
        message = _told(block["source"].strip().partition("\n")[0], block["rest"])
        yield finding((block["file"], int(block["line"])), block["name"], "test", message)


def _told(source: str, rest: str) -> str:
    raised = _UNEXPECTED.search(rest) or _RAISED.search(rest)
    expected, got = _indented(rest, "Expected"), _indented(rest, "Got")
    how = f"expected {expected}, got {got}" if expected or got else "it prints something else"
    return f"{source}: {raised['what'] if raised else how}"


def _indented(text: str, label: str) -> str:
    """The lines below a label, as one; `nothing` where the label says so, "" where it is not there."""
    lines = re.search(rf"(?m)^{label}:\n(?P<lines>(?: {{4}}.*(?:\n|\Z))+)", text)
    if lines:
        return "; ".join(line.strip() for line in lines["lines"].strip().split("\n"))
    return "nothing" if re.search(rf"(?m)^{label} nothing$", text) else ""
