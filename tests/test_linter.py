"""Linters that nothing reads by itself: which calls of a project are checks, and what their lines come to."""

from pathlib import Path

import pytest

from test_green import CI, workflow
from test_green_runners import chosen
from untilgreen.checkers.answer import Malformed
from untilgreen.checkers.command import LINTER as CHECKER
from untilgreen.core.model.outcome import Diagnostic, Found, Output, Setting

TOX = "[tox]\nenvlist = lint\n[testenv:lint]\ncommands =\n    {}\n"


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        (
            {"tox.ini": TOX.format("pycodestyle --ignore=E501 src tests\n    pydocstyle src")},
            ["pycodestyle --ignore=E501 src tests (tox.ini: lint)", "pydocstyle src (tox.ini: lint)"],
        ),
        ({"Makefile": "lint:\n\tpython -m pyflakes src\n\tcodespell -w\n"}, ["pyflakes src (Makefile: lint)"]),
        ({CI: workflow("cargo fmt --all -- --check")}, [f"cargo fmt --all -- --check ({CI}: check)"]),
        ({CI: workflow("cargo fmt")}, []),  # it writes
        ({CI: workflow("codespell $FILES")}, []),  # only a shell could tell
        ({CI: workflow("pyrefly init")}, []),
    ],
)
def test_a_linter_that_the_project_calls_is_a_check_by_its_exit_code(
    tmp_path: Path, files: dict[str, str], expected: list[str]
) -> None:
    # ruff is there for what cannot run, whoever chose it
    assert [one for one in chosen(tmp_path, {"a.py": "", **files}, "static") if one != "ruff"] == expected


@pytest.mark.parametrize(("word", "meets"), [("pyrefly", ("type_check",)), ("typos", ("lint_clean",))])
def test_what_looks_at_types_is_a_type_checker(word: str, meets: tuple[str, ...]) -> None:
    assert CHECKER.serves_by
    assert CHECKER.serves_by((word, "check")) == meets


@pytest.mark.parametrize(
    ("stdout", "rows"),
    [
        ("./a.py:1:11: E401 multiple imports\n", [("a.py", 1, 11, "E401", "multiple imports")]),
        ("a.py:2: teh ==> the\n", [("a.py", 2, 0, "error", "teh ==> the")]),
        ("checked 2 files\nRESULT: FAILED\n", [("", 0, 0, "exit-1", "checked 2 files\nRESULT: FAILED")]),
    ],
)
def test_lines_that_name_a_place_are_findings_and_else_the_last_lines_are_one(
    stdout: str, rows: list[tuple[str, int, int, str, str]]
) -> None:
    found = CHECKER.parse(Output(1, stdout, ""), Setting("/bin/x", "/project", call=("x",)))
    assert found == Found(
        tuple(Diagnostic("", file, line, rule, "error", text, column=column) for file, line, column, rule, text in rows)
    )


def test_a_tool_that_does_not_know_its_words_or_is_not_there_did_not_look() -> None:
    for stderr in ("usage: x\nx: error: unrecognized arguments: -z\n", "error: 'cargo-fmt' is not installed for it\n"):
        with pytest.raises(Malformed, match=r"exit code 2: .*error: "):
            CHECKER.parse(Output(2, "", stderr), Setting("/bin/x", "/project", call=("x",)))
