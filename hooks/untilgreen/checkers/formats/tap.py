"""TAP, the Test Anything Protocol, versions 12 to 14, with subtests.

Learned from node 20 (`--test-reporter=tap`), Perl's Test::More 1.302, bats 1.13, tape 5.10 and vitest 4.1: the plan
comes first or last; subtests are indented by four and come before the line that sums them up, or in braces after it;
what is told about a failure is a YAML block or comments; any other line is what the tests printed.
"""

import re
from collections.abc import Sequence

from untilgreen.checkers.answer import MESSAGE, Malformed, Reading, finding, first_line, line_of, one_line, tested
from untilgreen.core.model.outcome import Diagnostic

_STEP, _DEEPEST = 4, 100  # columns of indentation; what lies deeper is taken for what a test printed
_LINE = re.compile(
    r"(?P<point>(?P<failed>not )?ok\b(?: +\d{1,9}\b)?(?: +- ?| +|$)(?P<rest>.*))"
    r"|1\.\.(?P<plan>\d{1,9})(?![\d.])|(?P<bail>(?i:bail out!).*)|(?P<block>---)\s*$|#(?P<comment>.*)|(?P<brace>\})\s*$"
)
_DIRECTIVE = re.compile(r"(?:^|\s)#\s*(?:skip|todo)", re.IGNORECASE)
_TIME = re.compile(r"\s# (?:time=|in )[\d.]+ ?m?s")
# no YAML is parsed: only the few keys that say where and what are looked for
_LINES = 200  # of the details that are looked at
_KEY = re.compile(r"\s*(?P<key>[A-Za-z]\w{0,20}):(?: +(?P<value>\S.*))?\s*$")
_AT = re.compile(r"(?P<file>(?:[A-Za-z]:(?=[\\/]))?[^:]+):(?P<line>\d{1,9})(?::\d{1,9})?\)?$")
_SAID_AT = re.compile(
    r"in test file (?P<file>.+), line (?P<line>\d{1,9})|\bat (?P<perl>.+) line (?P<number>\d{1,9})\.$"
)


class _Point:
    """One test point. `passed` is None where it did not count: skipped, or a TODO."""

    def __init__(self, failed: bool, rest: str) -> None:
        rest = _TIME.sub("", rest).rstrip()  # another one each time
        self.braces = rest.endswith("{")
        rest = rest.removesuffix("{")
        directive = _DIRECTIVE.search(rest)
        self.name = " ".join((rest[: directive.start()] if directive else rest).split()) or "test"
        self.passed = None if directive else not failed
        self.details: list[str] = []
        self.parts: list[tuple[str, _Point]] = []

    def leaves(self) -> list[tuple[str, "_Point"]]:
        """Its subtests with their full names in its place; itself too where only it failed."""
        if not self.parts or self.passed is None:
            return [(self.name, self)]
        leaves = [(f"{self.name} > {name}", leaf) for name, leaf in self.parts]
        itself = self.passed is False and all(leaf.passed is not False for _, leaf in self.parts)
        return [*leaves, (self.name, self)] if itself else leaves


class _Level:
    """The test points of one indentation. `parts`: subtests read before the point that sums them up."""

    def __init__(self, indent: int) -> None:
        self.indent = indent
        self.points: list[_Point] = []
        self.plan: int | None = None
        self.parts: list[tuple[str, _Point]] = []
        self.open: _Point | None = None  # the newest point, until something else than its details comes

    def add(self, point: _Point) -> None:
        if not point.braces:
            point.parts, self.parts = self.parts, []
        self.points.append(point)
        self.open = point

    def leaves(self) -> list[tuple[str, _Point]]:
        return [leaf for point in self.points for leaf in point.leaves()] + self.parts


def read(text: str) -> Reading:
    """The failing tests and how many ran, subtests in place of the test that sums them up. Raises Malformed.

    The rule is `test > subtest`. A TODO that fails is no failure; like what is skipped it did not run.
    """
    top = _outermost(text)
    if top.plan is None:
        raise Malformed("there is no plan (1..N): it was cut short, or it is no TAP")
    if top.plan != len(top.points):
        raise Malformed(f"{top.plan} tests planned, {len(top.points)} reported")
    if top.parts:
        raise Malformed("it ends within a subtest")
    leaves = top.leaves()
    failing = [_diagnostic(name, point) for name, point in leaves if point.passed is False]
    ran = sum(point.passed is not None for _, point in leaves)
    return tested(failing, ran, len(leaves) - ran)


def _outermost(text: str) -> _Level:
    """The points that are not indented, with what belongs to them."""
    levels, block = [_Level(0)], ""
    for line in text.removeprefix("\ufeff").split("\n"):
        words = line.strip()
        indent = len(line) - len(line.lstrip(" "))
        point = levels[-1].open
        if block:  # inside of a YAML block, which ends where it began
            block = "" if line.rstrip() == block else block
            if point:
                point.details.append(line)
            continue
        match = _LINE.match(words)
        if match is None or indent > _DEEPEST:
            continue
        if match["block"]:
            block = line.rstrip()[:-3] + "..." if point and indent > levels[-1].indent else ""
        elif match["comment"] is not None:
            if point:
                point.details.append(words)
        elif indent % _STEP == 0:
            _take(match, _at(levels, indent))
    if block:
        raise Malformed("it ends within the details of a test")
    _at(levels, 0)
    return levels[0]


def _take(match: re.Match[str], level: _Level) -> None:
    if match["bail"]:
        raise Malformed(first_line(match["bail"]))
    if match["point"]:
        level.add(_Point(bool(match["failed"]), match["rest"]))
    elif match["brace"]:
        if level.points and level.points[-1].braces:
            level.points[-1].parts += level.parts
            level.parts = []
        level.open = None
    elif level.plan is None:
        level.plan, level.open = int(match["plan"]), None
    elif not level.indent:
        raise Malformed("there are two plans: one report is expected")


def _at(levels: list[_Level], indent: int) -> _Level:
    """The level of this indentation, deeper ones closed: what they hold waits for the point that sums it up."""
    while levels[-1].indent > indent:
        inner = levels.pop()
        if levels[-1].indent < indent:
            levels.append(_Level(indent))
        levels[-1].parts += inner.leaves()
    if levels[-1].indent < indent:
        levels.append(_Level(indent))
    return levels[-1]


def _diagnostic(name: str, point: _Point) -> Diagnostic:
    """From node and tape `location:` or `at:` and `error:`, from others `message:`, `file:` and `line:`; from bats and
    Perl the comments."""
    lines = point.details[:_LINES]
    comments = [line.removeprefix("#").strip() for line in lines if line.startswith("#")]
    values = _values([line for line in lines if not line.startswith("#")])
    if not values:
        at = next(filter(None, (_SAID_AT.search(line[:1000]) for line in comments)), None)
        said = [line for line in comments if not line.startswith("Subtest:") and not _SAID_AT.search(line[:1000])]
        file, line = (at["file"] or at["perl"], line_of(at["line"] or at["number"])) if at else ("", 0)
        return finding(file, line, name, "test", one_line("\n".join(said)) or "failed")
    place = values.get("location") or values.get("at", "")
    at = _AT.match(place.rpartition("(")[2].removeprefix("file://"))  # Test.<anonymous> (/project/a.js:5:7)
    file, line = (
        values.get("file") or values.get("fileName", ""),
        line_of(values.get("line") or values.get("lineNumber")),
    )
    if at and "/node_modules/" not in at["file"]:
        file, line = at["file"].strip(), line_of(at["line"])
    compared = f"expected {values['expected']}, got {values['actual']}" if {"expected", "actual"} <= {*values} else ""
    return finding(file, line, name, "test", values.get("message") or values.get("error") or compared or "failed")


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
