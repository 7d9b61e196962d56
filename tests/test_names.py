"""The tests of a run by name: the same one has the same name in every run, whatever comes of it."""

import json

import pytest

import archives
from test_checkers import CASES, recorded
from untilgreen import checkers
from untilgreen.checkers import naming
from untilgreen.checkers.answer import Malformed
from untilgreen.checkers.checker import outcome
from untilgreen.core.model.outcome import Clean, Diagnostic, Found, Names
from untilgreen.core.model.outcome import TestId as Name  # a name that pytest takes for no class of tests

RUNNERS = {
    **{name: f"{name}/" for name in ("pytest", "unittest", "django-test", "go-test", "cargo-test")},
    **{name: f"npm-test/{name}-" for name in ("jest", "vitest", "node", "mocha", "ava", "tap", "tape", "npm")},
}
# two tests of one name, which are one
TWINS = ("npm-test/jest", "npm-test/vitest", "npm-test/node", "npm-test/mocha", "npm-test/tape", "cargo-test/")
NAMING = [name for name in checkers.NAMES if checkers.get(name).stage == "tests"]


def names_of(case: str) -> Names | None:
    checker, said, setting = recorded(case)
    try:
        return checker.runner.names(said, setting)
    except Malformed:
        return None


@pytest.mark.parametrize("case", [case for case in CASES if case.partition("/")[0] in NAMING])
def test_the_names_of_a_recorded_run_agree_with_its_outcome(case: str) -> None:
    result, names = outcome(*recorded(case)), names_of(case)
    if names is None or not isinstance(result, Clean | Found) or result.tests is None:
        return
    found = result.diagnostics if isinstance(result, Found) else ()
    failing = [one for one in found if not one.hides and not one.rule.startswith(("exit-", "suite"))]
    ran = len(names.passed) + len(names.failed) + case.startswith(TWINS) * case.endswith("/found")
    if not any(one.hides for one in found):
        assert ran + len(found) - len(failing) == result.tests.run
    assert ran <= result.tests.run
    matched = {naming.name_of(one, names) for one in failing}
    assert matched <= {*names.failed}
    if not case.startswith("go-test/"):  # which names what failed for its subtests, too
        assert matched == {*names.failed} or len(failing) < len(found)


def test_no_more_names_are_kept_than_fifty_thousand() -> None:
    tests = [("passed", Name("test_a.py", f"test_{number}")) for number in range(naming.MOST + 1)]
    assert naming.told(tests) is None
    kept = naming.told(tests[1:])
    assert kept is not None
    assert len(kept.passed) == naming.MOST


def test_of_several_tests_of_one_name_one_that_failed_counts() -> None:
    one, two, three = (Name("a.py", name) for name in "abc")
    ends = (("passed", one), ("passed", two), ("failed", one), *(("skipped", test) for test in (one, two, three)))
    assert naming.told(ends) == Names((two,), (one,), (three,))
    assert naming.told(()) is None


@pytest.mark.parametrize(
    ("file", "rule", "names", "expected"),
    [
        pytest.param("a.py", "test_a", [("a.py", "test_a"), ("b.py", "test_a")], ("a.py", "test_a"), id="its file"),
        pytest.param("helping.py", "test_a", [("a.py", "test_a")], ("a.py", "test_a"), id="failed elsewhere"),
        pytest.param("x.py", "test_a", [("a.py", "test_a"), ("b.py", "test_a")], None, id="either of two"),
        pytest.param("p/a_test.go", "TestA", [("p", "TestA"), ("q", "TestA")], ("p", "TestA"), id="a package"),
        pytest.param("a.py", "A::test_a (n=1)", [("a.py", "A::test_a")], ("a.py", "A::test_a"), id="a sub-test"),
        pytest.param("", "m.A::test_a", [("m.py", "A::test_a")], ("m.py", "A::test_a"), id="no file"),
        pytest.param("a.py", "test_b", [("a.py", "test_a")], None, id="another"),
    ],
)
def test_a_finding_is_about_a_failing_test_or_nothing_is_said(
    file: str, rule: str, names: list[tuple[str, str]], expected: tuple[str, str] | None
) -> None:
    found = Diagnostic("pytest", file, 1, rule, "test", "failed")
    known = Names(failed=tuple(Name(*one) for one in names))
    assert naming.name_of(found, known) == (expected and Name(*expected))


@pytest.mark.parametrize("runner", RUNNERS)
def test_every_version_of_a_runner_names_the_same_tests(runner: str) -> None:
    cases = [case for case in CASES if case.startswith(RUNNERS[runner]) and case.endswith(("/found", "/clean"))]
    named: dict[str, list[object]] = {"found": [], "clean": []}
    for case in cases:
        names = names_of(case)
        named[case.rpartition("/")[2]].append(names and [sorted(map("::".join, tests)) for tests in names])
    found, clean = named["found"], named["clean"]
    assert (found, clean) == ([found[0]] * len(found), [clean[0]] * len(clean))
    assert {"found": found[0], "clean": clean[0]} == json.loads((archives.OUTPUTS / "names.json").read_text("utf-8"))[
        runner
    ]
