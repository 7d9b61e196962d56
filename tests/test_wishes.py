"""The user's word to a running loop: "go on", "stop", another task after an interrupt, a corrected command."""

import pytest

import tables
from untilgreen.core.verdict import wishes
from world import WAITS, World

RED = "--no-zero-errors --check a=false"
PAUSED = 'untilgreen: loop paused in round {} of 10; say "go on", or /untilgreen:cancel'


@pytest.fixture
def typed(red: World) -> World:
    """A loop that its user typed, in the turn "p1"."""
    assert red.prompt(f"/untilgreen:loop {RED} mend it", prompt_id="p1").code == 0
    return red


@pytest.mark.parametrize(("prompt", "wish"), tables.literal("wishes", "only a prompt that is wholly a wish"))
def test_only_a_prompt_that_is_wholly_a_wish_is_one(prompt: str, wish: str) -> None:
    assert wishes.of(prompt) == wish


def test_go_on_makes_the_next_stop_judged_though_nothing_has_changed(typed: World) -> None:
    assert typed.stop(prompt_id="p1").held
    typed.prompt("what is red?", prompt_id="p2")
    assert typed.stop(prompt_id="p2").notice.startswith("untilgreen: loop paused in round 2 of 10")
    assert typed.prompt("go on", prompt_id="p3") == (0, "", "")
    assert typed.stop(prompt_id="p3").held
    assert typed.state["iteration"] == 3


def test_go_on_typed_while_the_agent_works_does_not_let_it_go(typed: World) -> None:
    assert typed.stop(prompt_id="p1").held
    typed.prompt("go on", prompt_id="p1")
    assert typed.stop(prompt_id="p1").held


def test_stop_pauses_the_loop_until_its_user_says_go_on(typed: World) -> None:
    assert typed.stop(prompt_id="p1").held
    assert typed.prompt("stop", prompt_id="p1").notice == PAUSED.format(2)
    assert [typed.stop(prompt_id="p1") for _ in range(2)] == [(0, "", "")] * 2
    assert (typed.state["status"], typed.state["active"], typed.state["iteration"]) == ("paused", True, 2)
    typed.write({"notes.txt": "a change"})
    assert typed.prompt("stop", prompt_id="p2") == (0, "", "")  # it is said once
    assert typed.stop(prompt_id="p2") == (0, "", "")
    answer = typed.prompt("go on", prompt_id="p3")
    assert (answer.notice, answer.context) == (
        "untilgreen: loop goes on, round 2 of 10",
        "untilgreen: loop still running, round 2 of 10: mend it",
    )
    assert typed.stop(prompt_id="p3").held
    assert (typed.state["status"], typed.state["paused"], typed.state["iteration"]) == ("running", "", 3)


def test_another_task_after_an_interrupt_pauses_the_loop(typed: World) -> None:
    assert typed.stop(prompt_id="p1").held
    assert typed.prompt("rename the module instead", prompt_id="p2").notice == PAUSED.format(2)
    typed.write({"notes.txt": "a change"})
    assert typed.stop(prompt_id="p2") == (0, "", "")


def test_a_question_after_an_interrupt_is_answered_and_the_loop_still_runs(typed: World) -> None:
    assert typed.stop(prompt_id="p1").held
    assert typed.prompt("what is red?", prompt_id="p2") == (0, "", "")
    assert typed.state["status"] == "running"


def test_a_turn_that_was_let_go_was_not_interrupted(typed: World) -> None:
    assert typed.stop(prompt_id="p1").held
    typed.prompt("what is red?", prompt_id="p2")
    assert typed.stop(prompt_id="p2").code == 0
    typed.prompt("plan it", prompt_id="p3")
    assert typed.stop(prompt_id="p3", permission_mode="plan") == (0, "", "")
    assert typed.prompt("mend the imports first", prompt_id="p4") == (0, "", "")
    typed.write({"notes.txt": "a change"})
    assert typed.stop(prompt_id="p4").held


@pytest.mark.parametrize(("key", "status", "told"), [("cancel", "stopped", "cancelled"), ("keep", "running", "")])
def test_on_interrupt_says_what_becomes_of_the_loop(red: World, key: str, status: str, told: str) -> None:
    red.write({"untilgreen.toml": f'on_interrupt = "{key}"\n'})
    red.prompt(f"/untilgreen:loop {RED} mend it", prompt_id="p1")
    assert red.stop(prompt_id="p1").held
    assert told in red.prompt("rename the module instead", prompt_id="p2").notice
    assert red.state["status"] == status


def test_a_command_that_was_corrected_after_an_interrupt_begins_its_loop(typed: World) -> None:
    first = typed.state["loop_id"]
    answer = typed.prompt(f"/untilgreen:loop {RED} --max-iterations 5 mend it well", prompt_id="p2")
    assert (answer.code, typed.state["settings"]["max_iterations"]) == (0, 5)
    assert typed.state["loop_id"] != first


def test_any_other_prompt_after_that_interrupt_drops_the_loop(typed: World) -> None:
    dropped = "untilgreen: loop dropped: you interrupted it before the agent did anything"
    answer = typed.prompt("what is this project?", prompt_id="p2")
    assert answer.notice == f"{dropped}; /untilgreen:loop begins another"
    assert (typed.state["active"], typed.state["stop_reason"]) == (False, "cancelled")
    assert typed.stop(prompt_id="p2") == (0, "", "")


def test_a_first_turn_of_which_something_came_is_no_typing_mistake(typed: World) -> None:
    typed.write({"notes.txt": "a change"})
    answer = typed.prompt(f"/untilgreen:loop {RED} another", prompt_id="p2")
    assert (answer.code, "a loop is running in this session" in answer.stderr) == (2, True)
    assert typed.prompt("rename the module instead", prompt_id="p3").notice == PAUSED.format(1)


@pytest.mark.parametrize(
    ("prompt", "told"), [("what is red?", ""), ("rename the module instead", f"\n{PAUSED.format(1)}")]
)
def test_an_interrupt_while_the_first_stop_is_checked_drops_no_loop(red: World, prompt: str, told: str) -> None:
    red.prompt(f'/untilgreen:loop --check "{WAITS}" mend it', prompt_id="p1")
    stop = red.checking(prompt_id="p1")
    stop.terminate()
    assert red.end(stop).code == 0
    broken_off = "untilgreen: the last stop was broken off before it was judged"
    assert red.prompt(prompt, prompt_id="p2").notice == broken_off + told
    assert (red.state["active"], red.state["iteration"]) == (True, 1)
