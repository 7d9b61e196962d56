"""`npm test`: who runs the tests, how they are asked, and what is made of the answers that were recorded."""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import archives
import tables
from cases import but
from outcomes import as_data
from shapes import VALUES
from untilgreen.checkers.answer import Malformed, tail
from untilgreen.checkers.checker import outcome
from untilgreen.checkers.js import javascript, npm_runners, npm_script
from untilgreen.checkers.js.npm_test import CHECKER
from untilgreen.core.model import outcome as ends  # its Tests, imported by name, would be taken for a test class
from untilgreen.core.model.outcome import Broken, Clean, Diagnostic, Found, Outcome, Output, Setting
from untilgreen.core.model.settings import Criteria
from untilgreen.project.tree.layout import Layout

VARIANTS: dict[str, dict[str, str]] = json.loads((archives.OUTPUTS / "npm-test" / "settings.json").read_text())
CASES = archives.cases("npm-test")
VERSIONS = sorted({case.partition("/")[0] for case in CASES})


def numbers(version: str) -> tuple[str, list[int]]:
    """A version's runner, and its number to compare."""
    runner, _, number = version.rpartition("-")
    return runner, [int(part) for part in number.split(".")]


# between the oldest and the newest of a runner: the others show more of the same
BETWEEN = {
    one
    for one in VERSIONS
    if min(same := [other for other in VERSIONS if numbers(other)[0] == numbers(one)[0]], key=numbers) != one
    and max(same, key=numbers) != one
}
RUNNERS = [version for version in VERSIONS if not version.startswith("npm")]
ASKED = Criteria(test_pass=True)
JEST, VITEST, NODE = (Setting("/bin/npm", "/project", variant=name) for name in ("jest", "vitest", "node"))
SCRIPT = Setting("/bin/npm", "/project", variant="exit")


def said(case: str) -> Output:
    case = f"npm-test/{case}"
    stdout, stderr, report = (archives.text(case, part) for part in ("stdout", "stderr", "report.xml"))
    return Output(int(archives.text(case, "code")), stdout, stderr, report=report)


def setting(case: str) -> Setting:
    return Setting("/bin/npm", "/project", variant=VARIANTS[case]["variant"])


# --- recorded answers -----------------------------------------------------------


@pytest.mark.parametrize("case", but(CASES, {case for case in CASES if case.partition("/")[0] in BETWEEN}))
def test_recorded_output_of_npm_test_ends_as_the_recorded_outcome(case: str) -> None:
    expected = json.loads(archives.text(f"npm-test/{case}", "outcome.json"))
    assert as_data(outcome(CHECKER, said(case), setting(case))) == expected


def test_every_sample_is_recorded_for_every_version_of_every_runner() -> None:
    samples = archives.samples("npm-test")
    assert sorted(f"{version}/{sample}" for version in VERSIONS for sample in samples) == CASES
    assert sorted(VARIANTS) == CASES


def ended(version: str, sample: str) -> Outcome:
    return outcome(CHECKER, said(f"{version}/{sample}"), setting(f"{version}/{sample}"))


@pytest.mark.parametrize("version", but(VERSIONS, BETWEEN))
def test_every_version_has_a_clean_a_found_and_a_broken_case(version: str) -> None:
    assert [type(ended(version, name)) for name in ("clean", "found", "broken")] == [Clean, Found, Broken]


@pytest.mark.parametrize("version", but(RUNNERS, BETWEEN))
def test_tests_that_are_skipped_or_hidden_do_not_count_as_run_and_none_that_ran_is_never_green(version: str) -> None:
    assert [ended(version, one) for one in ("clean", "only")] == [Clean(ends.Tests(2, 0)), Clean(ends.Tests(1, 0))]
    quits = Found if version.startswith("vitest") else Broken  # it stops process.exit
    assert [type(ended(version, one)) for one in ("empty", "skipped", "quits")] == [Broken, Broken, quits]
    # a file that cannot be loaded hides its tests
    result = ended(version, "collection")
    assert isinstance(result, Found)
    hiding = {one.file for one in result.diagnostics if one.hides and one.rule == "collection"}
    one = version.partition("-")[0] in ("mocha", "ava", "tap", "tape")  # their samples hold one such file
    assert hiding >= ({"syntax.test.js"} if one else {"missing.test.js", "syntax.test.js", "top.test.js"})
    assert all(one.hides for one in result.diagnostics)


# --- where it applies -----------------------------------------------------------


def project(folder: Path, files: Mapping[str, str]) -> Layout:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return Layout(str(folder), sorted(files))


def package(script: str = "", **more: Any) -> str:
    return json.dumps({"name": "p", **more, **({"scripts": {"test": script}} if script else {})})


@pytest.mark.parametrize(
    ("files", "expected"),
    tables.rows("npm-test-roots", "files", "expected"),
)
def test_tests_are_run_where_there_is_a_script_for_them(
    tmp_path: Path, files: dict[str, str], expected: list[str]
) -> None:
    layout = project(tmp_path, files)
    asked = (ASKED, Criteria(preserve=True), Criteria())  # nobody asks for tests in the last
    assert [list(CHECKER.roots(layout, one)) for one in asked] == [expected, expected, []]


def test_a_script_that_runs_the_workspaces_is_known() -> None:
    theirs = ["npm test --workspaces", "npm run test -ws --if-present", "lerna run test", "nx run-many -t test"]
    theirs += ["pnpm -r test", "pnpm --filter ./packages/* test", "yarn workspaces foreach run test"]
    others = ["jest", "vitest run --reporter=verbose", "npm test -w one"]
    assert [one for one in theirs + others if npm_script.runs_workspaces(one)] == theirs


@pytest.mark.parametrize(("expected", "scripts"), tables.rows("npm-runners", "expected", "scripts"))
def test_the_last_command_of_the_script_says_who_runs_the_tests(
    tmp_path: Path, expected: str, scripts: list[str]
) -> None:
    layouts = (project(tmp_path, {"a/package.json": package(script)}) for script in scripts)
    assert [CHECKER.variant(layout, "a") for layout in layouts] == [expected] * len(scripts)


SCRIPTS = {"lint": "eslint .", "lint:css": "stylelint a", "unit": "mocha a", "build": "tsc -p .", "style": "xo"}


# where others are tests, or what tests need, they are part of the chain; what asks a registry for known holes is none
@pytest.mark.parametrize(("scripts", "expected"), tables.rows("npm-chains", "scripts", "expected"))
def test_of_a_chain_the_tests_are_run_and_what_they_need(
    tmp_path: Path, scripts: dict[str, str], expected: str
) -> None:
    text = json.dumps({"scripts": {**SCRIPTS, **scripts}})
    assert CHECKER.variant(project(tmp_path, {"package.json": text}), ".") == expected


@given(st.dictionaries(st.sampled_from(["test", "pretest", "a"]), st.text() | st.sampled_from(["npm run a", "npm t"])))
def test_any_scripts_have_parts(scripts: dict[str, str]) -> None:
    assert all(text.strip() or not text for text, _ in npm_script.parts(scripts))


@pytest.mark.parametrize(
    ("workspaces", "fitting"),
    [
        (["packages/*"], ["packages/a"]),
        (["packages/**"], ["packages/a", "packages/b/c"]),
        (["./packages/a/", "x"], ["packages/a"]),
        ({"packages": ["packages/*"]}, ["packages/a"]),
        (["packages/**", "!packages/b/*"], ["packages/a"]),
        (["packages/{a,d}"], ["packages/a", "packages/b/c", "packagesXa"]),  # rather one too many than one too few
        (["packages/*", "!packages/{x,y}"], ["packages/a"]),
        (["packages/**", "!**/b/**"], ["packages/a"]),
        (["packages.a"], []),
        ("packages/a", []),
        ([1], []),
    ],
)
def test_workspaces_are_those_that_a_pattern_fits(tmp_path: Path, workspaces: Any, fitting: list[str]) -> None:
    layout = project(tmp_path, {"package.json": package(workspaces=workspaces)})
    folders = ["packages/a", "packages/b/c", "packagesXa"]
    assert [folder for folder in folders if javascript.has_workspace(layout, ".", folder)] == fitting


@given(
    st.text() | st.lists(st.sampled_from(["jest", "&&", "node", "--test", "'", "npx", "\n", "A=b", "("])).map(" ".join)
)
def test_any_script_has_somebody_who_runs_it(script: str) -> None:
    assert npm_script.runner(script).split()[0] in ("jest", "vitest", "mocha", "ava", "tap", "tape", "node", "exit")


# --- command lines --------------------------------------------------------------


def test_each_runner_is_asked_for_a_report_in_its_own_words() -> None:
    def argv(variant: str) -> tuple[str, ...]:
        return CHECKER.argv(Setting("/bin/npm", "/project", report="/tmp/r 1", variant=variant))

    silent = ("/bin/npm", "test", "--silent")
    watching = ("--watch=false", "--watchAll=false")
    reporter = (Path(npm_script.__file__).parent / "node_reporter.mjs").as_uri()
    ours = str(Path(npm_script.__file__).parent / "mocha_reporter.cjs")
    variants = ("mocha", "ava", "tap", "tape")
    assert [argv(variant) for variant in variants] == [
        (*silent, "--", "--reporter", ours, "--reporter-options", "output=/tmp/r 1"),
        (*silent, "--", "--tap", "--no-fail-fast"),
        (*silent, "--", "--reporter=tap", "--no-bail"),
        silent,
    ]
    assert [argv(variant) for variant in ("", "exit", "jest --bail=0", "vitest --run", "node --x=y")] == [
        (*silent[:2], "--no-update-notifier"),
        (*silent[:2], "--no-update-notifier"),
        (*silent, "--", "--json", "--ci", "--testLocationInResults", *watching, "--outputFile=/tmp/r 1", "--bail=0"),
        (*silent, "--", "--reporter=default", "--reporter=json", "--outputFile.json=/tmp/r 1", "--run"),
        (*silent, f'--node-options="--test-reporter={reporter}" "--test-reporter-destination=/tmp/r 1" "--x=y"'),
    ]


def test_a_part_of_a_chain_is_run_by_npm_with_its_environment() -> None:
    asked = Setting("/bin/npm", "/project", report="/tmp/r 1", variant="tap\ntsc && tap a\n && nyc report")
    assert CHECKER.argv(asked) == (
        "/bin/npm",
        "exec",
        "--silent",
        "-c",
        "unset npm_config_call; tsc && tap a --reporter=tap --no-bail && nyc report",
    )
    ours = CHECKER.argv(NODE._replace(variant="node\nnode --test\n"))
    assert ours[2:] == ("exec", "--silent", "-c", "unset npm_config_call; node --test")


ONE, TWO, THROWN = "sum.spec.js", "sum.test.js", "AssertionError [ERR_ASSERTION]: "
EQUAL = f"{THROWN}Expected values to be strictly equal:; -1 !== 3"
DEEP = "Expected values to be strictly deep-equal:; + actual - expected; "
FALSY = f"{THROWN}The expression evaluated to a falsy value:; assert.ok(!settings.markSymbolicLink)"
NULL = "TypeError: Cannot read properties of null (reading 'x')"


@pytest.mark.parametrize(
    ("case", "tests", "found"),
    [
        (
            "pnpm-10.33-vitest-3.2.4",
            (138, 2),
            [
                (
                    "packages/core/test/prompts/autocomplete.test.ts",
                    70,
                    "AutocompletePrompt > cursor navigation with event emitter",
                    "AssertionError: expected 4 to equal 1; - Expected; + Received; - 1; + 4",
                ),
                (
                    "packages/core/test/prompts/multi-select.test.ts",
                    59,
                    "MultiSelectPrompt > cursor > cursor loops around",
                    "AssertionError: expected 1 to equal 2; - Expected; + Received; - 2; + 1",
                ),
            ],
        ),
        (
            "pnpm-10.34-jest-29.7.0",
            (4, 3),
            [
                (
                    "packages/a/test/a.test.js",
                    2,
                    "double \u203a of two",
                    "expect(received).toBe(expected) // Object.is equality; Expected: 4; Received: 6",
                ),
                ("packages/a/test/a.test.js", 3, "throws", "TypeError: bad"),
                (
                    "packages/a/test/b.test.js",
                    0,
                    "collection",
                    "SyntaxError: /project/packages/a/test/b.test.js: Missing semicolon. (1:6)",
                ),
            ],
        ),
        (
            "uvu-0.5.6",
            (84, 2),
            [
                (
                    "tests/sirv.mjs",
                    954,
                    'ranges should send the requested "Range" slice :: start',
                    "Expected values to be strictly equal:  (is); ++206    (Expected); --200    (Actual)",
                ),
                (
                    "tests/sirv.mjs",
                    971,
                    'ranges should send the requested "Range" slice :: middle',
                    "Expected values to be strictly equal:  (is); ++206    (Expected); --200    (Actual)",
                ),
            ],
        ),
        *(
            (
                case,
                (7, 5),
                [
                    (f"packages/b/test/{TWO}", 9, "sum > adds", "Expected values to be strictly equal:; -1 !== 3"),
                    (f"packages/b/test/{TWO}", 13, "adds lists", f"{DEEP}[; +   -1,; -   3,; 4; ]"),
                    (f"packages/a/test/{ONE}", 17, "sum > throws", NULL),
                    (f"packages/a/test/{ONE}", 10, "sum > of two > adds", f"{EQUAL}; + expected - actual; --1; +3"),
                    (
                        f"packages/a/test/{ONE}",
                        13,
                        "sum > of two > adds lists",
                        f"{THROWN}{DEEP}[; +   -1,; -   3,; 4; ]; + expected - actual; [; -  -1; +  3; 4; ]",
                    ),
                ],
            )
            for case in ("turbo-2.11-mocha-11.8", "nx-21.6-mocha-11.8")
        ),
        (
            "lerna-lite-3.10-mocha-10.8",
            (36, 1),
            [
                (
                    "packages/fs/fs.stat/out/settings.spec.js",
                    13,
                    "Settings > should return instance with default values",
                    f"{FALSY}; + expected - actual; -false; +true",
                )
            ],
        ),
        (
            "node-22.23-spec",
            (3, 2),
            [
                (f"packages/b/test/{TWO}", 9, "adds", EQUAL),
                (f"packages/b/test/{TWO}", 13, "adds lists", f"{THROWN}{DEEP}[; +   -1,; -   3,; 4; ]"),
            ],
        ),
    ],
)
def test_what_runners_print_below_a_script_of_other_programs_is_told_by_test(
    case: str, tests: tuple[int, int], found: list[tuple[str, int, str, str]]
) -> None:
    text = (Path(__file__).parent / "values" / f"printed-{case}.txt").read_text(encoding="utf-8")
    told = [Diagnostic("npm-test", file, line, rule, "test", message) for file, line, rule, message in found]
    told = [one._replace(hides=one.rule == "collection") for one in told]
    assert outcome(CHECKER, Output(1, text, ""), SCRIPT) == Found(tuple(told), ends.Tests(*tests, "printed"))


def test_what_fails_behind_the_tests_is_told_by_its_exit_code() -> None:
    case = "mocha-12.0.3/clean"
    behind = said(case)._replace(code=4, stderr="ERROR: Coverage is low\n")
    asked = setting(case)._replace(variant="mocha\nmocha\n && nyc check-coverage")
    found = Diagnostic("npm-test", "", 0, "exit-4", "test", "ERROR: Coverage is low")
    assert outcome(CHECKER, behind, asked) == Found((found,), ends.Tests(3, 1))


# --- answers that are none ------------------------------------------------------


@pytest.mark.parametrize(
    ("asked", "output", "expected"),
    [
        (JEST, Output(0, "", ""), "exit code 0, but no report was written"),
        (NODE, Output(0, "", "", " \n"), "exit code 0, but no report was written"),
        (VITEST, Output(1, "", ""), "exit code 1"),
        (VITEST, Output(1, "out\n", "Error: one\nError: two\n    at a.js\n"), "exit code 1: Error: two"),
        (JEST, Output(127, "", "sh: 1: jest: not found\n"), "exit code 127: sh: 1: jest: not found"),
        (JEST, Output(1, "", "only words\n"), "exit code 1: only words"),
        (JEST, Output(1, "", "\x1b[31m● Validation Error:\x1b[39m\n\n  Bad.\n\n  More."), "exit code 1: ● Validation Error: Bad."),  # noqa: E501
        (JEST, Output(0, "", "", "{}"), "the answer has another shape: testResults is missing"),
        (JEST, Output(0, "", "", '{"testResults": []}'), "no test ran"),
        (NODE, Output(0, "", "", '{"end": true}\n'), "no test ran"),
        (NODE, Output(0, "", "", '{"name": "a", "nesting": 0, "status": "pass"}\n'), "the report ends early"),
        (NODE, Output(0, "", "", '{"name": "a", "status": "pass"}\n{"end": true}\n'), "the answer has another shape: nesting is missing"),  # noqa: E501
        (NODE, Output(0, "", "", '{"nesting": 0}\n{"end": true}\n'), "a test has another status:"),
        (SCRIPT, Output(126, "", "sh: 1: a: Permission denied\n"), "exit code 126: sh: 1: a: Permission denied"),
        (SCRIPT, Output(-9, "", ""), "ended by signal 9"),
    ],
)  # fmt: skip
def test_an_answer_without_evidence_is_broken(asked: Setting, output: Output, expected: str) -> None:
    assert outcome(CHECKER, output, asked) == Broken(expected, tail(output))


@pytest.mark.parametrize(
    ("output", "expected"),
    [
        (Output(0, "", ""), Clean(ends.Tests(1, 0, ends.SOME))),
        (Output(1, "", ""), "it printed nothing"),
        (Output(1, "1 of 2\n", ""), "1 of 2"),
        (Output(1, "1 of 2\n", "TypeError: no\n"), "TypeError: no\n1 of 2"),
        (Output(1, "x" * 400 + "\n" + "y" * 400, ""), "y" * 400),
        (Output(1, "z" * 600, ""), "z" * 500),
        (Output(1, "", "Error: first\n" + "a line\n" * 100), "Error: first\na line"),
        (
            Output(1, "not ok 1 - a\n  expected: 3\n" + "ok\n" * 30 + "FAIL b\n" + "# fail 0\n" * 30, "Failed: 0\n"),
            "Failed: 0\nnot ok 1 - a\n  expected: 3\nFAIL b\n# fail 0",
        ),
        (
            Output(1, "", "AssertionError: not equal\n" + "same\n" * 9 + "".join(map("+ {}\n".format, range(30)))),
            "AssertionError: not equal\nsame\n" + "\n".join(f"+ {n}" for n in range(12, 30)),
        ),
        (Output(1, "".join(f"✖ {n}\n" for n in range(30)) + "ok\n" * 30, ""), "\n".join(f"✖ {n}" for n in range(20))),
    ],
)
def test_the_exit_code_of_a_script_decides_and_its_last_words_say_why(output: Output, expected: Outcome | str) -> None:
    if isinstance(expected, str):
        found = Diagnostic("npm-test", "", 0, "exit-1", "test", expected)
        expected = Found((found,), ends.Tests(1, 1, ends.SOME))
    assert outcome(CHECKER, output, SCRIPT) == expected


def test_failing_tests_are_found_whatever_the_script_makes_of_the_exit_code() -> None:
    case = "jest-30.5.2/found"
    quiet = said(case)._replace(code=0)
    assert outcome(CHECKER, quiet, setting(case)) == outcome(CHECKER, said(case), setting(case))


def test_tests_of_one_name_in_one_file_are_counted_each() -> None:
    event = '{"name": "a", "nesting": 0, "file": "/project/a.js", "line": %d, "status": "%s"}\n'
    report = event % (1, "pass") + event % (2, "fail") + event % (3, "fail") + '{"end": true}\n'
    assert outcome(CHECKER, Output(1, "", "", report), NODE) == Found(
        tuple(Diagnostic("npm-test", "a.js", line, "a", "test", "failed") for line in (2, 3)),
        ends.Tests(run=3, failed=2),
    )


def test_a_file_that_cannot_load_another_names_the_place_that_is_wrong() -> None:
    event = {"name": "b.test.js", "nesting": 0, "file": "/project/b.test.js", "line": 1, "status": "fail"}
    said = "/project/lib/sum.js:2\n\n\nSyntaxError: Unexpected end of input\n    at wrapSafe (node:internal/a:1:2)\n"
    said += "    at Object.<anonymous> (/project/b.test.js:3:17)\n\nNode.js v20.20.2\n"
    report = f'{json.dumps({**event, "whole": True, "exit": 1, "said": said})}\n{{"end": true}}\n'
    told = "SyntaxError: Unexpected end of input at /project/lib/sum.js:2"
    found = Diagnostic("npm-test", "b.test.js", 3, "collection", "test", told, hides=True)
    assert outcome(CHECKER, Output(1, "", "", report), NODE) == Found((found,), ends.Tests(1, 1))


def test_what_vitest_cuts_to_a_line_in_its_report_is_told_with_its_diff() -> None:
    text = (Path(__file__).parent / "values" / "printed-vitest-4.1.12-cut.txt").read_text(encoding="utf-8")
    lists = "AssertionError: expected [ [ { a: 1, …(2) } ] ] to deeply equal [ [ { a: 1, …(2) } ] ]"
    looks = "Error: Snapshot `looks 1` mismatched"
    tests = [
        {"status": "failed", "title": title, "ancestorTitles": [], "failureMessages": [f"{said}\n    at {at}:{line}:9"]}
        for at, title, said, line in (
            ("/project/a.test.js", "lists", lists, 4),
            ("/project/a.test.js", "looks", looks, 7),
        )
    ]
    suite = {"assertionResults": tests, "status": "failed", "message": "", "name": "/project/a.test.js"}
    report = json.dumps({"testResults": [suite], "numTotalTests": 2, "success": False})
    diff = '"a": 1,; "b": {; "c": [; 1,; 2,; -           3,; +           4,; ],; },'
    diff += '; "d": "a long text that does not fit in here",; },; ],'
    told = (
        f"{lists}; - Expected; + Received; @@ -4,11 +4,11 @@; {diff}",
        f"{looks}; - Expected; + Received; [; 1,; 2,; -   3,; +   4,; ]",
    )
    found = [
        Diagnostic("npm-test", "a.test.js", line, rule, "test", message)
        for line, rule, message in ((4, "lists", told[0]), (7, "looks", told[1]))
    ]
    assert outcome(CHECKER, Output(1, text, "", report), VITEST) == Found(tuple(found), ends.Tests(2, 2))


def test_a_report_in_colours_reads_as_one_without() -> None:
    case = "jest-30.5.2/collection"
    plain = said(case)
    coloured = plain._replace(report=plain.report.replace("● Test suite", "\\u001b[1m● \\u001b[22mTest suite"))
    assert coloured != plain
    assert outcome(CHECKER, coloured, setting(case)) == outcome(CHECKER, plain, setting(case))


# --- whatever is answered -------------------------------------------------------

REPORTS = sorted({said(case).report for case in CASES})
PIECES = st.tuples(st.sampled_from(REPORTS), st.integers(0, 3000), st.integers(0, 60), st.text(max_size=20))
GARBLED = st.text() | PIECES.map(lambda p: p[0][: p[1]] + p[3] + p[0][p[1] + p[2] :])
EVENTS = st.dictionaries(
    st.sampled_from(["name", "nesting", "status", "file", "line", "suite", "failure", "whole", "message", "said"]),
    VALUES | st.sampled_from(["pass", "fail", "skipped", 0, 1]),
)


@given(
    st.sampled_from([JEST, VITEST, NODE, SCRIPT]),
    st.builds(Output, st.integers(-2, 6), stdout=st.text(), stderr=st.text(), report=GARBLED),
)
def test_any_report_is_an_outcome_within_bounds(asked: Setting, output: Output) -> None:
    check_bounds(outcome(CHECKER, output, asked))


@given(st.integers(0, 1), st.lists(EVENTS))
def test_any_events_of_node_are_an_outcome(code: int, events: list[Any]) -> None:
    report = "".join(json.dumps(event) + "\n" for event in [*events, {"end": True}])
    check_bounds(outcome(CHECKER, Output(code, "", "", report), NODE))


def check_bounds(result: Outcome) -> None:
    if isinstance(result, Broken):
        assert (bool(result.reason), "\n" in result.reason, len(result.reason) <= 500) == (True, False, True)
    elif isinstance(result, Found):
        for one in result.diagnostics:
            assert (one.check, one.severity, one.line >= 0, bool(one.rule)) == ("npm-test", "test", True, True)
            assert len(one.message) <= 500
        assert result.tests is not None
        assert result.tests.run >= result.tests.failed >= len(result.diagnostics)


@pytest.mark.parametrize("version", but(RUNNERS, BETWEEN))
@given(data=st.data())
def test_a_report_that_was_cut_is_never_clean(version: str, data: st.DataObject) -> None:
    answer, asked = said(f"{version}/clean"), setting(f"{version}/clean")
    *_, last = [len(answer.stdout), *(one.start() for one in re.finditer(r"(?m)^(?:1\.\.|ok|not ok)", answer.stdout))]
    whole = answer.report.rstrip() or answer.stdout[:last]
    cut = whole[: data.draw(st.integers(0, len(whole) - 1))]
    assert isinstance(outcome(CHECKER, Output(0, cut, "", cut), asked), Broken)


@pytest.mark.parametrize("text", ["[" * 100_000, '{"testResults": ' + "[" * 100_000, '{"a": ' + "9" * 5_000 + "}"])
@pytest.mark.parametrize("asked", [JEST, NODE])
def test_a_report_that_a_parser_chokes_on_is_malformed(asked: Setting, text: str) -> None:
    with pytest.raises(Malformed):
        CHECKER.parse(Output(0, "", "", text), asked)


def test_each_runner_is_asked_for_some_tests_as_it_takes_them() -> None:
    wanted = [ends.TestId("test/sum.test.js", "the (sum) > adds"), ends.TestId("test/sum.test.js", "is there")]
    both = r"^\s*(?:the\s+\(sum\)\s+(?:>\s+)?adds|is\s+there)\s*$"
    assert {name: npm_runners.chosen(name, wanted) for name in ("jest", "vitest", "mocha", "tap", "ava", "node")} == {
        "jest": (r"(?:^|/)test/sum\.test\.js$", "-t", both),
        "vitest": ("test/sum.test.js", "-t", both),
        "mocha": ("--grep", both),
        "tap": (r"--grep=/^\s*(?:the\s+\(sum\)|is\s+there)\s*$/",),
        "ava": ("--match=the (sum) > adds", "--match=is there"),
        "node": (),
    }
