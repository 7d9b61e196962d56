"""What TAP tells about a failure: the lines of a YAML block, or the comments after the test point.

No YAML is parsed: only the few keys that say where and what are looked for.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

from untilgreen.checkers.answer import MESSAGE, line_of, one_line

_LINES = 200  # of the details that are looked at
_KEY = re.compile(r"\s*(?P<key>[A-Za-z]\w{0,20}):(?: +(?P<value>\S.*))?\s*$")
_AT = re.compile(r"(?P<file>(?:[A-Za-z]:(?=[\\/]))?[^:]+):(?P<line>\d{1,9})(?::\d{1,9})?\)?$")
_SAID_AT = re.compile(
    r"in test file (?P<file>.+), line (?P<line>\d{1,9})|\bat (?P<perl>.+) line (?P<number>\d{1,9})\.$"
)


class Details(NamedTuple):
    """Where a test failed and what it said; "" and 0 where that is not told."""

    file: str = ""
    line: int = 0
    message: str = ""


def told(lines: Sequence[str]) -> Details:
    """The details of a test: from node and tape `location:` or `at:` and `error:`, from others `message:`, `file:` and
    `line:`; from bats and Perl the comments."""
    comments = [line.removeprefix("#").strip() for line in lines[:_LINES] if line.startswith("#")]
    values = _values([line for line in lines[:_LINES] if not line.startswith("#")])
    if not values:
        return _from_comments(comments)
    place = _AT.match(_bare(values.get("location") or values.get("at", "")))
    message = values.get("message") or values.get("error") or _compared(values)
    file = values.get("file") or values.get("fileName", "")
    if place and "/node_modules/" not in place["file"]:
        return Details(place["file"].strip(), line_of(place["line"]), message)
    return Details(file, line_of(values.get("line") or values.get("lineNumber")), message)


def _values(lines: Sequence[str]) -> dict[str, str]:
    """The first value of each key; one of several lines as one."""
    values: dict[str, str] = {}
    for number, line in enumerate(lines):
        match = _KEY.match(line[: 4 * MESSAGE])
        if match:
            value = (match["value"] or "").strip()
            if re.fullmatch(r"[|>][+-]?", value):
                value = one_line("\n".join(_inner(lines[number + 1 :], len(line) - len(line.lstrip()))))
            elif len(value) > 1 and value[0] == value[-1] and value[0] in "'\"":
                value = value[1:-1].replace("''", "'") if value[0] == "'" else value[1:-1].replace('\\"', '"')
            if value:
                values.setdefault(match["key"], value[:MESSAGE])
    return values


def _inner(lines: Sequence[str], indent: int) -> list[str]:
    """The lines up to the first that is not indented more than this."""
    ends = (n for n, line in enumerate(lines) if line.strip() and len(line) - len(line.lstrip()) <= indent)
    return list(lines[: next(ends, len(lines))])


def _compared(values: dict[str, str]) -> str:
    if "expected" in values and "actual" in values:
        return f"expected {values['expected']}, got {values['actual']}"[:MESSAGE]
    return ""


def _bare(place: str) -> str:
    """`Test.<anonymous> (/project/a.js:5:7)` without what stands around the place."""
    return place.rpartition("(")[2].removeprefix("file://")


def _from_comments(comments: Sequence[str]) -> Details:
    at = next(filter(None, (_SAID_AT.search(line[:1000]) for line in comments)), None)
    said = [line for line in comments if not line.startswith("Subtest:") and not _SAID_AT.search(line[:1000])]
    message = one_line("\n".join(said))
    return (
        Details(at["file"] or at["perl"], line_of(at["line"] or at["number"]), message)
        if at
        else Details("", 0, message)
    )
