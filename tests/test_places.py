"""Where a finding is, to the column, and what mends it: as checkers read it, and as a stop tells it."""

import json
from typing import Any

import pytest

from test_checkers import check, project
from untilgreen import checkers
from untilgreen.checkers.checker import outcome
from untilgreen.core.model.outcome import Diagnostic, Found, Output, Setting
from untilgreen.core.verdict.identity import identify
from world import THEN, World

SETTING = Setting("/t/tool", "/project")
WRONG = 'Incompatible return value type (got "int", expected "str")'


@pytest.mark.tools("mypy")
def test_the_agent_is_told_the_column_and_the_cure_and_the_user_no_cure(world: World) -> None:
    world.write({"ruff.toml": 'lint.select = ["F", "E7"]\n', "mypy.ini": "[mypy]\npretty = True\n"})
    world.write({"app.py": "import os\n\n\ndef f(x: int) -> str:\n    return x\n\n\nl = f\n"})
    assert world.run("start-loop", "mend it", "--max-iterations", "2", "--session", world.session).code == 0
    items = (
        f"app.py:5:12 mypy return-value: {WRONG}",
        "app.py:1:8 ruff F401: `os` imported but unused",
        "app.py:8:1 ruff E741: Ambiguous variable name: `l`",
    )
    held = "Not green yet: 3 left after round 1 of 2 · mypy 1 · ruff 2"
    assert world.stop().stderr.splitlines() == [
        held,
        items[0],
        f"{items[1]} (ruff check --fix)",
        items[2],
        "Task: mend it",
        THEN,
    ]
    left = "3 left: mypy 1, ruff 2 · left 3 3"
    assert world.stop().notice.splitlines() == [f"■ stopped: 2 rounds used up · {left}", *items]


def test_the_column_is_no_part_of_what_a_finding_is() -> None:
    one = Diagnostic("mypy", "a.py", 3, "misc", "error", "wrong", source="x = f(x)")
    (here, _), (there, _) = (*identify([one._replace(column=5)]), *identify([one._replace(column=9, cure="c")]))
    assert here == there


@pytest.mark.parametrize(
    "said", ["", "show_column_numbers = True", "show_column_numbers = False", "show_error_end = True", "pretty = True"]
)
def test_mypy_tells_the_column_whatever_the_project_says_of_the_form(tmp_path: Any, said: str) -> None:
    root = project(tmp_path, a__py="def f(x: int) -> str:\n    return x\n", mypy__ini=f"[mypy]\n{said}\n")
    assert check("mypy", root) == Found(
        (Diagnostic("mypy", "a.py", 2, "return-value", "error", WRONG, column=12),)
    )  # fmt: skip


@pytest.mark.parametrize(
    ("call", "taken"),
    [(["mypy", "--hide-column-numbers", "-p", "pkg"], ("-p", "pkg")), (["mypy", "--show-error-end", "."], (".",))],
)
def test_a_call_of_mypy_does_not_change_how_places_are_told(call: list[str], taken: tuple[str, ...]) -> None:
    from untilgreen.checkers.checker import arguments

    assert arguments(checkers.get("mypy"), call) == taken


def ruff_says(fix: object, column: object = 8) -> Output:
    entry = {"code": "F401", "message": "m", "filename": "/project/a.py", "location": {"row": 1, "column": column}}
    return Output(1, json.dumps([entry | {"fix": fix}]), "")


@pytest.mark.parametrize(
    ("fix", "setting", "cure"),
    [
        ({"applicability": "safe"}, SETTING, "ruff check --fix"),
        ({"applicability": "safe"}, SETTING._replace(call=("src", "--quiet")), "ruff check --fix"),
        ({"applicability": "unsafe"}, SETTING, ""),
        ({"applicability": "display"}, SETTING, ""),
        (None, SETTING, ""),
        ("safe", SETTING, ""),
        # which rules hold is not in the configuration: ruff would find nothing to mend
        ({"applicability": "safe"}, SETTING._replace(call=("--select=I", "src")), ""),
        ({"applicability": "safe"}, SETTING._replace(call=("--extend-select", "UP", ".")), ""),
        ({"applicability": "safe"}, SETTING._replace(variant="isolated"), ""),
    ],
)
def test_what_ruff_mends_safely_is_told_with_its_cure(fix: object, setting: Setting, cure: str) -> None:
    result = outcome(checkers.get("ruff"), ruff_says(fix), setting)
    assert result == Found((Diagnostic("ruff", "a.py", 1, "F401", "error", "m", column=8, cure=cure),))


@pytest.mark.parametrize("column", [None, 0, -1, True, "x", 1.5, 10**12, {}])
def test_a_column_that_is_none_breaks_nothing(column: object) -> None:
    result = outcome(checkers.get("ruff"), ruff_says(None, column), SETTING)
    assert result == Found((Diagnostic("ruff", "a.py", 1, "F401", "error", "m"),))


FIX = {"range": [0, 1], "text": ""}


@pytest.mark.parametrize(
    ("name", "call", "fix", "cure"),
    [
        ("eslint", (), FIX, "eslint --fix"),
        ("eslint", ("src", "--max-warnings", "0"), FIX, "eslint --fix"),
        ("eslint", (), None, ""),
        ("eslint", ("--rule", "semi: error", "."), FIX, ""),
        ("eslint", ("-c", "other.js", "."), FIX, ""),
        ("xo", (), FIX, ""),
    ],
)
def test_what_eslint_mends_is_told_with_its_cure(name: str, call: tuple[str, ...], fix: object, cure: str) -> None:
    message = {"ruleId": "semi", "severity": 2, "message": "m", "line": 3, "column": 7, "fix": fix}
    text = json.dumps([{"filePath": "/project/a.js", "messages": [message]}])
    result = outcome(checkers.get(name), Output(1, text, ""), SETTING._replace(call=call))
    assert result == Found((Diagnostic(name, "a.js", 3, "semi", "error", "m", column=7, cure=cure),))


@pytest.mark.parametrize(("lines", "column"), [([4], 12), ([3, 4], 0), ([], 0)])
def test_bandits_column_is_told_where_it_is_of_that_line(lines: list[int], column: int) -> None:
    entry = {"filename": "./a.py", "test_id": "B602", "issue_text": "m", "line_number": 4, "col_offset": 11}
    answer = {"errors": [], "results": [entry | {"line_range": lines}], "metrics": {"./a.py": {}}}
    result = outcome(checkers.get("bandit"), Output(1, json.dumps(answer), ""), SETTING)
    assert result == Found((Diagnostic("bandit", "a.py", 4, "B602", "security", "m", column=column),))
