"""What pytest reports: the JSON of the plugin pytest-json-report, and what pytest prints for people.

The JSON was learned from 1.5 with pytest 9.0: node ids are relative to `root`, lines count from 0, a file that could
not be collected is in `collectors` alone. The text from 7.4 to 9.1, the short summary at the end and where each test
failed: the summary names every failure and error unless `-r` leaves them out or `--no-summary` does, and its last line
counts them; with `-q` that line stands without its frame.
"""

import re

from untilgreen.checkers.answer import Malformed, Reading, finding, line_of, number, one_line, tables, tested, within
from untilgreen.checkers.formats.documents import json_object, string
from untilgreen.core.model.outcome import Diagnostic
from untilgreen.core.record import Any

_SKIPPED = ("skipped", "xfailed")
_FAILED = ("failed", "error")
_COUNTS = re.compile(r"(?m)^(?:=+ )?(?P<counts>(?:no tests ran|\d{1,9} \w+(?:, \d{1,9} \w+)*)) in \d[\d.]*s\b.*$")
_NAMED = re.compile(r"(?m)^(?:FAILED|ERROR) (?P<file>[^\s:]+?)(?:::(?P<id>.+?))?(?: - (?P<message>.*))?$")
_SECTION = re.compile(r"(?m)^_{2,} (?P<title>\S.*?) _{2,}$")
_END = re.compile(r"(?m)^={3,}.*$")
_PLACE = re.compile(r"(?m)^(?P<file>[^\s:]+):(?P<line>\d{1,9}): ")
_RAN = ("passed", "failed", "xfailed", "xpassed", "error", "errors")


def report(text: str) -> Reading:
    """Failing tests and files that could not be collected (rule "collection"), with absolute paths where the report
    has its `root`. Raises Malformed for a run that was cut short."""
    document = json_object(text)
    root, code = string(document, "root"), document.get("exitcode")
    root = root and f"{root}/"
    tests = tables(document, "tests")
    collectors = tables(document, "collectors", missing=[])
    skipped = sum(test.get("outcome") in _SKIPPED for test in tests)
    failing = [_failure(test, root) for test in tests if test.get("outcome") in _FAILED]
    failing += [_collection(one, root) for one in collectors if one.get("outcome") == "failed"]
    if code not in (0, 1, 5) and not (code == 2 and any(one.hides for one in failing)):
        raise Malformed(f"pytest was cut short: its exit code is {code}")
    announced = sum(number(document, "summary", word, missing=0) for word in _FAILED)
    if announced > len(failing):
        raise Malformed(f"{announced} failing tests announced, {len(failing)} read")
    return tested(failing, len(tests) - skipped + sum(one.hides for one in failing), skipped)


def _failure(test: dict[str, Any], root: str) -> Diagnostic:
    file, _, name = string(test, "nodeid").partition("::")
    stages = (test.get(key) for key in ("setup", "call", "teardown"))
    stage = next((one for one in stages if within(one, "outcome") in _FAILED), None)
    said = string(stage, "crash", "message") or string(stage, "longrepr")
    line = line_of(number(test, "lineno") + 1) if within(test, "lineno") is not None else 0
    return finding((root + file, line), name, "test", one_line(said) or "failed")


def _collection(one: dict[str, Any], root: str) -> Diagnostic:
    marked = [line[2:] for line in string(one, "longrepr").split("\n") if line.startswith("E ")]
    message = marked[-1] if marked else string(one, "longrepr")
    return finding((root + string(one, "nodeid"),), "collection", "test", message, hides=True)


def printed(text: str) -> Reading | None:
    """The failing tests and how many ran, of all runs that this text holds; None where it holds none. Raises Malformed
    where fewer are named than counted."""
    counted = [match["counts"] for match in _COUNTS.finditer(text)]
    if not counted:
        return None
    numbers = [(int(n), word) for line in counted for n, word in re.findall(r"(\d{1,9}) (\w+)", line)]
    announced = sum(n for n, word in numbers if word in ("failed", "error", "errors"))
    sections = _sections(text)
    found = [_named(match, sections) for match in _NAMED.finditer(text)]
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


def _named(match: re.Match[str], sections: dict[str, str]) -> Diagnostic:
    file, name = match["file"], match["id"] or ""
    said = sections.get(name.replace("::", ".") or f"collecting {file}", "")
    places = [(one["file"], line_of(one["line"])) for one in _PLACE.finditer(said)]
    own = [line for where, line in places if where == file]
    line = own[-1] if own else 0
    return finding((file, line), name or "collection", "test", match["message"] or "failed", hides=not name)
