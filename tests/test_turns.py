"""Whose turn it is: what the user types goes first, whoever began the turn that it is typed into."""

import pytest

from world import World

STILL = 'untilgreen: loop paused in round 2 of 10; say "go on", or /untilgreen:cancel'


@pytest.mark.parametrize("begun_by", ["the agent", "the agent, after another loop", "the user, before a notification"])
def test_a_text_typed_into_a_turn_that_no_prompt_of_the_users_began_goes_first(red: World, begun_by: str) -> None:
    if begun_by.startswith("the user"):
        red.prompt("/untilgreen:loop mend it", prompt_id="p1")
        assert red.stop(prompt_id="p1").held
        assert red.prompt("<task-notification>\n<task-id>b1</task-id>", prompt_id="p7") == (0, "", "")
    else:
        if begun_by.endswith("loop"):
            red.prompt("/untilgreen:loop first", prompt_id="p1")
            red.prompt("/untilgreen:cancel", prompt_id="p2")
        red.start("mend it")
        assert red.stop(prompt_id="p7").held
    red.prompt("why is that?", prompt_id="p7")
    red.write({"app.py": "import os\nimport sys\n"})
    answer = red.stop(prompt_id="p7", stop_hook_active=not begun_by.startswith("the user"))
    assert (answer.code, answer.notice, red.state["iteration"]) == (0, STILL, 2)
    queued = red.stop(prompt_id="q1")
    assert (queued.code, queued.notice, red.state["iteration"]) == (0, STILL, 2)


def test_a_prompt_after_the_loop_is_met_with_silence_and_counted(green: World) -> None:
    green.prompt("/untilgreen:loop check it", prompt_id="p1")
    green.write({"app.py": "VALUE = 2\n"})
    assert not green.stop(prompt_id="p1").held
    assert green.state["active"] is False
    assert green.prompt("thanks", prompt_id="p2") == (0, "", "")
    assert green.known["prompts"] == 2


def test_a_loop_that_a_shell_began_for_a_live_session_announces_itself_at_the_next_prompt(red: World) -> None:
    red.init()
    red.event("SessionStart", source="startup")
    red.start(
        "mend it", "--no-zero-errors", "--check", "a=false", "--completion-promise", "DONE", "--marker", "require"
    )
    answer = red.prompt("hello", prompt_id="p1")
    lines = answer.context.split("\n")
    assert lines[0] == f"untilgreen: loop started ({red.state['loop_id']}), round 1 of 10"
    promise = "This loop ends when the last line of the message is its promise, in a promise tag: DONE."
    assert lines[-3:] == [promise, "task:", "mend it"]
    assert answer.notice == (
        "untilgreen: loop on until a is green · begun in a shell: mend it · at most 10 rounds"
        " · /untilgreen:cancel ends it"
    )
    assert red.prompt("and this?", prompt_id="p2") == (0, "", "")
