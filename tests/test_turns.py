"""Whose turn it is: what the user types goes first, whoever began the turn that it is typed into."""

import json

from world import World

STILL = 'untilgreen: loop still running, round 2 of 10; say "go on", or /untilgreen:cancel'


def test_a_text_typed_into_the_turn_in_which_the_agent_itself_began_the_loop_goes_first(red: World) -> None:
    red.start("mend it")
    assert red.stop(prompt_id="p7").held
    red.prompt("why is that?", prompt_id="p7")
    red.write({"app.py": "import os\nimport sys\n"})
    answer = red.stop(prompt_id="p7", stop_hook_active=True)
    assert (answer.code, answer.notice, red.state["iteration"]) == (0, STILL, 2)
    queued = red.stop(prompt_id="q1")
    assert (queued.code, queued.notice, red.state["iteration"]) == (0, STILL, 2)


def test_the_same_after_an_earlier_loop_of_that_session(red: World) -> None:
    red.prompt("/untilgreen:loop first", prompt_id="p1")
    red.prompt("/untilgreen:cancel", prompt_id="p2")
    red.start("second")
    assert red.stop(prompt_id="p7").held
    red.prompt("why is that?", prompt_id="p7")
    red.write({"app.py": "import os\nimport sys\n"})
    answer = red.stop(prompt_id="p7", stop_hook_active=True)
    assert (answer.code, answer.notice, red.state["iteration"]) == (0, STILL, 2)


def test_a_text_typed_into_the_turn_of_a_task_notification_goes_first(red: World) -> None:
    red.prompt("/untilgreen:loop mend it", prompt_id="p1")
    assert red.stop(prompt_id="p1").held
    assert red.prompt("<task-notification>\n<task-id>b1</task-id>", prompt_id="n1") == (0, "", "")
    red.prompt("why is that?", prompt_id="n1")
    red.write({"app.py": "import os\nimport sys\n"})
    answer = red.stop(prompt_id="n1")
    assert (answer.code, answer.notice, red.state["iteration"]) == (0, STILL, 2)
    queued = red.stop(prompt_id="q1")
    assert (queued.code, queued.notice, red.state["iteration"]) == (0, STILL, 2)


def test_a_prompt_after_the_loop_is_met_with_silence_and_counted(green: World) -> None:
    green.prompt("/untilgreen:loop check it", prompt_id="p1")
    green.write({"app.py": "VALUE = 2\n"})
    assert not green.stop(prompt_id="p1").held
    assert green.state["active"] is False
    assert green.prompt("thanks", prompt_id="p2") == (0, "", "")
    assert json.loads((green.folder / "session.json").read_text())["prompts"] == 2


def test_a_loop_that_a_shell_began_for_a_live_session_announces_itself_at_the_next_prompt(red: World) -> None:
    red.init()
    begins = {
        "hook_event_name": "SessionStart",
        "source": "startup",
        "session_id": red.session,
        "cwd": str(red.project),
    }
    red.run("session-loop", stdin=json.dumps(begins))
    red.start(
        "mend it", "--no-zero-errors", "--check", "a=false", "--completion-promise", "DONE", "--marker", "require"
    )
    answer = red.prompt("hello", prompt_id="p1")
    lines = answer.context.split("\n")
    assert lines[0] == f"untilgreen: loop started ({red.state['loop_id']}), round 1 of 10: mend it"
    promise = "This loop ends when the last line of the message is its promise, in a promise tag: DONE."
    assert lines[-3:] == [promise, "task:", "mend it"]
    assert answer.notice.startswith("untilgreen: loop started, round 1 of 10 · begun in a shell: mend it · criteria: ")
    assert red.prompt("and this?", prompt_id="p2") == (0, "", "")
