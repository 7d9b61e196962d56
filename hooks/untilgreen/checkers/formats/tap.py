"""TAP, the Test Anything Protocol, versions 12 to 14, with subtests.

Learned from node 20 (`--test-reporter=tap`), Perl's Test::More 1.302, bats 1.13, tap 14, tape 5.10 and vitest 4.1: the
plan comes first or last; subtests are indented by four and come before the line that sums them up, or in braces after
it and its details; what is told about a failure is a YAML block or comments; any other line is what the tests printed.
"""

import re
from collections.abc import Mapping
from itertools import takewhile

from untilgreen.checkers.answer import MESSAGE, Malformed, Reading, finding, first_line, line_of, one_line, tested
from untilgreen.core.model.outcome import Diagnostic
from untilgreen.core.record import NamedTuple

_STEP, _DEEPEST = 4, 100  # columns of indentation; what lies deeper is taken for what a test printed
_LINE = re.compile(
    r"(?P<point>(?P<failed>not )?ok\b(?: +\d{1,9}\b)?(?: +- ?| +|$)(?P<rest>.*))"
    r"|1\.\.(?P<plan>\d{1,9})(?![\d.])|(?P<bail>(?i:bail out!).*)|(?P<block>---)\s*$|(?P<comment>#.*)"
    r"|(?P<open>\{)\s*$|(?P<brace>\})\s*$"
)
_DIRECTIVE = re.compile(r"(?:^|\s)#\s*(?:skip|todo)", re.IGNORECASE)
_TIME = re.compile(r"\s# (?:time=|in )[\d.]+ ?m?s")
# no YAML is parsed: only the few keys that say where and what are looked for
_LINES = 200  # of the details that are looked at
_KEY = re.compile(r"\s*(?P<key>[A-Za-z]\w{0,20}|'[A-Z][^']{0,60}:'):(?: +(?P<value>\S.*))?\s*$")
_AT = re.compile(r"(?P<file>(?:[A-Za-z]:(?=[\\/]))?[^:]+):(?P<line>\d{1,9})(?::\d{1,9})?\)?$")
_SAID_AT = re.compile(r"\b(?:in test file|at) (?P<file>.+?),? line (?P<line>\d{1,9})[.)]")


class Point(NamedTuple):
    """A test, or a subtest by its full name. `passed` is None where it did not count: skipped, or a TODO."""

    indent: int
    name: str
    passed: bool | None
    details: list[str]
    title: str = ""  #: the comment before it, in which tape names its tests


class _Report:
    """What was read so far: the tests without those that only sum up others, and those whose brace is still open."""

    def __init__(self) -> None:
        self.tests: list[Point] = []
        self.braces: list[Point] = []
        self.plan: int | None = None
        self.points = 0  # that the plan counts
        self.details: list[str] | None = None  # of the newest point, until something else comes
        self.title = ""

    def add(self, point: Point) -> None:
        """Subtests, which were read before, take the place of the point that sums them up, unless only it failed."""
        first = len(self.tests)
        while first and self.tests[first - 1].indent > point.indent:
            first -= 1
        parts = self.tests[first:] if point.passed is not None else []
        named = [part._replace(indent=point.indent, name=f"{point.name} > {part.name}") for part in parts]
        alone = point.passed is False and all(part.passed is not False for part in parts)
        self.tests[first:] = [*named, point] if alone or not parts else named
        self.points += not point.indent

    def take(self, match: re.Match[str], indent: int) -> None:
        """A line that is neither a comment nor a detail."""
        if match["bail"]:
            raise Malformed(first_line(match["bail"]))
        newest = self.tests[-1] if match["open"] and self.details and self.details[-1].strip() == "..." else None
        if newest and newest.details is self.details and newest.indent == indent:
            # a brace on a line of its own, behind the details of a point: its subtests
            self.braces.append(self.tests.pop())
            self.points -= not indent
        self.details = None
        if match["point"]:
            rest = _TIME.sub("", match["rest"]).rstrip()  # another one each time
            directive = _DIRECTIVE.search(rest)
            name = " ".join(rest[: directive.start() if directive else None].removesuffix("{").split()) or "test"
            self.details = []
            point = Point(indent, name, None if directive else not match["failed"], self.details, self.title)
            if rest.endswith("{"):
                self.braces.append(point)
            else:
                self.add(point)
        elif match["brace"]:
            if self.braces and self.braces[-1].indent == indent:
                self.add(self.braces.pop())
        elif match["plan"] and not indent:
            if self.plan is not None:
                raise Malformed("there are two plans: one report is expected")
            self.plan = int(match["plan"])


def read(text: str) -> Reading:
    """The failing tests and how many ran; a TODO that fails did not run, like what is skipped. The rule is
    `test > subtest`. Raises Malformed."""
    found = points(text)
    ran = sum(test.passed is not None for test in found)
    return tested([diagnostic(test) for test in found if test.passed is False], ran, len(found) - ran)


def points(text: str, *, unplanned: bool = False) -> list[Point]:
    """The tests, subtests in place of their sum. Raises Malformed. `unplanned`: there may be more than planned."""
    report = _report(text)
    if report.plan is None:
        raise Malformed("there is no plan (1..N): it was cut short, or it is no TAP")
    if report.plan != report.points and not (unplanned and report.plan < report.points):
        raise Malformed(f"{report.plan} tests planned, {report.points} reported")
    if report.braces or any(test.indent for test in report.tests):
        raise Malformed("it ends within a subtest")
    return report.tests


def _report(text: str) -> _Report:
    report, block, last = _Report(), "", 0
    for line in text.removeprefix("\ufeff").split("\n"):
        words, indent = line.strip(), _indent(line)
        match = None if block else _LINE.match(words)
        if block or (match and match["comment"]):  # a YAML block ends where it began
            block = "" if line.rstrip() == block else block
            report.title = report.title if match is None or indent else words.lstrip("# ")
            if report.details is not None:
                report.details.append(line if block else words)
        elif match and match["block"]:
            block = line.rstrip()[:-3] + "..." if report.details is not None and indent > last else ""
        elif match and indent <= _DEEPEST and indent % _STEP == 0:
            last = indent
            report.take(match, indent)
    if block:
        raise Malformed("it ends within the details of a test")
    return report


def diagnostic(test: Point) -> Diagnostic:
    """From node and tape `location:` or `at:` and `error:`, from others `message:`, `file:` and `line:`; from bats and
    Perl the comments."""
    values = details(test)
    if not values:
        comments = [line.removeprefix("#").strip()[:1000] for line in test.details[:_LINES] if line.startswith("#")]
        places = list(filter(None, map(_SAID_AT.search, comments)))
        said = [line for line in comments if not line.startswith("Subtest:") and not _SAID_AT.search(line)]
        values = {**(places[0].groupdict() if places else {}), "message": one_line("\n".join(said))}
    compared = f"expected {values['expected']}, got {values['actual']}" if {"expected", "actual"} <= {*values} else ""
    message = values.get("message") or values.get("error") or compared or "failed"
    return finding(place(values), test.name, "test", message)


def details(test: Point) -> dict[str, str]:
    """What the YAML behind a test says: the first value of each key, one of several lines as one."""
    lines = [line for line in test.details[:_LINES] if not line.startswith("#")]
    values: dict[str, str] = {}
    within = _DEEPEST * _STEP  # the indentation of the key whose lines these are
    for number, line in enumerate(lines):
        if not line.strip() or _indent(line) > within:
            continue
        match, within = _KEY.match(line[: 4 * MESSAGE]), _DEEPEST * _STEP
        value = (match["value"] or "").strip() if match else ""
        if re.fullmatch(r"[|>]\d?[+-]?", value):
            within = _indent(line)
            inner = takewhile(lambda one: not one.strip() or _indent(one) > _indent(line), lines[number + 1 :])  # noqa: B023
            value = one_line("\n".join(inner))
        elif len(value) > 1 and value[0] == value[-1] and value[0] in "'\"":
            value = value[1:-1].replace("''", "'") if value[0] == "'" else value[1:-1].replace('\\"', '"')
        if match and value:
            values.setdefault(match["key"].strip("':"), value[:MESSAGE])
    return values


def place(values: Mapping[str, str]) -> tuple[str, int]:
    """The file and the line that details name; "" and 0 where they name none, or one of a package."""
    said = values.get("location") or values.get("at", "")
    at = _AT.match(said.rpartition("(")[2].removeprefix("file://"))  # Test.<anonymous> (/project/a.js:5:7)
    if at and "/node_modules/" not in at["file"]:
        return at["file"].strip(), int(at["line"])
    return values.get("file", values.get("fileName", "")), line_of(values.get("line", values.get("lineNumber")))


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))
