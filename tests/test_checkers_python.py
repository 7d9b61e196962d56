"""pyright, basedpyright, ty, bandit, unittest: where they apply, how they are called, what is no answer of theirs."""

import json
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tables
from untilgreen import checkers
from untilgreen.checkers.checker import outcome
from untilgreen.core.model import outcome as ends  # its Tests, imported by name, would be taken for a test class
from untilgreen.core.model.outcome import Broken, Clean, Diagnostic, Found, Outcome, Output, Setting
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


def empty(*files: str) -> dict[str, str]:
    return dict.fromkeys(files, "")


# --- where they apply -----------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "contents", "expected"),
    [
        ("pyright", empty("a.py", "pyrightconfig.json"), ["."]),
        ("pyright", {"a.py": "", "pyproject.toml": "[tool.pyright]\n"}, ["."]),
        ("pyright", {"a.py": "", "b/a.py": "", "b/pyproject.toml": "[tool.pyright.x]\n"}, ["b"]),
        ("pyright", {"a.ts": "", "pyproject.toml": "[tool.pyright]\n"}, []),
        ("pyright", {"a.py": "", "pyproject.toml": "[tool.pyrights]\n"}, []),
        ("pyright", {"a.py": "", "pyproject.toml": "[tool.pyright]\n[tool.basedpyright]\n"}, []),
        ("basedpyright", {"a.py": "", "pyproject.toml": "[tool.pyright]\n[tool.basedpyright]\n"}, ["."]),
        ("basedpyright", empty("a.py", "pyrightconfig.json"), []),
        ("ty", empty("a.py", "ty.toml"), ["."]),
        ("ty", {"a.pyi": "", "pyproject.toml": "[tool.ty.rules]\n"}, ["."]),
        ("ty", {"a.py": "", "pyproject.toml": "[tool.typos]\n"}, []),
        ("bandit", {"a.py": "", "pyproject.toml": "[tool.bandit]\n"}, ["."]),
        ("bandit", {"b/a.py": "", "b/.bandit": "[bandit]\n"}, ["b"]),
        ("bandit", empty("a.py", "pyproject.toml"), []),
    ],
)
def test_a_checker_of_python_applies_where_it_is_configured(
    tmp_path: Path, name: str, contents: dict[str, str], expected: list[str]
) -> None:
    assert roots(name, tmp_path, contents) == expected


@pytest.mark.parametrize(
    ("contents", "expected"),
    tables.rows("unittest-roots", "contents", "expected"),
)
def test_unittest_applies_where_the_tests_are_its_and_nothing_says_pytest(
    tmp_path: Path, contents: dict[str, str], expected: dict[str, str]
) -> None:
    found, unittest = layout(tmp_path, contents), checkers.get("unittest")
    assert {root: unittest.variant(found, root) for root in unittest.roots(found, Criteria())} == expected


# --- command lines --------------------------------------------------------------


@pytest.mark.parametrize("name", ["pyright", "basedpyright"])
def test_pyright_is_told_its_project_and_the_interpreter(name: str) -> None:
    argv = checkers.get(name).argv(SETTING._replace(interpreter="/p/python"))
    assert argv == ("/t/tool", "--outputjson", "--project", ".", "--pythonpath", "/p/python")
    assert checkers.get(name).argv(SETTING) == argv[:4]


def test_ty_is_told_the_interpreter_unless_its_configuration_names_one(tmp_path: Path) -> None:
    ty, files = checkers.get("ty"), {"a.py": ""}
    common = ("/t/tool", "check", "--output-format=concise", "--color=never", "--no-progress")
    variants = {
        said: ty.variant(layout(tmp_path / str(n), {**files, name: said}), ".")
        for n, (name, said) in enumerate(
            [
                ("ty.toml", ""),
                ("ty.toml", '[environment]\npython = ".venv"\n'),
                ("ty.toml", '[environment]\npython-version = "3.12"\n'),
                ("pyproject.toml", '[tool.ty.environment]\npython = ".venv"\n'),
            ]
        )
    }
    assert list(variants.values()) == ["", "environment", "", "environment"]
    assert ty.argv(SETTING._replace(interpreter="/p/python")) == (*common, "--python", "/p/python")
    assert ty.argv(SETTING._replace(interpreter="/p/python", variant="environment")) == common


@pytest.mark.parametrize(
    ("contents", "variant", "words"),
    [
        ({"pyproject.toml": "[tool.bandit]\n"}, "toml", ("-c", "pyproject.toml", "--exclude", "--recursive", ".")),
        ({".bandit": "[bandit]\nskips = B101\n"}, "ini", ("--ini=.bandit", "--exclude", "--recursive", ".")),
        ({".bandit": "skips: [B101]\n"}, "yaml", ("-c", ".bandit", "--exclude", "--recursive", ".")),
        (
            {".bandit": "[bandit]\nexclude: ./tests\ntargets = src\n", "pyproject.toml": "[tool.bandit]\n"},
            "ini toml exclude targets",
            ("--ini=.bandit", "-c", "pyproject.toml", "--recursive"),
        ),
    ],
)
def test_bandit_is_told_the_configuration_that_it_would_not_find(
    tmp_path: Path, contents: dict[str, str], variant: str, words: tuple[str, ...]
) -> None:
    bandit = checkers.get("bandit")
    found = bandit.variant(layout(tmp_path, {"a.py": "", **contents}), ".")
    argv = bandit.argv(SETTING._replace(variant=found))
    said = tuple("--exclude" if word.startswith("--exclude=.svn,") else word for word in argv)
    assert (found, said) == (variant, ("/t/tool", "--format=json", "--quiet", *words))


def test_bandit_looks_at_the_files_that_are_named() -> None:
    argv = checkers.get("bandit").argv(SETTING._replace(files=("a.py", "b/-c.py")))
    assert argv[-3:] == ("--", "a.py", "b/-c.py")


def test_unittest_starts_where_all_tests_are_found() -> None:
    assert checkers.get("unittest").argv(SETTING._replace(variant="tests")) == (
        "/t/tool", "-m", "unittest", "discover", "-v", "-s", "tests"
    )  # fmt: skip


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


# --- whatever is printed ----------------------------------------------------------

VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)
PLACES = st.fixed_dictionaries({"start": VALUES | st.fixed_dictionaries({"line": VALUES})})
FINDINGS = st.fixed_dictionaries(
    {}, optional={"file": VALUES, "message": VALUES, "severity": VALUES, "rule": VALUES, "range": VALUES | PLACES}
)
RESULTS = st.fixed_dictionaries(
    {}, optional={"filename": VALUES, "issue_text": VALUES, "test_id": VALUES, "line_number": VALUES, "reason": VALUES}
)
COUNTS = st.fixed_dictionaries(
    dict.fromkeys(("filesAnalyzed", "errorCount", "warningCount", "informationCount"), VALUES)
)


def kind(name: str, answer: Any, code: int = 1) -> str:
    return type(result(name, Output(code, json.dumps(answer), ""))).__name__


@given(st.fixed_dictionaries({"generalDiagnostics": VALUES | st.lists(FINDINGS | VALUES), "summary": VALUES | COUNTS}))
def test_any_json_is_an_outcome_of_pyright(answer: Any) -> None:
    assert kind("pyright", answer) in ("Found", "Broken")


@given(
    st.fixed_dictionaries(
        {
            "results": VALUES | st.lists(RESULTS | VALUES),
            "errors": VALUES | st.lists(RESULTS | VALUES),
            "metrics": VALUES | st.just({"a.py": {}}),
        }
    )
)
def test_any_json_is_an_outcome_of_bandit(answer: Any) -> None:
    assert kind("bandit", answer) in ("Found", "Broken")


PIECES = st.sampled_from(
    [
        "\n", " ", DOUBLE + "\n", LINE + "\n", "FAIL: ", "ERROR: ", "UNEXPECTED SUCCESS: ", "test_a (a.A.test_a)",
        "test_a (a.A)", "setUpClass (a.A)", "(unittest.loader._FailedTest.a)", " ... ok\n", " ... unexpected success\n",
        "Traceback (most recent call last):\n", '  File "/project/a.py", line 1\n', "E: m\n", "Ran 2 tests in 0.1s\n\n",
        "OK", "FAILED (failures=1)\n", "FAILED (failures=1, errors=1, unexpected successes=1)\n", "NO TESTS RAN",
        "OK\n", "a.py:1:2: ", "error[a] b\n", "warning[unresolved-import] b\n", "Found 1 diagnostic\n",
        "All checks passed!\n",
    ]
)  # fmt: skip


@pytest.mark.parametrize("name", ["ty", "unittest"])
@given(text=st.lists(PIECES | st.text(max_size=3), max_size=30).map("".join), code=st.integers(0, 5))
def test_any_lines_are_an_outcome_of_real_findings(name: str, text: str, code: int) -> None:
    found = result(name, Output(code, text, text))
    if isinstance(found, Found):
        assert found.diagnostics
        assert all(one.rule and one.message and one.line >= 0 for one in found.diagnostics)
        assert found.tests is None or 0 < found.tests.failed <= found.tests.run
    else:
        assert isinstance(found, Broken) or (code == 0 and isinstance(found, Clean))


@pytest.mark.parametrize("name", ["pyright", "basedpyright", "ty", "bandit", "unittest"])
@pytest.mark.parametrize(
    "piece", ["x", " ", "a (", "{", "=" * 70 + "\nFAIL: ", "-", "a: error[", "Ran 1 test in 1s\n\nOK (", "0." * 9, "=1"]
)
def test_a_megabyte_of_anything_takes_no_long_time(name: str, piece: str) -> None:
    text = piece * (1_000_000 // len(piece))
    begun = time.process_time()
    result(name, Output(1, text, ended(1, "FAILED (failures=1, unexpected successes=1)", text)))
    result(name, Output(1, text + "\nFound 1 diagnostic\n", text))
    assert time.process_time() - begun < 5
