"""Whose is a failing test? Run again alone, in company and on the files of the start, it says so itself."""

import os
import shutil

import pytest

import tables
from node import installed
from world import World

SHOP = "def total(prices):\n    return sum(prices)\n"
BROKEN = "def total(prices):\n    return 0\n"
# tests that fail in the runs of their process that a file names, counted from 0
FLAKY = tables.text("blame", "flaky")
ORDER = tables.text("blame", "order")
FILES = {
    ".gitignore": "runs.txt\n__pycache__\nnode_modules\n",
    "conftest.py": "",
    "shop.py": SHOP,
    "flaky.txt": "",
    "tests/test_shop.py": "from shop import total\n\n\ndef test_total():\n    assert total([1, 2]) == 3\n",
    "tests/test_old.py": "def test_old():\n    assert 1 == 2\n",
    "tests/test_flaky.py": FLAKY,
    "tests/test_order.py": ORDER,
}
MENDED = {"tests/test_old.py": "def test_old():\n    assert 2 == 2\n"}
TOLD_FLAKY = "flaky: test_flaky failed in the suite, passed alone and in a second run"
TOLD_ORDER = "order: test_order failed twice in the suite, passed alone"


def begin(world: World, *options: str, **changed: str) -> None:
    """A loop in a project with these files, some of them changed, by their names without folder and suffix."""
    names = {name: name.rpartition("/")[2].partition(".")[0] for name in FILES}
    world.write({name: changed.get(names[name], text) for name, text in FILES.items()})
    world.write({"untilgreen.toml": changed.get("config", "")})
    world.commit()
    started = world.run("start-loop", "mend it", "--session", world.session, "--only", "tests", *options)
    assert started.code == 0, started


def verdicts(world: World) -> dict[str, str]:
    return {key.rpartition("::")[2]: verdict for key, verdict in world.state["blame"].items()}


def left(world: World) -> list[str]:
    return [item["rule"] for item in world.state["snapshots"][-1]["items"]]


def told(text: str) -> list[str]:
    """What is said of tests that do not hold."""
    lines = text.replace(" · ", "\n").split("\n")
    return [line for line in lines if line.startswith(("flaky:", "order:", "failed at the start"))]


def test_yours_old_flaky_and_order_are_told_apart_and_only_the_first_two_hold(world: World) -> None:
    begin(world)
    world.write({"shop.py": BROKEN, "flaky.txt": "0"})
    held = world.stop()
    assert verdicts(world) == {"test_total": "yours", "test_old": "old", "test_flaky": "flaky", "test_order": "order"}
    assert (left(world), told(held.stderr), told(held.notice)) == (
        ["test_old", "test_total"],
        [TOLD_FLAKY, TOLD_ORDER],
        [TOLD_FLAKY, TOLD_ORDER],
    )
    lines = held.stderr.split("\n")
    assert lines[0] == "Not green yet: 2 left after round 1 of 10 · pytest 2 failed of 5"
    assert "tests/test_old.py:1 test_old: assert 1 == 2 (failed at the start, too)" in lines
    again = world.stop()
    assert "3 of 5 tests not run yet" in again.stderr, "what failed last is what holds, and nothing else"
    assert (told(again.stderr), left(world)) == ([], ["test_old", "test_total"])
    one, two = world.state["snapshots"]
    assert one["failing"] == two["failing"]
    # it never passes by now: it is judged again
    world.write({"shop.py": SHOP, "flaky.txt": " ".join(map(str, range(3, 20))), **MENDED})
    assert (world.stop().held, left(world), verdicts(world)["test_flaky"]) == (True, ["test_flaky"], "yours")


@pytest.mark.parametrize("options", [(), ("--strict", "--stagnation-limit", "1")])
def test_a_green_that_rests_on_flaky_tests_says_so_and_holds_nobody(world: World, options: tuple[str, ...]) -> None:
    begin(world, *options, **{name.rpartition("/")[2][:-3]: text for name, text in MENDED.items()})
    world.write({"flaky.txt": "0"})
    ended = world.stop()
    assert not ended.held
    line, *rest = ended.notice.split("\n")
    assert line.startswith("✓ green, but flaky: test_flaky, order: test_order · after 1 round"), ended
    assert rest == [TOLD_FLAKY, TOLD_ORDER]
    state = world.state
    assert (state["stop_reason"], state["verified"], state["no_progress_count"]) == ("complete", False, 0)


def test_while_a_linter_holds_the_stop_anyway_a_test_is_judged_when_it_fails_on_another_tree(world: World) -> None:
    begin(world, "--only", "lint", config="[checks.lint]\ncommand = ['ruff', 'check']\n")
    world.write({"shop.py": f"import json\n{BROKEN}"})
    for _ in range(2):
        assert (world.stop().held, {*verdicts(world).values()}) == (True, {"later"})
    world.write({"shop.py": f"import json\n\n{BROKEN}"})
    assert world.stop().held
    known = verdicts(world)
    assert (known["test_total"], known["test_old"]) == ("yours", "old")


NEW = "\n\ndef test_new():\n    1 / 0\n"


def test_where_only_what_is_new_counts_what_failed_at_the_start_does_not_hold(world: World) -> None:
    begin(world, "--new", test_order="")
    world.write({"shop.py": BROKEN, "tests/test_old.py": FILES["tests/test_old.py"] + NEW})
    held = world.stop()
    assert verdicts(world) == {"test_total": "yours", "test_old": "old", "test_new": "yours"}
    assert left(world) == ["test_new", "test_total"]
    assert told(held.stderr) == ["failed at the start, too: test_old; it does not count (all: --all)"]
    world.write({"shop.py": SHOP, "tests/test_old.py": FILES["tests/test_old.py"] + NEW.replace("0", "1")})
    assert (world.stop().held, world.state["stop_reason"], world.state["verified"]) == (False, "complete", True)


HANGS = tables.text("blame", "hangs")


@pytest.mark.parametrize(
    ("changed", "broken"),
    [
        pytest.param({"config": "blame_tests = 3\n"}, SHOP, id="too many"),
        pytest.param({"config": "blame_tests = 0\n"}, SHOP, id="none"),
        pytest.param({"config": "blame_seconds = 0\n"}, SHOP, id="no time"),
        pytest.param({"config": "blame_seconds = 2\n", "test_order": HANGS}, SHOP, id="one that hangs alone"),
        pytest.param({}, "def total(:\n", id="what cannot be read hides others"),
    ],
)
def test_where_nobody_can_judge_all_failing_tests_hold(world: World, changed: dict[str, str], broken: str) -> None:
    begin(world, **changed)
    world.write({"shop.py": broken if broken != SHOP else BROKEN, "flaky.txt": "0 1 2 3 4 5"})
    held = world.stop()
    everything = ["test_flaky", "test_old", "test_order", "test_total"]
    assert (held.held, sorted(left(world))) == (True, everything if broken == SHOP else ["collection"])
    assert (verdicts(world), told(held.stderr)) == ({}, [])


JEST = tables.literal("blame", "jest")


@pytest.mark.wide
@pytest.mark.needs("npm")
def test_the_same_is_told_of_tests_in_javascript(world: World) -> None:
    world.env["PATH"] += os.pathsep + os.path.dirname(shutil.which("npm") or "")
    (world.project / "node_modules").symlink_to(installed("jest@30.5.2") / "node_modules")
    world.write(JEST)
    world.commit()
    assert world.run("start-loop", "mend it", "--session", world.session, "--only", "tests").code == 0
    world.write({"shop.cjs": "exports.total = () => 0;\n", "flaky.txt": "0"})
    held = world.stop()
    expected = {"the [shop] > adds (all)": "yours", "the [shop] > is old": "old", "order": "order", "flaky": "flaky"}
    assert (verdicts(world), sorted(left(world))) == (expected, ["the [shop] > adds (all)", "the [shop] > is old"])
    assert sorted(told(held.stderr)) == [one.replace("test_", "") for one in (TOLD_FLAKY, TOLD_ORDER)]
