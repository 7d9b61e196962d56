"""A check that answers *not yet*: the stop is allowed while nothing is red, and asked again."""

import json
import signal
from pathlib import Path

import pytest

import tables
from world import World

CONFIG = tables.text("pending", "config")
# answers with the codes in the file `answers`, the last one for ever
GH = """#!/bin/sh
read code rest <"$0.answers"
[ -n "$rest" ] && echo "$rest" >"$0.answers"
echo "checks of the pull request: $code"
exit "$code"
"""


def answering(world: World, *codes: int) -> Path:
    """A `gh` on the PATH that answers with these codes in turn."""
    gh = world.programs / "gh"
    gh.write_text(GH)
    gh.chmod(0o755)
    answers = world.programs / "gh.answers"
    answers.write_text(" ".join(map(str, codes)) + "\n")
    return answers


def begun(world: World, *options: str, config: str = CONFIG) -> None:
    world.write({"untilgreen.toml": config, "app.py": "VALUE = 1\n"})
    world.commit()
    started = world.run("start-loop", "mend it", "--session", world.session, *options)
    assert started.code == 0, started


def since(world: World, minutes: float) -> None:
    """Let the check be pending since then, by the clock of the session's state."""
    world.change(pending={name: moment - minutes * 60 for name, moment in world.state["pending"].items()})


def test_pending_twice_and_then_green(world: World) -> None:
    answering(world, 8, 8, 0)
    begun(world)
    world.write({"app.py": "VALUE = 2\n"})
    first = world.stop(prompt_id="p1")
    line = "untilgreen: waiting for ci, 0 min; loop still running, round 1 of 10"
    assert (first.code, first.stderr, first.notice) == (0, "", line)
    state = world.state
    assert (state["active"], state["iteration"], state["snapshots"]) == (True, 1, [])
    assert (state["current"]["outcomes"], list(state["pending"])) == ({"ci": "pending"}, ["ci"])
    assert "waiting for ci" in world.run("untilgreen", "status").stdout
    world.event("SessionEnd", reason="other")
    assert "parked: the session ended" in world.run("untilgreen", "status").stdout
    assert world.run("untilgreen", "receipt").code == 64  # nothing is proved yet
    since(world, 3.5)
    second = world.stop(prompt_id="p1")
    assert (second.code, second.notice.splitlines()[-1]) == (0, line.replace("0 min", "3 min"))
    assert "waiting for ci, 3 min" in world.run("untilgreen", "show", "--why").stdout
    third = world.stop(prompt_id="p1")
    state = world.state
    assert (third.code, state["stop_reason"], state["verified"], state["pending"]) == (0, "complete", False, {})
    assert [one["outcomes"] for one in state["snapshots"]] == [{"ci": "clean"}]


def test_what_nothing_changed_for_is_green_too_once_it_was_waited_for(world: World) -> None:
    answering(world, 8, 0)
    begun(world)
    assert (world.stop().code, world.state["active"]) == (0, True)
    assert (world.stop().code, world.state["stop_reason"], world.state["verified"]) == (0, "complete", True)


def test_what_is_red_holds_beside_what_is_pending_and_the_round_is_no_best(world: World) -> None:
    answering(world, 8, 8, 1)
    begun(world, "--check", "own=ls built")
    held = world.stop()
    told = "Not known yet, neither red nor green: ci, 0 min"
    assert (held.code, told in held.stderr, "may hide more" in held.stderr) == (2, True, False), held
    assert "ci" not in held.stderr.splitlines()[0]
    [snapshot] = world.state["snapshots"]
    assert (snapshot["outcomes"], snapshot["scores"]) == ({"ci": "pending", "own": "found"}, {"static": None})
    assert "ci" in world.run("untilgreen", "show").stdout
    world.write({"built": ""})
    assert (world.stop().code, world.state["iteration"]) == (0, 2)
    red = world.stop()
    assert (red.code, "ci" in red.stderr.splitlines()[0], world.state["pending"]) == (2, True, {}), red


def test_after_its_minutes_it_is_broken_until_it_ends(world: World) -> None:
    answers = answering(world, 8)
    begun(world, config=CONFIG + "pending_minutes = 30\n")
    assert world.stop().code == 0
    since(world, 31)
    for _ in range(2):
        late = world.stop()
        assert (late.code, "still pending after 30 min" in late.stderr) == (2, True), late
        assert world.state["snapshots"][-1]["outcomes"] == {"ci": "broken"}
    answers.write_text("0\n")
    assert (world.stop().code, world.state["stop_reason"], world.state["pending"]) == (0, "complete", {})


def test_by_hand_it_could_not_be_judged(world: World) -> None:
    answers = answering(world, 8)
    begun(world)
    checked = world.run("untilgreen", "check")
    assert (checked.code, checked.stdout.splitlines()) == (
        4,
        ["ci: pending, checks of the pull request: 8", "✗ could not be judged · waiting for ci"],
    )
    told = json.loads(world.run("untilgreen", "check", "--json").stdout)
    assert (told["verdict"], told["checks"][0]["outcome"]) == ("not judged", "pending")
    answers.write_text("1\n")
    assert world.run("untilgreen", "check").code == 1


@pytest.mark.parametrize(
    ("keys", "why"),
    [
        ("ok = [0, 8]", "checks.ci.pending: 8 is in ok, too. Fix: leave it out of one of the two"),
        ("pending_minutes = 0", "checks.ci.pending_minutes is 0"),
    ],
)
def test_a_code_means_one_thing(world: World, keys: str, why: str) -> None:
    world.write({"untilgreen.toml": CONFIG + keys + "\n"})
    answer = world.run("start-loop", "mend it", "--session", world.session)
    assert (answer.code, why in answer.stderr) == (64, True), answer


WAITS = tables.literal("pending", "waits")


@pytest.mark.parametrize("how", WAITS)
def test_wait_asks_until_it_has_ended(world: World, how: str) -> None:
    codes, options, code, told = WAITS[how]
    answering(world, *codes)
    begun(world)
    answer = world.run("untilgreen", "status", "--session", world.session, "--wait", *options)
    assert (answer.code, answer.stdout.splitlines(), answer.stderr) == (code, told, "")
    assert (world.state["active"], world.state["pending"]) == (True, {})


def test_wait_ends_where_nothing_can_be_pending_or_no_loop_runs_and_at_an_interrupt(world: World) -> None:
    none = world.run("untilgreen", "status", "--wait")
    assert (none.code, none.stderr) == (64, "untilgreen failed: no loop is running here. Fix: run untilgreen status\n")
    answering(world, 8)
    begun(world)
    waiting = world.begin("untilgreen", "status", "--wait")
    assert waiting.stdout is not None
    assert b"pending" in waiting.stdout.readline()
    waiting.send_signal(signal.SIGINT)
    assert world.end(waiting).code == 130
    begun(world, "--replace", config="")
    idle = world.run("untilgreen", "status", "--wait")
    assert (idle.code, idle.stdout) == (0, "untilgreen: no check of this loop can be pending (checks.NAME.pending)\n")


def test_a_stop_waits_for_the_command_that_waits(world: World) -> None:
    answering(world, 1)
    begun(world)
    tasks = [{"id": "b1", "type": "shell", "status": "running", "command": "untilgreen status --wait 30"}]
    assert (world.stop(background_tasks=tasks).code, world.state["waited"]) == (0, {"b1": 1})
    assert world.stop().code == 2
