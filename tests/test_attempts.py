"""Several attempts at one task: what is stuck is undone down to the best round, and the best one is left at the end."""

import pytest

from world import World

TESTS = "from shop import total\n\n\n" + "\n\n".join(
    f"def test_{n}():\n    assert total([1] * {n}) == {n}\n" for n in range(5)
)
PROJECT = {
    ".gitignore": "__pycache__/\n.pytest_cache/\n.ruff_cache/\n",
    "pyproject.toml": '[tool.pytest.ini_options]\npythonpath = ["."]\n\n[tool.untilgreen]\ntests = "whole"\n',
    "shop.py": "def total(prices):\n    return -1\n",
    "test_shop.py": TESTS,
}
STUCK = (
    (
        "Attempt 1 of 3 is stuck after round 2: left 4 5. What it changed since round 1 is undone (notes.py +1 -0, "
        "shop.py +1 -1): the work tree is that of round 1 again, 4 left. Read the files again, and try another way. "
        "It ended with:"
    ),
    *(f"test_shop.py:{4 + 4 * n} test_{n}: assert -1 == {n} (failed at the start, too)" for n in range(5)),
    "Task: Add them up\n",
)


def right_for(*numbers: int) -> str:
    return f"def total(prices):\n    return len(prices) if len(prices) in {numbers} else -1\n"


def go(world: World, code: str, **files: str) -> tuple[int, str, str]:
    """One more round with this code: the answer to its stop."""
    world.write({"shop.py": code, **{f"{name}.py": text for name, text in files.items()}})
    answer = world.stop()
    return answer.code, answer.notice, answer.stderr


def test_of_three_attempts_the_second_is_left_which_was_the_best(world: World) -> None:
    world.write(PROJECT)
    world.commit()
    world.run(
        *("start-loop", "Add them up", "--session", world.session, "--attempts", "3", "--stagnation-limit", "1"),
        *("--max-iterations", "4"),
    )
    go(world, right_for(0))
    code, user, agent = go(world, right_for(9), notes="X = 1\n")
    assert (code, user, agent) == (
        2,
        "✗ attempt 1 of 3 is stuck after round 2 · back at round 1, 4 left · attempt 2 begins",
        "\n".join(STUCK),
    )
    assert ((world.project / "shop.py").read_text(), (world.project / "notes.py").exists()) == (right_for(0), False)
    go(world, right_for(0, 1, 2, 3))
    code, user, agent = go(world, right_for())
    assert (code, user.split(" · ")[:3]) == (
        2,
        ["✗ attempt 2 of 3 is stuck after round 4", "back at round 3, 1 left", "attempt 3 begins"],
    )
    go(world, right_for(0, 1))
    code, user, agent = go(world, right_for(9))
    assert (code, user.split("\n")[0]) == (
        0,
        "■ stuck: no improvement in 1 round · 5 left: pytest 5 · left 4 5 1 5 3 5",
    )
    assert "the best of 3 attempts is put back: round 3, 1 left: pytest 1" in user.split("\n")
    state = world.state
    assert (world.project / "shop.py").read_text() == right_for(0, 1, 2, 3)
    assert [(one["until"], one["best"], one["left"]) for one in state["attempts"]] == [(2, 1, 4), (4, 3, 1)]
    assert (state["stop_reason"], state["final_status"], state["max_iterations"]) == ("stagnant", "STOPPED", 8)
    told = [
        "attempt 1: stuck after round 2, back at round 1, 4 left; undone: notes.py +1 -0, shop.py +1 -1",
        "attempt 2: stuck after round 4, back at round 3, 1 left; undone: shop.py +1 -1",
    ]
    shown = world.run("untilgreen", "show").stdout
    report = world.run("untilgreen", "show", "--markdown").stdout
    assert [[line in text for line in told] for text in (shown, report)] == [[True, True], [True, True]]


@pytest.mark.wide
def test_an_attempt_that_gets_green_is_the_last_one(world: World) -> None:
    world.write(PROJECT)
    world.commit()
    world.run("start-loop", "mend it", "--session", world.session, "--attempts", "2", "--stagnation-limit", "1")
    go(world, right_for(0))
    assert go(world, right_for(9))[0] == 2
    code, user, _ = go(world, right_for(0, 1, 2, 3, 4))
    assert (code, user.split(" · ")[0][:7], world.state["verified"]) == (0, "✓ green", True)
