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
from untilgreen.checkers.answer import Malformed, tail
from untilgreen.checkers.checker import outcome
from untilgreen.checkers.js import javascript, npm_script
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


@pytest.mark.parametrize("version", but(VERSIONS, BETWEEN))
def test_every_version_has_a_clean_a_found_and_a_broken_case(version: str) -> None:
    cases = {name: f"{version}/{name}" for name in ("clean", "found", "broken")}
    kinds = {name: type(outcome(CHECKER, said(case), setting(case))) for name, case in cases.items()}
    assert kinds == {"clean": Clean, "found": Found, "broken": Broken}


@pytest.mark.parametrize("version", but(RUNNERS, BETWEEN))
def test_skipped_and_planned_tests_do_not_count_as_run(version: str) -> None:
    results = [outcome(CHECKER, said(case), setting(case)) for case in (f"{version}/clean", f"{version}/only")]
    assert results == [Clean(ends.Tests(2, 0)), Clean(ends.Tests(1, 0))]


@pytest.mark.parametrize("version", but(RUNNERS, BETWEEN))
@pytest.mark.parametrize("sample", ["empty", "skipped", "quits"])
def test_without_a_test_that_ran_nothing_is_green(version: str, sample: str) -> None:
    result = outcome(CHECKER, said(f"{version}/{sample}"), setting(f"{version}/{sample}"))
    red = isinstance(result, Found) and version.startswith("vitest") and sample == "quits"  # it stops process.exit
    assert isinstance(result, Broken) or red


@pytest.mark.parametrize("version", but(RUNNERS, BETWEEN))
def test_a_file_that_cannot_be_loaded_hides_its_tests(version: str) -> None:
    result = outcome(CHECKER, said(f"{version}/collection"), setting(f"{version}/collection"))
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
    assert (list(CHECKER.roots(layout, ASKED)), list(CHECKER.roots(layout, Criteria(preserve=True)))) == (
        expected,
        expected,
    )


def test_nobody_asks_for_tests_and_none_are_run(tmp_path: Path) -> None:
    assert list(CHECKER.roots(project(tmp_path, {"package.json": package("jest")}), Criteria())) == []


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ("npm test --workspaces", True),
        ("npm run test -ws --if-present", True),
        ("lerna run test", True),
        ("nx run-many -t test", True),
        ("pnpm -r test", True),
        ("pnpm --filter ./packages/* test", True),
        ("yarn workspaces foreach run test", True),
        ("jest", False),
        ("vitest run --reporter=verbose", False),
        ("npm test -w one", False),
    ],
)
def test_a_script_that_runs_the_workspaces_is_known(script: str, expected: bool) -> None:
    assert npm_script.runs_workspaces(script) is expected


@pytest.mark.parametrize(
    ("expected", "scripts"),
    [
        (
            "jest --bail=0",
            [
                "jest",
                "npx jest",
                "npx --no-install jest --coverage",
                "npm run build && jest",
                "tsc\njest src",
                "CI=1 NODE_OPTIONS='--experimental-vm-modules' jest 'a && b'",
                "cross-env NODE_ENV=test jest --config jest.config.json",
                "node --experimental-vm-modules node_modules/jest/bin/jest.js",
                "node ./node_modules/.bin/jest",
                "yarn jest",
                "pnpm exec jest",
                "dotenv -e .env.test -- jest",
                "jest > log.txt",
                "react-scripts test",
                "cross-env CI=1 craco test",
            ],
        ),
        ("jest", ["jest --bail", "jest -b", "jest --bail=3"]),
        ("vitest --run --bail=0", ["vitest", "vitest watch", "npx vitest --coverage", "vite build && vitest"]),
        ("vitest --bail=0", ["vitest run", "vitest --run", "c8 vitest run src"]),
        ("vitest", ["vitest run --bail 1"]),
        ("node", ["node --test", "node --test test/", "tsx --test", "c8 -r text node --import tsx --test 'a/*.ts'"]),
        ("node", ["node --test --test-reporter=spec --test-reporter-destination=stdout"]),
        ("node --test-reporter-destination=stdout", ["node --test --test-reporter=spec", "node --test --test-reporter dot"]),  # noqa: E501
        ("mocha", ["mocha", "npx mocha", "nyc --reporter=text _mocha test", "node node_modules/mocha/bin/mocha.js"]),
        ("ava", ["ava", "c8 ava --timeout=1m"]),
        ("tap", ["tap", "npm run build && tap test/*.js"]),
        ("tape", ["tape test/*.js", "node -r esm ./node_modules/.bin/tape 'test/**/*.js'"]),
        (
            "exit",
            [
                "mocha-webpack",
                "node test.js",
                "node test/tap.js",
                "jest; true",
                "jest || exit 0",
                "jest | tee log.txt",
                "(cd a && jest)",
                "jest 'never closed",
                "jest --json --outputFile=mine.json",
                "vitest run --outputFile.junit=mine.xml",
                "NODE_OPTIONS=--no-warnings node --test",
                "npm run test:unit",
                "react-scripts build",
                "PATH=1",
                "yarn",
                "&&",
            ],
        ),
    ],
)  # fmt: skip
def test_the_last_command_of_the_script_says_who_runs_the_tests(
    tmp_path: Path, expected: str, scripts: list[str]
) -> None:
    variants = {
        script: CHECKER.variant(project(tmp_path, {"a/package.json": package(script)}), "a") for script in scripts
    }
    assert variants == dict.fromkeys(scripts, expected)


SCRIPTS = {"lint": "eslint .", "lint:css": "stylelint a", "unit": "mocha a", "build": "tsc -p .", "style": "xo"}


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ("eslint . && mocha", "mocha\nmocha\n"),
        ("CI=1 node_modules/.bin/eslint . && npm exec -- xo && mocha", "mocha\nmocha\n"),
        ("npm run lint && npm run unit", "mocha\nmocha a\n"),
        ("run-s lint* unit", "mocha\nmocha a\n"),
        ("npm run build && npm run unit", "mocha\ntsc -p . && mocha a\n"),
        ("npm run build && mocha", "mocha"),  # it takes what is added at its end as it stands
        ("yarn lint && npm run build && jest 'a && b' && node more.js", "jest --bail=0\ntsc -p . && jest 'a && b'\n && node more.js"),  # noqa: E501
        ("cross-env A=1 vitest run && tsd && prettier --check .", "vitest --bail=0\ncross-env A=1 vitest run\n"),
        ("tsc --noEmit && npm run style && ava", "ava\nava\n"),
        ("tape 'test/*.js' | tap-spec", "tape\ntape 'test/*.js'\n"),
        ("eslint . && node test.js", "exit\nnode test.js\n"),
        ("eslint . && npm run unit && jest", "exit\nmocha a && jest\n"),
        ("eslint $FILES && jest", "jest --bail=0"),
        ("eslint .; mocha", "mocha"),
        ("npm run lint && npm run nowhere", "exit\nnpm run nowhere\n"),
    ],
)  # fmt: skip
def test_of_a_chain_the_tests_are_run_and_what_they_need(tmp_path: Path, script: str, expected: str) -> None:
    text = json.dumps({"scripts": {**SCRIPTS, "test": script}})
    assert CHECKER.variant(project(tmp_path, {"package.json": text}), ".") == expected


def test_what_stands_before_and_after_the_tests_is_part_of_the_chain(tmp_path: Path) -> None:
    scripts = {**SCRIPTS, "pretest": "npm run build && npm run lint", "test": "mocha", "posttest": "nyc report"}
    layout = project(tmp_path, {"package.json": json.dumps({"scripts": scripts})})
    assert CHECKER.variant(layout, ".") == "mocha\ntsc -p . && mocha\n && nyc report"


@pytest.mark.parametrize("audit", ["aud --production", "npx npm@'>=10.2' audit --production", "npm audit", "audit-ci"])
def test_what_asks_a_registry_for_known_holes_is_no_part_of_the_tests(tmp_path: Path, audit: str) -> None:
    scripts = {**SCRIPTS, "test": "tape test", "posttest": audit}
    layout = project(tmp_path, {"package.json": json.dumps({"scripts": scripts})})
    assert CHECKER.variant(layout, ".") == "tape\ntape test\n"


def test_a_script_that_only_looks_at_the_code_runs_no_tests(tmp_path: Path) -> None:
    text = json.dumps({"scripts": {**SCRIPTS, "test": "xo && npm run lint && tsc --noEmit"}})
    assert list(CHECKER.roots(project(tmp_path, {"package.json": text}), ASKED)) == []


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
        silent,
        silent,
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
        (Output(0, "", ""), Clean(ends.Tests(1, 0))),
        (Output(1, "", ""), "it printed nothing"),
        (Output(1, "1 of 2\n", ""), "1 of 2"),
        (Output(1, "1 of 2\n", "TypeError: no\n"), "TypeError: no\n1 of 2"),
        (Output(1, "x" * 400 + "\n" + "y" * 400, ""), "y" * 400),
        (Output(1, "z" * 600, ""), "z" * 500),
        (Output(1, "", "Error: first\n" + "a line\n" * 100), "Error: first\na line"),
        (
            Output(1, "not ok 1 - a\n  expected: 3\n" + "ok\n" * 30 + "FAIL b\n" + "# fail 0\n" * 30, "Failed: 0\n"),
            "not ok 1 - a\n  expected: 3\nFAIL b\n# fail 0\nFailed: 0",
        ),
        (Output(1, "".join(f"✖ {n}\n" for n in range(30)) + "ok\n" * 30, ""), "\n".join(f"✖ {n}" for n in range(20))),
    ],
)
def test_the_exit_code_of_a_script_decides_and_its_last_words_say_why(output: Output, expected: Outcome | str) -> None:
    if isinstance(expected, str):
        found = Diagnostic("npm-test", "", 0, "exit-1", "test", expected)
        expected = Found((found,), ends.Tests(1, 1))
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
VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)
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
