"""Reports in known formats: what real tools printed, and what no recorded run shows."""

import json
import signal
import threading
import time
from typing import Any

import pytest

import archives
import tables
from outcomes import as_data
from untilgreen.checkers import custom, formats
from untilgreen.core.model import outcome as ends  # its Tests, imported by name, would be taken for a test class
from untilgreen.core.model.outcome import Broken, Clean, Diagnostic, Found, Outcome, Output
from untilgreen.core.model.settings import CheckSetting

CASES = archives.cases("formats")


Row = tuple[str, int, str, str, str] | tuple[str, int, str, str, str, int]  # the last one: a column


def said(text: str, code: int = 0, *, format_: str, pattern: str = "", stderr: str = "") -> Outcome:
    """What a check named "own" ends as that printed this."""
    own = CheckSetting(command=("tool",), format=format_, pattern=pattern)
    return custom.outcome_of("own", Output(code, text, stderr), own)


def found(*rows: Row, hides: bool = False, tests: ends.Tests | None = None) -> Found:
    return Found(tuple(Diagnostic("own", *row[:5], hides=hides, column=sum(row[5:])) for row in rows), tests)


def reason(outcome: Outcome) -> str:
    assert isinstance(outcome, Broken), outcome
    return outcome.reason


@pytest.mark.parametrize("case", CASES)
def test_what_a_real_tool_printed_ends_as_the_recorded_outcome(case: str) -> None:
    stdout, stderr, code, expected = (
        archives.text(f"formats/{case}", part) for part in ("stdout", "stderr", "code", "expected.json")
    )
    outcome = said(stdout, int(code), format_=case.partition("/")[0], stderr=stderr)
    assert as_data(outcome) == json.loads(expected)


def test_only_reports_of_tests_make_a_check_one_of_the_stage_tests() -> None:
    of_tests = ["junit", "tap", "pytest-json", "pytest", "jest-json", "jest"]
    assert [name for name in (*formats.NAMES, "", "html") if formats.is_test_format(name)] == of_tests


# --- the exit code beside the report ----------------------------------------------

WARNING = "a.c:1:1: warning: odd [-Wodd]\n"
ODD = ("a.c", 1, "-Wodd", "warning", "odd", 1)


@pytest.mark.parametrize(
    ("text", "code", "expected"),
    [
        ("", 0, Clean()),
        ("", 1, Broken("exit code 1 and no findings")),
        (WARNING, 0, found(ODD)),
        (WARNING, 2, found(ODD, ("", 0, "exit-2", "error", WARNING.strip()))),
        ("a.c:1: error: bad\n", 2, found(("a.c", 1, "error", "error", "bad"))),
        ("a.c:1: error: bad\n", 127, Broken("command not found", "a.c:1: error: bad")),
        ("a.c:1: error: bad\n", -9, Broken("ended by signal 9", "a.c:1: error: bad")),
    ],
)
def test_a_command_that_fails_is_never_green(text: str, code: int, expected: Outcome) -> None:
    assert said(text, code, format_="gcc") == expected


def test_exit_codes_that_mean_fine_hold_for_a_report_too() -> None:
    own = CheckSetting(command=("tool",), ok=(0, 2, 127), format="gcc")
    outcomes = [custom.outcome_of("own", Output(code, WARNING, ""), own) for code in (0, 2, 127)]
    assert outcomes == [found(ODD)] * 3
    assert custom.outcome_of("own", Output(2, "", ""), own) == Clean()


def test_a_report_of_mild_findings_and_a_failure_is_explained_by_stderr_alone() -> None:
    text = json.dumps({"diagnostics": [{"message": "odd", "severity": "INFO"}]})
    odd = ("", 0, "info", "info", "odd")
    assert (said(text, 1, format_="rdjson", stderr="too much\n"), said(text, 1, format_="rdjson")) == (
        found(odd, ("", 0, "exit-1", "error", "too much")),
        found(odd, ("", 0, "exit-1", "error", "nothing that it reported is an error")),
    )


def test_a_report_in_a_file_is_read_from_there_alone() -> None:
    own = CheckSetting(command=("tool", "--out={report}"), format="rdjsonl")
    line = '{"message": "odd", "location": {"path": "a"}}'
    outcomes = [custom.outcome_of("own", Output(0, "words\n", "", report), own) for report in (line, " \n")]
    assert outcomes == [
        found(("a", 0, "error", "error", "odd")),
        Broken("rdjsonl: its file was not written, or is empty", "words"),
    ]


def test_lines_are_looked_for_on_both_streams_and_documents_on_stdout() -> None:
    assert said("", 0, format_="gcc", stderr=WARNING) == found(ODD)
    assert reason(said("", 0, format_="sarif", stderr="{}")) == "sarif: a JSON object is expected, nothing came"


# --- regex ---------------------------------------------------------------------------


def test_a_pattern_names_the_parts_of_a_finding() -> None:
    pattern = r"^(?P<severity>\w+) (?P<rule>\w+) at (?P<file>[^:]+):(?P<line>\d+): (?P<message>.*)$"
    text = "Note N1 at a.x:3: mild\r\nnothing\nFATAL E2 at b.x:4: bad\nodd O3 at c.x:5: who knows\n"
    assert said(text, 1, format_="regex", pattern=pattern) == found(
        ("a.x", 3, "N1", "info", "mild"), ("b.x", 4, "E2", "error", "bad"), ("c.x", 5, "O3", "error", "who knows")
    )


def test_a_pattern_may_name_no_more_than_a_file_or_a_message() -> None:
    assert said("would reformat a.py\n", 1, format_="regex", pattern="would reformat (?P<file>.+)") == found(
        ("a.py", 0, "error", "error", "would reformat a.py")
    )
    assert said("TODO: this\n", 0, format_="regex", pattern="TODO: (?P<message>.+)") == found(
        ("", 0, "error", "error", "this")
    )


def test_a_pattern_is_held_against_one_line_at_a_time() -> None:
    assert said("a\nb\n", 0, format_="regex", pattern=r"(?P<message>a\s+b)") == Clean()


def test_a_line_without_end_does_not_keep_a_pattern_busy() -> None:
    greedy = r"(?P<file>.+?):(?P<line>\d+): (?P<message>.+)"
    assert said("x" * 3_000_000, 0, format_="regex", pattern=greedy) == Clean()


ENDLESS = r"^(?P<message>(a+)+)$"


def test_a_pattern_that_takes_too_long_is_broken() -> None:
    before = signal.getsignal(signal.SIGPROF)
    began = time.monotonic()
    outcome = said("a" * 60 + "!", 0, format_="regex", pattern=ENDLESS)
    assert (reason(outcome), time.monotonic() - began < 60) == ("regex: the pattern takes too long", True)
    assert (signal.getsignal(signal.SIGPROF), signal.getitimer(signal.ITIMER_PROF)) == (before, (0.0, 0.0))


def test_a_pattern_works_in_a_thread_too_where_no_alarm_can_be_set() -> None:
    outcomes: list[Outcome] = []
    thread = threading.Thread(target=lambda: outcomes.append(said("aaa", format_="regex", pattern=ENDLESS)))
    thread.start()
    thread.join(20)
    assert outcomes == [found(("", 0, "error", "error", "aaa"))]


def test_a_pattern_that_no_longer_compiles_is_broken() -> None:
    expected = "regex: the pattern is no regular expression: missing ), unterminated subpattern at position 0"
    assert reason(said("", 0, format_="regex", pattern="(")) == expected


# --- gcc -----------------------------------------------------------------------------


def test_compilers_lines_are_read_with_and_without_a_column_and_on_a_drive() -> None:
    text = (
        "a.c:1: error: one\n"
        "C:\\x\\a.c:2:3: warning: two [-Wone,-Wtwo]\n"
        "a.c:3:1: note: an array[3] of [4]\n"
        "a.c:4:1: internal compiler error: five\n"
        "12:30:01: error in the log\n"
        "see a.c:9 for errors\n"
    )
    assert said(text, 1, format_="gcc") == Found(
        (
            Diagnostic("own", "a.c", 1, "error", "error", "one"),
            Diagnostic("own", "C:\\x\\a.c", 2, "-Wone,-Wtwo", "warning", "two", column=3),
            Diagnostic("own", "a.c", 3, "note", "info", "an array[3] of [4]", column=1),
            Diagnostic("own", "a.c", 4, "internal-compiler-error", "error", "five", hides=True, column=1),
        )
    )


COLLECT = "collect2: error: ld returned 1 exit status\n"
LAST = ("", 0, "error", "error", "collect2: ld returned 1 exit status")


@pytest.mark.parametrize(("text", "row"), tables.literal("formats", "what a linker misses is told"))
def test_what_a_linker_misses_is_told_with_the_source_where_it_is_named(text: str, row: tuple[str, int, str]) -> None:
    assert said(text + "\n" + COLLECT, 1, format_="gcc") == found((*row[:2], "ld", "error", row[2]))


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("", []),
        (WARNING, [ODD]),
        ("make: cannot find a rule\nwe know of no undefined reference to `f'\n", []),
        ("ld: symbol(s) not found\n", []),
    ],
)
def test_that_the_linker_failed_is_told_where_nothing_else_explains_it(text: str, rows: list[Row]) -> None:
    assert said(text + COLLECT, 1, format_="gcc") == found(*rows, LAST)


# --- colours --------------------------------------------------------------------------

LINK = "\x1b]8;;https://example.com/#index-Wodd\x07-Wodd\x1b]8;;\x07"


@pytest.mark.parametrize(
    ("text", "row"),
    [
        ("\x1b[1msrc/b.c:1:5:\x1b[0m \x1b[31merror: \x1b[0mbad", ("src/b.c", 1, "error", "error", "bad", 5)),
        (f"\x1b[01m\x1b[Ka.c:1:1:\x1b[m\x1b[K warning: odd [\x1b[K{LINK}\x1b[m]", ODD),
        (f"a.c:1:1: warning: odd [{LINK}]".replace("\x07", "\x1b\\"), ODD),
        ("\x1b]0;unfinished\na.c:1:1: warning: odd [-Wodd]", ODD),
        ("\x1b(B\x1b=a.c:1:1: warning: odd [-Wodd]\x1b", ODD),
    ],
)
def test_colours_and_links_hide_no_line(text: str, row: Row) -> None:
    assert said(text, format_="gcc") == found(row)
    pattern = r"^(?P<file>[^:]+):(?P<line>\d+):(?P<column>\d+): (?P<severity>\w+): "
    pattern += r"(?P<message>\w+)(?: \[(?P<rule>-\w+)\])?"
    assert said(text, format_="regex", pattern=pattern) == found(row)


# --- sarif ---------------------------------------------------------------------------


def sarif(*results: dict[str, Any], **run: Any) -> str:
    return json.dumps({"version": "2.1.0", "runs": [{"tool": {"driver": {"name": "x"}}, "results": results, **run}]})


def driver(*rules: dict[str, Any]) -> dict[str, Any]:
    return {"driver": {"name": "x", "rules": rules}}


def at(uri: str, line: int = 1, **more: Any) -> list[dict[str, Any]]:
    return [{"physicalLocation": {"artifactLocation": {"uri": uri, **more}, "region": {"startLine": line}}}]


def result(**fields: Any) -> dict[str, Any]:
    return {"ruleId": "R", "message": {"text": "m"}, **fields}


@pytest.mark.parametrize(
    ("one", "rule", "severity"), tables.literal("formats", "a results level its rule and its tags")
)
def test_a_results_level_its_rule_and_its_tags_say_how_severe_it_is(
    one: dict[str, Any], rule: dict[str, Any], severity: str
) -> None:
    text = sarif(result(**one), tool=driver({"id": "R", **rule}))
    assert said(text, 1, format_="sarif") == found(
        ("", 0, "R", severity, "m"), *([] if severity in ("error", "security") else [FAILED])
    )


FAILED = ("", 0, "exit-1", "error", "nothing that it reported is an error")


@pytest.mark.parametrize("one", tables.literal("formats", "a result that is suppressed passed"))
def test_a_result_that_is_suppressed_passed_or_gone_is_left_out(one: dict[str, Any]) -> None:
    assert said(sarif(result(**one)), format_="sarif") == Clean()


@pytest.mark.parametrize("one", [{"suppressions": []}, {"suppressions": [{"kind": "external", "status": "rejected"}]}])
def test_a_suppression_that_nobody_accepted_is_none(one: dict[str, Any]) -> None:
    assert said(sarif(result(**one)), format_="sarif") == found(("", 0, "R", "warning", "m"))


@pytest.mark.parametrize(
    ("location", "file"),
    [
        (at("src/a%20b.py"), "src/a b.py"),
        (at("file:///project/a.py"), "/project/a.py"),
        (at("file://localhost/project/a.py"), "/project/a.py"),
        (at("file:///C:/project/a.py"), "C:/project/a.py"),
        (at("a.py", uriBaseId="SRC"), "/project/src/a.py"),
        (at("a.py", uriBaseId="%SRCROOT%"), "a.py"),
    ],
)
def test_where_a_result_is_may_be_said_in_many_ways(location: list[dict[str, Any]], file: str) -> None:
    text = sarif(result(locations=location), originalUriBaseIds={"SRC": {"uri": "file:///project/src/"}})
    assert said(text, format_="sarif") == found((file, 1, "R", "warning", "m"))


def test_a_rule_is_found_by_its_place_its_extension_or_its_longer_id() -> None:
    ours = {"id": "R1", "defaultConfiguration": {"level": "note"}}
    theirs = {"id": "X1", "shortDescription": {"text": "c"}}
    tool = {"driver": {"name": "x", "rules": [ours]}, "extensions": [{"name": "y", "rules": [theirs]}]}
    by_place = {"ruleIndex": 0, "message": {"text": "a"}}
    by_longer_id = {"ruleId": "R1/sub", "message": {"markdown": "b"}}
    of_extension = {"rule": {"id": "X1", "index": 0, "toolComponent": {"index": 0}}, "message": {}}
    assert said(sarif(by_place, by_longer_id, of_extension, tool=tool), format_="sarif") == found(
        ("", 0, "R1", "info", "a"), ("", 0, "R1/sub", "info", "b"), ("", 0, "X1", "warning", "c")
    )


def test_a_mild_notification_breaks_nothing() -> None:
    mild = [{"executionSuccessful": True, "toolExecutionNotifications": [{"level": "note"}, {}]}]
    assert said(sarif(invocations=mild), format_="sarif") == Clean()


# --- junit ---------------------------------------------------------------------------


def junit(*cases: str, **attributes: str) -> str:
    given = "".join(f' {name}="{value}"' for name, value in attributes.items())
    return f'<?xml version="1.0"?><testsuites><testsuite name="s"{given}>{"".join(cases)}</testsuite></testsuites>'


OK = '<testcase classname="A" name="ok"/>'
GOTESTSUM = (
    '<testcase classname="x/y" name="TestT"><failure message="Failed" type="">=== RUN   TestT\n'
    "    a_test.go:9: got 2\n--- FAIL: TestT (0.00s)\n</failure></testcase>"
)
PHPUNIT = (
    '<testsuite name="T" file="/p/T.php"><testcase name="t" class="T" classname="T" file="/p/T.php" line="7">'
    '<error type="E">T::t\nE: no\n\n/p/T.php:9</error></testcase></testsuite>'
)


@pytest.mark.parametrize(
    ("case", "expected"),
    [
        # surefire
        ('<testcase classname="A" name="t"><flakyFailure message="m"/></testcase>', Clean(ends.Tests(2, 0))),
        (
            '<testcase classname="A" name="t"><failure message="m"/><rerunFailure message="n"/></testcase>',
            found(("", 0, "A::t", "test", "m"), tests=ends.Tests(2, 1)),
        ),
        # gotestsum
        (GOTESTSUM, found(("", 0, "x/y::TestT", "test", "a_test.go:9: got 2"), tests=ends.Tests(2, 1))),
        # phpunit
        (PHPUNIT, found(("/p/T.php", 7, "T::t", "test", "T::t; E: no; /p/T.php:9"), tests=ends.Tests(2, 1))),
        # gtest
        ('<testcase name="t" status="notrun" classname="A"/>', Clean(ends.Tests(1, 0))),
        ('<testcase name="t" classname="A"><skipped/></testcase>', Clean(ends.Tests(1, 0))),
        (
            '<testcase name="t" classname="A"><failure/></testcase>',
            found(("", 0, "A::t", "test", "failed"), tests=ends.Tests(2, 1)),
        ),
        # control characters that no XML may hold
        (
            '<testcase name="t" classname="A"><failure message="\x1b[31mred"/></testcase>',
            found(("", 0, "A::t", "test", "red"), tests=ends.Tests(2, 1)),
        ),
    ],
)
def test_junit_of_many_tools_is_read(case: str, expected: Outcome) -> None:
    assert said(junit(OK, case), 0, format_="junit") == expected


def test_tests_of_one_name_are_several_tests() -> None:
    bad = '<testcase classname="A" name="t"><failure message="m"/></testcase>'
    row = ("", 0, "A::t", "test", "m")
    assert said(junit(bad, bad), 1, format_="junit") == found(row, row, tests=ends.Tests(2, 2))


def traced(owner: str, name: str, text: str) -> str:
    """A failing test as pytest writes it by default: without a file."""
    return f'<testcase classname="{owner}" name="{name}"><failure message="no">{text}</failure></testcase>'


@pytest.mark.parametrize(
    ("case", "row"),
    [
        (
            traced(
                "sub dir.test_a", "test_x", "sub dir/test_a.py:9: \nlib.py:2: E\nsub dir/test_a.py:3: AssertionError"
            ),
            ("sub dir/test_a.py", 3, "test_x", "test", "no"),
        ),
        (
            traced("sub.test_a.TestX.TestY", "test_x[1.5]", "sub/test_a.py:3: in test_x\n    assert 0\nE   no"),
            ("sub/test_a.py", 3, "TestX::TestY::test_x[1.5]", "test", "no"),
        ),
        (traced("", "sub.test_a", "sub/test_a.py:1: in &lt;module>"), ("sub/test_a.py", 1, "sub.test_a", "test", "no")),
        # not certain
        (traced("sub.test_ab", "t", "sub/test_a.py:3: E"), ("", 0, "sub.test_ab::t", "test", "no")),
        (traced("sub.test_a", "t", "test_a.py:3: E"), ("", 0, "sub.test_a::t", "test", "no")),
        (traced("sub.test_a", "t", "E  sub/test_a.py:3: E"), ("", 0, "sub.test_a::t", "test", "no")),
        (traced("", "t", "/p/t.py:3: E"), ("", 0, "t", "test", "no")),
    ],
)
def test_a_junit_failure_without_a_file_is_where_its_trace_was_in_that_module(case: str, row: Row) -> None:
    assert said(junit(OK, case), 1, format_="junit") == found(row, tests=ends.Tests(2, 1))


def test_a_test_of_pytest_that_fails_in_its_teardown_too_fails_once_without_a_file() -> None:
    twice = [traced("test_a", "t", f"{where}.py:3: E") for where in ("test_a", "conftest")]
    text = junit(OK, *twice).replace('name="s"', 'name="pytest"')
    assert said(text, 1, format_="junit") == found(("test_a.py", 3, "t", "test", "no"), tests=ends.Tests(2, 1))


# --- checkstyle and rdjson --------------------------------------------------------------


def test_checkstyle_says_ignored_and_unknown_severities_apart() -> None:
    rows = "".join(
        f'<error line="{n}" severity="{word}" message="m" source="x.R"/>'
        for n, word in enumerate(("ignore", "Info", "warning", "error", "grave"), 1)
    )
    text = f'<checkstyle version="10.0"><file name="A.java">{rows}<error message="none"/></file></checkstyle>'
    assert said(text, 1, format_="checkstyle") == found(
        ("A.java", 2, "x.R", "info", "m"),
        ("A.java", 3, "x.R", "warning", "m"),
        ("A.java", 4, "x.R", "error", "m"),
        ("A.java", 5, "x.R", "error", "m"),
        ("A.java", 0, "error", "error", "none"),
    )


def test_a_diagnostic_of_a_line_has_its_own_severity_or_is_an_error() -> None:
    text = (
        '{"message": "m", "location": {"path": "a.go", "range": {"start": {"line": 14, "column": 15}}},'
        ' "severity": "WARNING", "code": {"value": "R1", "url": "https://example.com/R1"}}\n'
        '\n{"message": "n", "location": {"path": "b.go"}}\n'
    )
    assert said("> lint\n" + text, 1, format_="rdjsonl") == found(
        ("a.go", 14, "R1", "warning", "m", 15), ("b.go", 0, "error", "error", "n")
    )


def test_no_diagnostics_are_an_empty_text_or_a_source_alone() -> None:
    assert (said("", format_="rdjsonl"), said('{"source": {"name": "x"}}', format_="rdjson")) == (Clean(), Clean())


# --- tap -----------------------------------------------------------------------------


@pytest.mark.parametrize(("text", "run"), tables.literal("formats", "passing tap counts what ran"))
def test_passing_tap_counts_what_ran(text: str, run: int) -> None:
    assert said(text, format_="tap") == Clean(ends.Tests(run, 0))


def test_a_failing_subtest_stands_for_the_tests_around_it() -> None:
    text = (
        "        not ok 1 - deep\n        1..1\n    not ok 1 - middle\n    ok 2 - fine\n    1..2\nnot ok 1 - outer\n"
        "    ok 1 - part\n    1..1\nnot ok 2 - alone\n1..2\n"
    )
    assert said(text, 1, format_="tap") == found(
        ("", 0, "outer > middle > deep", "test", "failed"), ("", 0, "alone", "test", "failed"), tests=ends.Tests(4, 2)
    )


def test_a_brace_behind_the_details_of_a_failing_test_opens_its_subtests() -> None:
    text = (
        "not ok 1 - outer\n  ---\n  exitCode: 1\n  ...\n{\n    ok 1 - fine\n    not ok 2 - part\n"
        "      ---\n      at: x\n      ...\n    {\n        not ok 1 - deep\n        1..1\n    }\n"
        "    1..2\n}\n\nok 2 - last\n1..2\n"
    )
    assert said(text, 1, format_="tap") == found(
        ("", 0, "outer > part > deep", "test", "failed"), tests=ends.Tests(3, 1)
    )


@pytest.mark.parametrize(("details", "row"), tables.literal("formats", "what tap tells about a failure"))
def test_what_tap_tells_about_a_failure_is_found(details: str, row: tuple[str, int, str]) -> None:
    text = f"1..1\nnot ok 1 - t # time=12.5ms\n{details}"
    assert said(text, 1, format_="tap") == found((*row[:2], "t", "test", row[2]), tests=ends.Tests(1, 1))


# --- pytest-json and jest-json ---------------------------------------------------------------


def test_a_test_of_vitest_that_did_not_end_says_so_and_not_what_vitest_made_for_its_stack() -> None:
    stack = "Error: STACK_TRACE_ERROR\n    at test (/w/a.test.js:6:2)"
    test = {"title": "waits", "status": "failed", "duration": 205.4, "failureMessages": [stack]}
    suite = {"name": "/w/a.test.js", "status": "failed", "assertionResults": [test]}
    report = {"numTotalTests": 1, "numFailedTests": 1, "success": False, "testResults": [suite]}
    assert said(json.dumps(report), 1, format_="jest-json") == found(
        ("/w/a.test.js", 6, "waits", "test", "it did not end within 205 ms"), tests=ends.Tests(1, 1)
    )


def test_the_line_of_a_failing_jest_test_is_where_its_file_is_in_the_stack() -> None:
    test = {
        "status": "failed",
        "title": "t",
        "ancestorTitles": ["d"],
        "failureMessages": ["E: m\n    at f (/p/a.js:7:1)"],
    }
    with_location = {**test, "location": {"line": 3, "column": 1}}
    report = {"testResults": [{"name": "/p/a.js", "assertionResults": [test, with_location]}]}
    assert said(json.dumps(report), 1, format_="jest-json") == found(
        ("/p/a.js", 7, "d > t", "test", "E: m"), ("/p/a.js", 3, "d > t", "test", "E: m"), tests=ends.Tests(2, 2)
    )


# --- no evidence of work -----------------------------------------------------------------

BOMB = (
    '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa">'
    + "".join(f'<!ENTITY {b} "{f"&{a};" * 10}">' for a, b in zip("abcdefgh", "bcdefghi", strict=True))
    + "]><testsuites>&i;</testsuites>"
)
UNDONE: dict[str, list[tuple[Any, str]]] = tables.literal("formats", "undone")
WRITTEN: dict[str, list[tuple[str, str]]] = {
    "sarif": [
        (sarif(results=None), "a run has no results: nothing was looked for"),
        (sarif(invocations=[{"executionSuccessful": False}]), "the tool did not do all of its work"),
        (
            sarif(
                invocations=[
                    {
                        "executionSuccessful": True,
                        "toolExecutionNotifications": [{"level": "error", "message": {"text": "no rules"}}],
                    }
                ]
            ),
            "the tool did not do all of its work: no rules",
        ),
        (sarif() + sarif(), "more text follows the JSON object; one report is expected"),
    ],
    "junit": [
        (junit(), "no test ran"),
        (junit('<testcase name="t"><skipped/></testcase>'), "no test ran: 1 skipped"),
        (junit(OK, failures="1"), "failing tests announced, none read"),
        (BOMB, "it declares a document type: x"),
        (junit(OK) + junit(OK), "it is not XML: junk after document element: line 1, column 113"),
    ],
}


@pytest.mark.parametrize(
    ("format_", "report", "expected"),
    [(name, *row) for rows in (UNDONE, WRITTEN) for name in rows for row in rows[name]],
)
def test_without_evidence_of_work_a_report_is_broken(format_: str, report: Any, expected: str) -> None:
    text = report if isinstance(report, str) else json.dumps(report)
    assert reason(said(text, format_=format_)) == f"{format_}: {expected}"
