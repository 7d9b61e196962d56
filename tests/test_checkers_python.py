"""pyright, basedpyright, ty, bandit, unittest: where they apply, how they are called, what is no answer of theirs."""

import json
from pathlib import Path
from typing import Any

import pytest

import tables
from untilgreen import checkers
from untilgreen.checkers.checker import outcome
from untilgreen.core.model import outcome as ends  # its Tests, imported by name, would be taken for a test class
from untilgreen.core.model.outcome import Clean, Diagnostic, Found, Outcome, Output, Setting
from untilgreen.core.model.settings import Criteria
from untilgreen.project.tree.layout import Layout

SETTING = Setting("/t/tool", "/project")


def layout(project: Path, contents: dict[str, str]) -> Layout:
    for name, content in contents.items():
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        (project / name).write_text(content)
    return Layout(str(project), tuple(sorted(contents)))


def roots(name: str, project: Path, contents: dict[str, str]) -> list[str]:
    return list(checkers.get(name).roots(layout(project, contents), Criteria()))


def result(name: str, output: Output, setting: Setting = SETTING) -> Outcome:
    return outcome(checkers.get(name), output, setting)


# --- where they apply -----------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "contents", "expected"), tables.literal("checkers-python", "a checker of python applies")
)
def test_a_checker_of_python_applies_where_it_is_configured(
    tmp_path: Path, name: str, contents: dict[str, str], expected: list[str]
) -> None:
    assert roots(name, tmp_path, contents) == expected


@pytest.mark.parametrize(("contents", "expected"), tables.rows("unittest-roots", "contents", "expected"))
def test_unittest_applies_where_the_tests_are_its_and_nothing_says_pytest(
    tmp_path: Path, contents: dict[str, str], expected: dict[str, str]
) -> None:
    found, unittest = layout(tmp_path, contents), checkers.get("unittest")
    assert {root: unittest.variant(found, root) for root in unittest.roots(found, Criteria())} == expected


@pytest.mark.parametrize(
    ("name", "contents", "variant"), tables.literal("checkers-python", "the configuration says how a tool")
)
def test_the_configuration_says_how_a_tool_is_called(
    tmp_path: Path, name: str, contents: dict[str, str], variant: str
) -> None:
    assert checkers.get(name).variant(layout(tmp_path, {"a.py": "", **contents}), ".") == variant


# --- pyright --------------------------------------------------------------------


def said(*entries: Any, files: Any = 1, errors: Any = 0) -> str:
    summary = {"filesAnalyzed": files, "errorCount": errors, "warningCount": 0, "informationCount": 0}
    return json.dumps({"generalDiagnostics": entries, "summary": summary})


ENTRY = {"file": "/project/a.py", "severity": "error", "message": "m", "rule": "r"}


@pytest.mark.parametrize("severity", ["error", "unheard of"])
def test_a_finding_of_pyright_without_a_place_is_about_the_file(severity: str) -> None:
    expected = Diagnostic("pyright", "a.py", 0, "r", "error", "m")
    assert result("pyright", Output(1, said({**ENTRY, "severity": severity}), "")) == Found((expected,))


# --- ty -------------------------------------------------------------------------


def test_a_file_that_ty_crashes_on_hides_findings() -> None:
    text = "a b:c.py:3:1: fatal[panic] Panicked\nerror[io] gone\nFound 2 diagnostics\n"
    assert result("ty", Output(101, text, "")) == Found(
        (
            Diagnostic("ty", "a b:c.py", 3, "panic", "error", "Panicked", hides=True, column=1),
            Diagnostic("ty", "", 0, "io", "error", "gone", hides=True),
        )
    )


# --- bandit ---------------------------------------------------------------------


def measured(*results: Any, errors: Any = (), files: tuple[str, ...] = ("./a.py",)) -> str:
    metrics = dict.fromkeys((*files, "_totals"), "counts")
    return json.dumps({"results": results, "errors": errors, "metrics": metrics})


def test_files_that_were_named_and_are_excluded_are_clean() -> None:
    setting = SETTING._replace(files=("tests/test_a.py",))
    assert result("bandit", Output(0, measured(files=()), ""), setting) == Clean()


def test_a_file_that_bandit_could_not_read_hides_findings() -> None:
    errors = [{"filename": "./b/a.py", "reason": "Permission denied"}]
    assert result("bandit", Output(0, measured(errors=errors), "")) == Found(
        (Diagnostic("bandit", "b/a.py", 0, "unread", "error", "Permission denied", hides=True),)
    )


# --- unittest -------------------------------------------------------------------

LINE, DOUBLE = "-" * 70, "=" * 70


def ended(run: int, word: str, before: str = "") -> str:
    return f"{before}\n{LINE}\nRan {run} test{'s' * (run != 1)} in 0.001s\n\n{word}\n"


def block(kind: str, test: str, text: str) -> str:
    return f"\n{DOUBLE}\n{kind}: {test}\n{LINE}\n{text}\n"


def test_what_a_test_prints_is_no_failure_of_ours() -> None:
    inner = ended(1, "FAILED (failures=1)", block("FAIL", "test_inner (a.Inner.test_inner)", "AssertionError: inner"))
    outer = block("ERROR", "test_outer (a.Outer.test_outer) (n=1)", "Traceback (most recent call last):\nKeyError: 'x'")
    text = ended(2, "FAILED (errors=1)", "test_outer (a.Outer.test_outer) ... " + inner + outer)
    assert result("unittest", Output(1, "", text)) == Found(
        (Diagnostic("unittest", "", 0, "a.Outer::test_outer (n=1)", "test", "KeyError: 'x'"),),
        ends.Tests(run=2, failed=1),
    )


def test_a_test_of_another_kind_is_named_as_it_names_itself() -> None:
    text = ended(1, "FAILED (failures=1)", block("FAIL", "Doctest: a of b", "Failed example"))
    assert result("unittest", Output(1, "", text)) == Found(
        (Diagnostic("unittest", "", 0, "Doctest: a of b", "test", "Failed example"),), ends.Tests(run=1, failed=1)
    )
