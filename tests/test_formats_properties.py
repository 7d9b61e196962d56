"""Whatever a command prints, in whatever format it is said to be, it ends as an outcome, and soon; and a report that
was written reads back as it was."""

import json
import time
from typing import Any
from xml.sax.saxutils import quoteattr

import pytest
from hypothesis import given
from hypothesis import strategies as st

import archives
from shapes import VALUES, listed, shaped
from untilgreen.checkers import custom, formats
from untilgreen.core.model import outcome as ends
from untilgreen.core.model.outcome import Broken, Clean, Diagnostic, Found, Outcome, Output
from untilgreen.core.model.settings import CheckSetting

PATTERN = r"^(?P<file>[^:]+):(?P<line>\d+): (?P<severity>\w+): (?P<message>.*)$"
NAMES = st.sampled_from(formats.NAMES)


def outcome(format_: str, output: Output, command: str = "tool") -> Outcome:
    return custom.outcome_of("own", output, CheckSetting(command=(command,), format=format_, pattern=PATTERN))


# --- anything at all ------------------------------------------------------------------

REAL = sorted({archives.text(f"formats/{case}", "stdout") for case in archives.cases("formats")})
GARBLED = st.tuples(st.sampled_from(REAL), st.integers(0, 3000), st.integers(0, 60), st.text(max_size=20)).map(
    lambda p: p[0][: p[1]] + p[3] + p[0][p[1] + p[2] :]
)
PARTS = (
    'ok 1|not ok 2 - x|1..2|    |\n|  ---\n|  ...\n|# SKIP|# TODO|Bail out!|{|}|[|]|"|:|,|<|/>|<testsuite>|<testcase>'
    "|<failure/>|a.c:1: error: |[-Wx]|\x00|\ud800|\r|\t|\x1b[1m|\x1b]8;;x\x07|ld: |undefined reference to `f'|a.o:(.x)"
)
PIECES = st.lists(st.sampled_from(PARTS.split("|")), max_size=30).map("".join)
TEXTS = st.text() | GARBLED | PIECES | st.sampled_from(REAL)


@given(NAMES, st.integers(-2, 130), TEXTS, TEXTS, TEXTS, st.sampled_from(["tool", "--out={report}"]))
def test_any_output_ends_as_an_outcome_within_bounds(
    name: str, code: int, stdout: str, stderr: str, report: str, command: str
) -> None:
    result = outcome(name, Output(code, stdout, stderr, report), command)
    if isinstance(result, Clean):
        assert code == 0
        assert bool(result.tests and result.tests.run) == formats.is_test_format(name)
    elif isinstance(result, Broken):
        assert (bool(result.reason), "\n" in result.reason, len(result.reason) <= 500) == (True, False, True)
    else:
        assert isinstance(result, Found)
        assert result.diagnostics
        for one in result.diagnostics:
            lines = "\n" in one.message and not one.rule.startswith("exit-")
            assert (one.check, one.line >= 0, bool(one.rule), bool(one.message), lines) == (
                "own",
                True,
                True,
                True,
                False,
            )
            assert one.severity in ("error", "warning", "info", "security", "test")


LOCATIONS = st.just([{"physicalLocation": {"artifactLocation": {"uri": "a", "uriBaseId": "B"}}}]) | listed(
    "physicalLocation"
)
RESULTS = listed(
    *("ruleId", "ruleIndex", "level", "kind", "suppressions", "properties", "baselineState"),
    locations=LOCATIONS,
    rule=shaped("id", "index", "toolComponent"),
    message=shaped("text", "id"),
)
RUNS = listed(
    results=RESULTS,
    tool=shaped("extensions", driver=shaped("rules")),
    invocations=listed("executionSuccessful", "toolExecutionNotifications"),
    originalUriBaseIds=st.just({"B": {"uri": "b/", "uriBaseId": "B"}}) | st.dictionaries(st.just("B"), VALUES),
)
TEST_CASES = listed("status", "title", "ancestorTitles", "failureMessages", "location")
DOCUMENTS = st.one_of(
    st.tuples(st.just("sarif"), st.fixed_dictionaries({"version": st.just("2.1.0"), "runs": RUNS})),
    st.tuples(
        st.just("pytest-json"),
        shaped(
            exitcode=st.sampled_from([0, 1, 2]),
            tests=listed("nodeid", "outcome", "lineno", "call"),
            collectors=listed("nodeid", "outcome", "longrepr"),
            summary=shaped("failed", "error"),
        ),
    ),
    st.tuples(
        st.just("jest-json"),
        shaped(
            "numFailedTests", "success", testResults=listed("name", "status", "message", assertionResults=TEST_CASES)
        ),
    ),
    st.tuples(st.just("rdjson"), shaped("severity", diagnostics=listed("message", "location", "severity", "code"))),
    st.tuples(st.sampled_from(["sarif", "rdjson", "rdjsonl", "pytest-json", "jest-json"]), VALUES),
)


@given(DOCUMENTS)
def test_any_json_is_an_outcome(document: tuple[str, Any]) -> None:
    name, value = document
    assert isinstance(outcome(name, Output(0, json.dumps(value), "")), Clean | Found | Broken)


MANY = 40_000
HEAVY = {
    "brackets": "[" * MANY,
    "objects": '{"a":' * MANY,
    "digits": '{"runs": ' + "9" * MANY + "}",
    "empty lines": "\n" * MANY,
    "spaces": " " * MANY * 3,
    "indented": "".join(f"{'    ' * (n % 200)}ok {n}\n" for n in range(20_000)),
    "deeper and deeper": "".join(f"{'    ' * n}not ok {n}\n" for n in range(900)) + "1..1\n",
    "colons": ":" * MANY + "\n" + "a:1:" * MANY,
    "bracketed": "a.c:1: error: " + " [" * MANY + "]",
    "elements": "<testsuite>" * MANY + "</testsuite>" * MANY,
    "comments": "<!-- -->" * MANY,
    "hashes": "1..1\nnot ok 1 " + " #" * MANY,
    "details": "1..1\nnot ok 1\n  ---\n" + "  at: (((\n" * MANY + "  ...\n",
    "keys": "1..1\nnot ok 1\n  ---\n" + "    a: |\n" * MANY + "  ...\n",
    "percent": json.dumps({"version": "2.1.0", "runs": [{"results": [{"locations": [
        {"physicalLocation": {"artifactLocation": {"uri": "%" * MANY}}}]}]}]}),
    "linkers": "a.o" + ": undefined reference to " * MANY,
    "paths of linkers": "/ld: " * MANY + "-ld." * MANY + ": cannot find -lx",
    "temporary objects": "/cc000000.o" * MANY + ":" * MANY + ": multiple definition of `f'; " + "/cc" * MANY,
    "escapes": "\x1b]" * MANY + "\x1b[" * MANY + "\x1b[" + "0" * MANY + "\x1b]" + "8;" * MANY,
    "frames": '<testsuite><testcase classname="b.c" name="t"><failure>' + "a.py:1:\n" * MANY + "a.py" * MANY
    + "</failure></testcase></testsuite>",
    "failures": "<testsuite>" + '<testcase name="t"><failure message="m"/></testcase>' * 20_000 + "</testsuite>",
}  # fmt: skip


@pytest.mark.parametrize("text", HEAVY.values(), ids=HEAVY)
def test_no_text_keeps_a_reader_busy(text: str) -> None:
    began = time.process_time()
    for name in formats.NAMES:
        assert isinstance(outcome(name, Output(1, text, "")), Clean | Found | Broken)
    assert time.process_time() - began < 4  # all of them together take less than a second


def test_no_finding_of_a_huge_report_is_lost() -> None:
    result = outcome("junit", Output(1, HEAVY["failures"], ""))
    assert isinstance(result, Found)
    assert (len(result.diagnostics), result.tests) == (20_000, ends.Tests(20_000, 20_000))


@pytest.mark.parametrize(
    "name", [name for name in formats.NAMES if name not in ("exit", "exit-code", "regex", "gcc", "rdjsonl")]
)
@given(data=st.data())
def test_a_report_that_was_cut_is_never_clean(name: str, data: st.DataObject) -> None:
    folder = {"pytest": "pytest-json", "jest": "jest-json"}.get(name, name)
    clean = [one for one in archives.cases("formats") if one.startswith(f"{folder}/") and one.endswith("-clean")]
    report = archives.text(f"formats/{data.draw(st.sampled_from(clean))}", "stdout").rstrip()
    last = report.rfind("\n1..") + 2 if name == "tap" else len(report) - 1  # the plan is all that ends TAP
    cut = report[: data.draw(st.integers(0, last))]
    assert isinstance(outcome(name, Output(0, cut, "")), Broken)


# --- what was written reads back --------------------------------------------------------

WORD = st.text("abcxyz_0 '&<>\"é{}#%", min_size=1, max_size=12).map(lambda text: " ".join(text.split()) or "w")
FILE = st.text("abcxyz_0é/.", min_size=1, max_size=12).filter(lambda text: not text.startswith("/"))
RULE = st.text("abcxyzABC", min_size=1, max_size=8)
SEVERITY = st.sampled_from(["error", "warning", "info"])
ROWS = st.tuples(st.just("own"), FILE, st.integers(1, 10**6), RULE, SEVERITY, WORD)
FINDINGS = st.lists(ROWS.map(lambda row: Diagnostic(*row)), min_size=1, max_size=5)
TESTS = st.lists(st.tuples(RULE, st.sampled_from(["passed", "failed", "skipped"]), WORD), min_size=1, max_size=6)


@given(FINDINGS)
def test_findings_written_as_gcc_read_back(findings: list[Diagnostic]) -> None:
    words = {"info": "note"}
    lines = [f"{f.file}:{f.line}:1: {words.get(f.severity, f.severity)}: {f.message} [-W{f.rule}]" for f in findings]
    expected = tuple(f._replace(rule=f"-W{f.rule}", column=1) for f in findings)
    assert outcome("gcc", Output(0, "\n".join(lines), "")) == Found(expected)


@given(FINDINGS)
def test_findings_written_for_a_pattern_read_back(findings: list[Diagnostic]) -> None:
    lines = [f"{f.file}:{f.line}: {f.severity}: {f.message}" for f in findings]
    expected = tuple(f._replace(rule=f.severity) for f in findings)
    assert outcome("regex", Output(0, "\n".join(lines), "")) == Found(expected)


@given(FINDINGS)
def test_findings_written_as_rdjson_read_back(findings: list[Diagnostic]) -> None:
    rows = [
        {
            "message": f.message,
            "severity": f.severity.upper(),
            "code": {"value": f.rule},
            "location": {"path": f.file, "range": {"start": {"line": f.line}}},
        }
        for f in findings
    ]
    expected = Found(tuple(findings))
    assert outcome("rdjson", Output(0, json.dumps({"diagnostics": rows}), "")) == expected
    assert outcome("rdjsonl", Output(0, "\n".join(map(json.dumps, rows)), "")) == expected


@given(FINDINGS, st.booleans())
def test_findings_written_as_sarif_read_back(findings: list[Diagnostic], absolute: bool) -> None:
    from urllib.parse import quote

    levels = {"info": "note"}
    base = "file:///project/" if absolute else ""
    rows = [
        {
            "ruleId": f.rule,
            "level": levels.get(f.severity, f.severity),
            "message": {"text": f.message},
            "locations": [
                {
                    "physicalLocation": {
                        "artifactLocation": {"uri": base + quote(f.file)},
                        "region": {"startLine": f.line},
                    }
                }
            ],
        }
        for f in findings
    ]
    document = {"version": "2.1.0", "runs": [{"tool": {"driver": {"name": "x"}}, "results": rows}]}
    expected = tuple(f._replace(file="/project/" + f.file) if absolute else f for f in findings)
    assert outcome("sarif", Output(0, "> x\n" + json.dumps(document, indent=1), "")) == Found(expected)


@given(FINDINGS)
def test_findings_written_as_checkstyle_read_back(findings: list[Diagnostic]) -> None:
    rows = "".join(
        f"<file name={quoteattr(f.file)}><error line='{f.line}' severity='{f.severity}' message={quoteattr(f.message)}"
        f" source={quoteattr(f.rule)}/></file>"
        for f in findings
    )
    assert outcome("checkstyle", Output(0, f"<checkstyle>{rows}</checkstyle>", "")) == Found(tuple(findings))


def of_tests(tests: list[tuple[str, str, str]], says: bool = True) -> Outcome:
    """What these tests (name, result, message) must end as."""
    failing = tuple(Diagnostic("own", "", 0, n, "test", m if says else "failed") for n, r, m in tests if r == "failed")
    counts = ends.Tests(sum(result != "skipped" for _, result, _ in tests), len(failing))
    if failing:
        return Found(failing, counts)
    return Clean(counts) if counts.run else Broken(f"no test ran: {len(tests)} skipped")


def alike(result: Outcome, expected: Outcome, name: str) -> bool:
    """Whether they are equal; of a Broken only the reason counts."""
    if isinstance(expected, Broken):
        return isinstance(result, Broken) and result.reason == f"{name}: {expected.reason}"
    return result == expected


@given(TESTS)
def test_tests_written_as_junit_read_back(tests: list[tuple[str, str, str]]) -> None:
    inner = {"passed": "", "skipped": "<skipped/>"}
    cases = "".join(
        f"<testcase name={quoteattr(name)}>{inner.get(how, f'<failure message={quoteattr(message)}/>')}</testcase>"
        for name, how, message in tests
    )
    expected = of_tests([(n, r, m) for n, r, m in tests])
    assert alike(outcome("junit", Output(0, f"<testsuite>{cases}</testsuite>", "")), expected, "junit")


@given(TESTS, st.sampled_from(["first", "last"]), st.booleans())
def test_tests_written_as_tap_read_back(tests: list[tuple[str, str, str]], plan: str, nested: bool) -> None:
    lines = [
        f"{'not ok' if how == 'failed' else 'ok'} {number} - {name}{' # SKIP' if how == 'skipped' else ''}"
        for number, (name, how, _) in enumerate(tests, 1)
    ]
    count = f"1..{len(tests)}"
    lines = [count, *lines] if plan == "first" else [*lines, count]
    if nested:
        failed = any(how == "failed" for _, how, _ in tests)
        lines = [*(f"    {line}" for line in lines), f"{'not ok' if failed else 'ok'} 1 - all", "1..1"]
    expected = of_tests([(f"all > {n}" if nested else n, r, m) for n, r, m in tests], says=False)
    assert alike(outcome("tap", Output(0, "\n".join(lines), "")), expected, "tap")


@given(TESTS)
def test_tests_written_as_jest_and_pytest_do_read_back(tests: list[tuple[str, str, str]]) -> None:
    jest = [{"title": name, "status": how, "failureMessages": [message]} for name, how, message in tests]
    report = json.dumps({"testResults": [{"assertionResults": jest}]})
    assert alike(outcome("jest", Output(0, report, "")), of_tests(tests), "jest")
    rows = [
        {"nodeid": f"::{name}", "outcome": how, "call": {"outcome": how, "longrepr": message}}
        for name, how, message in tests
    ]
    report = json.dumps({"exitcode": 0, "tests": rows})
    assert alike(outcome("pytest", Output(0, report, "")), of_tests(tests), "pytest")
