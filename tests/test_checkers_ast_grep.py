"""ast-grep: where it applies, how it is called, what is no answer of its."""

import itertools
import json
import os
from pathlib import Path
from typing import Any

import pytest

import tables
from untilgreen import checkers
from untilgreen.checkers.answer import tail
from untilgreen.checkers.checker import outcome
from untilgreen.core.model.outcome import Broken, Clean, Diagnostic, Found, Outcome, Output, Setting
from untilgreen.core.model.settings import Criteria
from untilgreen.project.tree.layout import Layout
from world import REPOSITORY

SETTING = Setting("/t/ast-grep", "/project", variant="python")
SUMMARY = (
    "sg: summary|file: scannedFileCount={},skippedFileCount={}\n"
    "sg: summary|rule: effectiveRuleCount=63,skippedRuleCount=0\n"
)
SAID = SUMMARY.format(3, 1)


def result(stdout: str, stderr: str = SAID, code: int = 0, setting: Setting = SETTING) -> Outcome:
    return outcome(checkers.get("ast-grep"), Output(code, stdout, stderr), setting)


def entry(rule: str = "py-eval", file: Any = "a.py", line: int = 0, **fields: Any) -> dict[str, Any]:
    place = {"start": {"line": line, "column": 0}, "end": {"line": line, "column": 4}}
    return {"ruleId": rule, "file": file, "range": place, "message": "m", "severity": "error"} | fields


def finding(rule: str = "py-eval", file: str = "a.py", line: int = 1, message: str = "m") -> Diagnostic:
    return Diagnostic("ast-grep", file, line, rule, "security", message, column=1)


# --- where it applies -----------------------------------------------------------


@pytest.mark.parametrize(("files", "expected"), tables.literal("checkers-ast-grep", "it looks at the whole project"))
def test_it_looks_at_the_whole_project_where_a_file_is_to_be_looked_at(files: list[str], expected: list[str]) -> None:
    roots = checkers.get("ast-grep").roots
    layout = Layout("/project", tuple(files))
    assert (list(roots(layout, Criteria(zero_security=True))), list(roots(layout, Criteria()))) == (expected, [])


# --- how it is called -----------------------------------------------------------


def configurations(argv: tuple[str, ...]) -> list[str]:
    """The rules that a command line names."""
    return [word for before, word in itertools.pairwise(argv) if before == "--config"]


def test_it_is_given_our_rules_and_never_the_projects() -> None:
    argv = checkers.get("ast-grep").argv(SETTING)
    (configuration,) = configurations(argv)
    assert (argv[:2], argv[-1], os.path.isabs(configuration)) == (("/t/ast-grep", "scan"), ".", True)
    assert Path(configuration).read_text() == (REPOSITORY / "templates" / "rules" / "python.yml").read_text()


@pytest.mark.parametrize(
    ("variant", "files", "expected"), tables.literal("checkers-ast-grep", "only the rules of the languages")
)
def test_only_the_rules_of_the_languages_that_are_there_are_loaded(
    variant: str, files: tuple[str, ...], expected: list[str]
) -> None:
    argv = checkers.get("ast-grep").argv(SETTING._replace(variant=variant, files=files))
    assert [Path(path).stem for path in configurations(argv)] == expected
    assert (argv[0] == "/t/ast-grep") is (len(expected) == 1)


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        (["a.py", "web/b.jsx", "c.rs"], "python javascript"),
        (["main.go", "a.mts", "b.tsx"], "javascript typescript go"),
        (["a.pyi", "vendor/b.go", "dist/c.js", "d.min.js", ".e.ts"], "python"),
    ],
)
def test_a_language_is_there_where_one_of_its_files_is_looked_at(files: list[str], expected: str) -> None:
    assert checkers.get("ast-grep").variant(Layout("/project", tuple(files)), ".") == expected


def test_every_language_must_come_to_its_end() -> None:
    two = SETTING._replace(variant="python go")
    one = json.dumps([entry()]) + "\nuntilgreen: exit code 1: .\n"
    both = one + json.dumps([entry("go-sql-format", "b.go")]) + "\nuntilgreen: exit code 1: .\n"
    assert result(both, SAID + SAID, 1, two) == Found((finding(), finding("go-sql-format", "b.go")))
    broken = Broken("2 languages to look at, 1 looked at", tail(Output(1, one, SAID + SAID)))
    assert result(one, SAID + SAID, 1, two) == broken


def test_a_files_name_is_never_taken_for_an_option() -> None:
    argv = checkers.get("ast-grep").argv(SETTING._replace(files=("-c.py", "--config=x.py", "a/b.py")))
    assert argv[-3:] == ("./-c.py", "./--config=x.py", "./a/b.py")


def test_only_the_name_that_is_its_own_is_looked_for() -> None:
    checker = checkers.get("ast-grep")
    assert (checker.name, checker.programs, checker.harmless) == ("ast-grep", (), True)


# --- what it answers ------------------------------------------------------------


def test_lines_and_columns_are_counted_from_one_and_findings_stand_in_order() -> None:
    entries = [entry(file="b.py", line=4), entry("py-pickle", "a.py", 9), entry("py-eval", "./a.py", 9), entry()]
    assert result(json.dumps(entries), code=1) == Found(
        (finding(), finding("py-eval", line=10), finding("py-pickle", line=10), finding(file="b.py", line=5))
    )


def test_findings_of_rules_that_only_warn_leave_the_exit_code_zero() -> None:
    assert result(json.dumps([entry(severity="warning")])) == Found((finding(),))


def test_a_message_never_holds_the_secret_that_was_found() -> None:
    code: dict[str, Any] = {
        "text": 'password = "r00t!pw99"',
        "lines": 'password = "r00t!pw99"',
        "message": "A secret.\nr00t!pw99",
    }
    assert result(json.dumps([entry(**code)]), code=1) == Found((finding(message="A secret."),))


def test_a_suppression_of_nothing_is_no_finding() -> None:
    assert result(json.dumps([entry("unused-suppression", severity="hint")])) == Clean()


def test_what_could_not_be_opened_hides_findings() -> None:
    said = "ERROR: ./data: Permission denied (os error 13)\n" + SAID
    hidden = Diagnostic("ast-grep", "data", 0, "unreadable", "security", "Permission denied (os error 13)", hides=True)
    assert result(json.dumps([entry()]), said, code=1) == Found((finding(), hidden))


def test_a_named_file_that_is_empty_is_clean_but_a_project_of_such_files_is_not() -> None:
    skipped = SUMMARY.format(1, 1)
    reason = "every file is empty, too large or not readable: nothing was looked at"
    assert (
        result("[]", skipped, setting=SETTING._replace(files=("a.py",))),
        result("[]", skipped),
    ) == (Clean(), Broken(reason, tail(Output(0, "[]", skipped))))


@pytest.mark.parametrize(
    ("output", "reason"),
    [
        (Output(0, "[]", ""), "no word of effectiveRuleCount"),
        (Output(0, "[]", SUMMARY.format(0, 0)), "no file was scanned: nothing was looked at"),
        (Output(0, "[]", SAID.replace("=63", "=0")), "no rule was loaded: nothing was looked for"),
        (Output(0, "", SAID), "the answer is not JSON: Expecting value: line 1 column 1 (char 0)"),
        (Output(0, "{}", SAID), "the answer has another shape: it is no list"),
        (Output(1, "[]", SAID), "exit code 1 and no findings"),
        (Output(1, "[1]", SAID), "the answer has another shape: ruleId is missing"),
        (Output(1, json.dumps([entry(ruleId=None)]), SAID), "the answer has another shape: ruleId is missing"),
        (Output(1, json.dumps([entry(file=1)]), SAID), "the answer has another shape: file is no text"),
        (Output(1, "", "group 'scan' does not exist\n"), "exit code 1"),
        (Output(6, "", "Error: Cannot read it.\nHelp: …\n"), "exit code 6: Error: Cannot read it."),
        (Output(2, "", "error: unexpected argument\n"), "exit code 2: error: unexpected argument"),
        (
            Output(0, "[]", "thread '<unnamed>' panicked at scan.rs:1:2:\n" + SAID),
            "exit code 0: thread '<unnamed>' panicked at scan.rs:1:2:",
        ),
        (Output(0, "[]", "ERROR: something else\n" + SAID), "exit code 0: ERROR: something else"),
    ],
)  # fmt: skip
def test_an_answer_that_is_not_its_own_is_broken(output: Output, reason: str) -> None:
    assert outcome(checkers.get("ast-grep"), output, SETTING) == Broken(reason, tail(output))
