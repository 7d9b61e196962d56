"""The scripts of package.json that look at the code, and which of them become checks of their own."""

import json
import time
from collections.abc import Mapping
from pathlib import Path

import pytest

import tables
from untilgreen.checkers import time_limit
from untilgreen.checkers.command import NPM_SCRIPT as CHECKER
from untilgreen.checks.plan import roots, scripts
from untilgreen.core.model.outcome import Clean, Diagnostic, Found, Output, Setting
from untilgreen.core.model.settings import Criteria
from untilgreen.project.tools import Tool
from untilgreen.project.tree.layout import Layout

NPM = Setting("/bin/npm", "/project")


def unread(folder: Path, files: Mapping[str, str]) -> list[tuple[str, str, str]]:
    """The checks by exit code of a project with these files: words, folder, source."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    found = scripts.read(str(folder), tuple(sorted(files)))
    return [(" ".join(one.words[1:]), one.folder, one.source) for one in found if one.words[0] == "npm-script"]


def package(**named: str) -> str:
    return json.dumps({"name": "p", "scripts": {name.replace("_", ":"): text for name, text in named.items()}})


@pytest.mark.parametrize(("named", "expected"), tables.literal("scripts", "what no checker reads is run"))
def test_what_no_checker_reads_is_run_as_it_stands(tmp_path: Path, named: dict[str, str], expected: list[str]) -> None:
    found = unread(tmp_path, {"package.json": package(**named)})
    assert [f"{words} ({source})" for words, _, source in found] == expected


def test_a_script_that_ci_calls_is_one_check(tmp_path: Path) -> None:
    ci = "on: push\njobs:\n  check:\n    steps:\n      - run: npm run lint:css\n      - run: npm run lint:css\n"
    files = {"package.json": package(lint_css="stylelint css"), ".github/workflows/ci.yml": ci}
    assert unread(tmp_path, files) == [("npm run lint:css", ".", "package.json: lint:css")]


def test_what_a_package_looks_at_before_its_tests_counts_unless_it_is_looked_at_from_above(tmp_path: Path) -> None:
    inner = package(test="stylelint css && eslint . && mocha")
    files = {"package.json": '{"workspaces": ["a"]}', "a/package.json": inner, "eslint.config.js": "", "a/a.js": ""}
    assert unread(tmp_path, files) == [("stylelint css", "a", "a/package.json: test")]
    assert not [
        one for one in scripts.read(str(tmp_path), tuple(files)) if one.words[0] == "eslint" and one.folder != "$"
    ]


def test_npm_runs_the_script_or_the_rest_of_it() -> None:
    whole, rest = ("npm", "run", "lint:css"), ("stylelint", "a b")
    assert [CHECKER.argv(NPM._replace(call=call)) for call in (whole, rest)] == [
        ("/bin/npm", "run", "lint:css"),
        ("/bin/npm", "exec", "--silent", "-c", "unset npm_config_call; stylelint 'a b'"),
    ]
    assert [CHECKER.title(call) for call in (whole, rest) if CHECKER.title] == ["npm-lint:css", "npm-stylelint"]


def test_a_failing_script_is_its_last_lines_without_those_that_say_ok() -> None:
    lines = "".join(f"ok {number} - fine\n" for number in range(30)) + "not ok 31 - bad\n  ✓ good\n"
    assert CHECKER.parse(Output(0, lines, ""), NPM) == Clean()
    found = Diagnostic("", "", 0, "exit-1", "error", "not ok 31 - bad")
    assert CHECKER.parse(Output(1, lines, ""), NPM) == Found((found,))


NPM_SCRIPTS = {"lint": "node style.js", "check": "npm run types && npm run check-types", "types": "tcm css"}


@pytest.mark.parametrize(("only", "expected"), tables.literal("scripts", "a script that checks types is one"), ids=str)
def test_a_script_that_checks_types_is_one_of_the_type_checkers(
    tmp_path: Path, only: tuple[str, ...], expected: list[str]
) -> None:
    (tmp_path / "package.json").write_text(package(**NPM_SCRIPTS, **{"check-types": "tcm js"}))
    found = roots.built_in(
        Layout(str(tmp_path), ("package.json",)),
        Criteria(green=True, only=only),
        lambda tool, _root: Tool(f"/bin/{tool}", "", inside=False),
        calls=scripts.read(str(tmp_path), ("package.json",)),
    )
    theirs = [one for one in found if one.checker == "npm-script"]
    assert [one.shown.partition(" (")[0] for one in theirs] == expected
    assert {one.meets for one in theirs} == {
        ("lint_clean",) if "lint" in one.name else ("type_check",) for one in theirs
    }


def test_a_machine_that_is_busy_takes_nothing_from_the_time_to_read_the_calls() -> None:
    with time_limit.within(0.2, "waited"):
        time.sleep(0.5)
