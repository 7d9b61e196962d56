"""What pytest prints for people: the short summary at the end, and where each test failed.

Learned from 7.4 to 9.1: the summary names every failure and error unless `-r` leaves them out or `--no-summary` does,
and its last line counts them; with `-q` that line stands without its frame.
"""

import re

from untilgreen.checkers.answer import Malformed, Reading, finding, line_of, tested
from untilgreen.core.model.outcome import Diagnostic

_COUNTS = re.compile(r"(?m)^(?:=+ )?(?P<counts>(?:no tests ran|\d{1,9} \w+(?:, \d{1,9} \w+)*)) in \d[\d.]*s\b.*$")
_NAMED = re.compile(r"(?m)^(?:FAILED|ERROR) (?P<file>[^\s:]+?)(?:::(?P<id>.+?))?(?: - (?P<message>.*))?$")
_SECTION = re.compile(r"(?m)^_{2,} (?P<title>\S.*?) _{2,}$")
_END = re.compile(r"(?m)^={3,}.*$")
_PLACE = re.compile(r"(?m)^(?P<file>[^\s:]+):(?P<line>\d{1,9}): ")
_RAN = ("passed", "failed", "xfailed", "xpassed", "error", "errors")


def read(text: str) -> Reading | None:
    """The failing tests and how many ran, of all runs that this text holds; None where it holds none. Raises Malformed
    where fewer are named than counted."""
    counted = [match["counts"] for match in _COUNTS.finditer(text)]
    if not counted:
        return None
    numbers = [(int(n), word) for line in counted for n, word in re.findall(r"(\d{1,9}) (\w+)", line)]
    announced = sum(n for n, word in numbers if word in ("failed", "error", "errors"))
    sections = _sections(text)
    found = [_diagnostic(match, sections) for match in _NAMED.finditer(text)]
    if len(found) < announced:
        raise Malformed(f"{announced} failures counted, {len(found)} named")
    return tested(
        found, sum(n for n, word in numbers if word in _RAN), sum(n for n, word in numbers if word == "skipped")
    )


def _sections(text: str) -> dict[str, str]:
    """What was told of each failure, by its title: `test_total`, `TestShop.test_total`, `collecting test_shop.py`."""
    titles = list(_SECTION.finditer(text))
    ends = [*(one.start() for one in titles[1:]), len(text)]
    told = {}
    for one, end in zip(titles, ends, strict=False):
        title = re.sub(r"^ERROR (?:at (?:setup|teardown) of )?", "", one["title"])
        told[title] = _END.split(text[one.end() : end], maxsplit=1)[0]
    return told


def _diagnostic(match: re.Match[str], sections: dict[str, str]) -> Diagnostic:
    file, name = match["file"], match["id"] or ""
    said = sections.get(name.replace("::", ".") or f"collecting {file}", "")
    places = [(one["file"], line_of(one["line"])) for one in _PLACE.finditer(said)]
    own = [line for where, line in places if where == file]
    line = own[-1] if own else 0
    return finding(file, line, name or "collection", "test", match["message"] or "failed", hides=not name)
