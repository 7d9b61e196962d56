"""One mistake that two checks tell is one item, and every number agrees."""

import pytest

from untilgreen.core.model.check import Check
from untilgreen.core.model.outcome import Diagnostic
from untilgreen.core.verdict import measure
from world import World


def found(*told: tuple[str, str, int, str, str, str]) -> list[measure.Finding]:
    """Findings, each as check, file, line, rule, severity and message."""
    checks = {name: Check(name, name, ".", "tests" if name == "pytest" else "static", "") for name, *_ in told}
    unreadable = ("invalid-syntax", "syntax", "E999", "collection")
    return [
        (checks[name], str(number), Diagnostic(name, file, line, rule, severity, message, hides=rule in unreadable))
        for number, (name, file, line, rule, severity, message) in enumerate(told)
    ]


def kept(*told: tuple[str, str, int, str, str, str]) -> list[str]:
    return [f"{check.name} {one.rule}" for check, _, one in measure.without_repeats(found(*told))]


E = "error"
UNDEFINED = ("ruff", "a.py", 3, "F821", E, "Undefined name `x`")


@pytest.mark.parametrize(
    ("told", "left"),
    [
        ([UNDEFINED, ("mypy", "a.py", 3, "name-defined", E, 'Name "x" is not defined')], ["ruff F821"]),
        ([UNDEFINED, ("flake8", "a.py", 3, "F821", E, "undefined name 'x'")], ["ruff F821"]),
        (
            [("eslint", "a.ts", 1, "no-undef", E, "'x' is not defined."), ("tsc", "a.ts", 1, "TS2304", E, "no 'x'")],
            ["eslint no-undef"],
        ),
        ([UNDEFINED, ("mypy", "a.py", 4, "name-defined", E, "")], ["ruff F821", "mypy name-defined"]),
        ([UNDEFINED, ("mypy", "b.py", 3, "name-defined", E, "")], ["ruff F821", "mypy name-defined"]),
        ([UNDEFINED, ("mypy", "a.py", 3, "return-value", E, "")], ["ruff F821", "mypy return-value"]),
        ([UNDEFINED, UNDEFINED], ["ruff F821", "ruff F821"]),
        (
            [UNDEFINED, *[("mypy", "a.py", 3, "name-defined", E, f'Name "{name}"') for name in "xy"]],
            ["mypy name-defined", "mypy name-defined"],
        ),
        (
            [
                ("ruff", "a.py", 3, "invalid-syntax", E, "Expected an expression"),
                ("mypy", "a.py", 2, "syntax", E, "invalid syntax"),
                ("pytest", "a.py", 0, "collection", "test", "SyntaxError: invalid syntax"),
            ],
            ["ruff invalid-syntax"],
        ),
        (
            [
                ("pytest", "a.py", 0, "collection", "test", "SyntaxError: invalid syntax"),
                ("ruff", "a.py", 3, "invalid-syntax", E, "Expected an expression"),
            ],
            ["ruff invalid-syntax"],
        ),
        (
            [
                ("ruff", "a.py", 3, "invalid-syntax", E, "Expected an expression"),
                ("pytest", "b.py", 0, "collection", "test", "SyntaxError: invalid syntax"),
                ("pytest", "a.py", 0, "collection", "test", "ModuleNotFoundError: No module named 'x'"),
            ],
            ["ruff invalid-syntax", "pytest collection", "pytest collection"],
        ),
        ([("one", "", 0, "exit-1", E, "no"), ("two", "", 0, "exit-1", E, "no")], ["one exit-1", "two exit-1"]),
        (
            [("ast-grep", "a.py", 1, "py-eval", "security", ""), ("ruff", "a.py", 1, "S307", "security", "")],
            ["ruff S307"],
        ),
    ],
)
def test_of_checks_that_tell_the_same_mistake_one_is_told(
    told: list[tuple[str, str, int, str, str, str]], left: list[str]
) -> None:
    assert kept(*told) == left


@pytest.mark.tools("mypy")
def test_a_file_that_nobody_can_read_is_one_mistake_and_green_needs_all_of_its_checks(world: World) -> None:
    world.write({"test_app.py": "def test_it() -> None:\n    assert True\n", "mypy.ini": "[mypy]\n"})
    world.write({"ruff.toml": "", "pytest.ini": "[pytest]\n"})
    world.commit()
    assert world.run("start-loop", "mend it", "--session", world.session).code == 0
    world.write({"test_app.py": "def test_it( -> None:\n    assert True\n"})
    held = world.stop()
    assert held.code == 2
    assert set(world.state["snapshots"][-1]["outcomes"].values()) == {"found"}
    items = [line for line in held.stderr.split("\n") if line.startswith("test_app.py:")]
    number = len(world.state["snapshots"][-1]["items"])
    assert held.stderr.startswith(f"Not green yet: {number} left after round 1 of 10 · ruff {number}\n")
    assert (len(items), {line.split()[1] for line in items}) == (number, {"ruff"})
    assert f" · {number} left: ruff {number} · " in held.notice
