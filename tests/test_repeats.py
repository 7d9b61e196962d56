"""One mistake that two checks tell is one item, and every number agrees."""

import pytest

import tables
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


@pytest.mark.parametrize(("told", "left"), tables.literal("repeats", "of checks that tell the same mistake"))
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
    assert f" · {number} left · " in held.notice
