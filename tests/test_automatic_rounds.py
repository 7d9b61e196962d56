"""Held without a loop: for how many rounds, by whom it ends, and that what was let go once never holds again."""

import json
import os
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from world import BIN, THEN, Answer, World

SILENT = Answer(0, "", "")
CLEAN = "VALUE = 1\n"
UNUSED = "import os\n\nVALUE = 1\n"
WAITING = """\
#!/bin/sh
touch {}
until [ -e {} ]; do sleep 0.05; done
echo 'Success: no issues found in 1 source file'
"""
ONE_LEFT = "✗ round 1 of 5 · 1 left · N s · /untilgreen:cancel ends it"


def wrong(number: int) -> str:
    """A text with one error, another one for each number."""
    return f"VALUE = undefined_{number}\n"


def held(world: World, **fields: Any) -> int:
    """The round after which a stop is held."""
    answer = world.stop(**fields)
    assert answer.code == 2, answer
    assert answer.stderr.startswith("Not green yet: ")
    line = answer.notice.removeprefix("untilgreen: the last stop was broken off before it was judged\n")
    return int(line.removeprefix("✗ round ").partition(" of ")[0])


def ended(world: World, **fields: Any) -> str:
    """What the user is told of a stop that is let go, without the numbers."""
    answer = world.stop(**fields)
    assert (answer.code, answer.stderr) == (0, ""), answer
    return answer.notice.partition(" · ")[0]


def test_a_prompt_is_held_at_four_stops_and_let_go_at_the_fifth_at_the_latest(watched: World) -> None:
    rounds = []
    for number in range(4):
        watched.edit("new.py", wrong(number))
        rounds.append(held(watched, prompt_id="p"))
    watched.edit("new.py", wrong(4))
    assert (rounds, ended(watched, prompt_id="p")) == ([1, 2, 3, 4], "■ stopped: 5 rounds used up")
    assert [watched.edits["turn"][key] for key in ("active", "status", "stop_reason", "iteration")] == [
        *(False, "failed", "max-iterations", 5)
    ]
    watched.edit("more.py", UNUSED)
    assert ended(watched, prompt_id="p") == "■ stopped: 5 rounds used up"


def test_two_registrations_that_are_called_in_turn_are_one_stop_until_somebody_works_or_speaks(watched: World) -> None:
    mine, ours = ({"UNTILGREEN_CALLED": f"/hooks/{name}/stop-loop"} for name in ("mine", "ours"))
    watched.edit("new.py", wrong(0))
    assert held(watched, prompt_id="p", env=mine) == 1
    assert watched.stop(prompt_id="p", env=ours) == SILENT
    watched.edit("new.py", wrong(1))
    assert held(watched, prompt_id="p", env=ours) == 2
    assert watched.stop(prompt_id="p", env=mine) == SILENT
    assert held(watched, prompt_id="q", env=mine) == 1


def test_where_nothing_changes_it_is_let_go_earlier(watched: World) -> None:
    watched.edit("new.py", UNUSED)
    assert [held(watched, prompt_id="p") for _ in range(3)] == [1, 2, 3]
    assert ended(watched, prompt_id="p") == "■ stuck: no improvement in 3 rounds"
    assert watched.edits["turn"]["stop_reason"] == "stagnant"
    assert watched.stop(prompt_id="p") == SILENT


def test_the_limit_of_the_configuration_is_the_one_that_counts(watched: World) -> None:
    watched.write({"untilgreen.toml": "stagnation_limit = 1\n"})
    watched.edit("new.py", UNUSED)
    assert held(watched, prompt_id="p") == 1
    assert ended(watched, prompt_id="p") == "■ stuck: no improvement in 1 round"


def test_a_limit_that_is_switched_off_leaves_five_rounds(watched: World) -> None:
    watched.write({"untilgreen.toml": "stagnation_limit = 0\nmax_iterations = 100\n"})
    watched.edit("new.py", UNUSED)
    assert [held(watched, prompt_id="p") for _ in range(4)] == [1, 2, 3, 4]
    assert ended(watched, prompt_id="p") == "■ stopped: 5 rounds used up"


def test_errors_that_come_back_in_turn_are_no_progress(watched: World) -> None:
    for number in (0, 1, 0):
        watched.edit("new.py", wrong(number))
        held(watched, prompt_id="p")
    watched.edit("new.py", wrong(1))
    assert ended(watched, prompt_id="p") == "■ stuck: the same failures come back in turn"


def test_a_prompt_has_rounds_of_its_own_but_what_was_let_go_never_holds_again(watched: World) -> None:
    watched.write({"untilgreen.toml": "stagnation_limit = 1\n"})
    watched.edit("new.py", UNUSED)
    held(watched, prompt_id="p1")
    ended(watched, prompt_id="p1")
    watched.edit("new.py", "# a word\n" + UNUSED + "OTHER = 2\n")
    assert watched.stop(prompt_id="p2") == SILENT
    watched.edit("new.py", "import os\nimport re\n\nVALUE = 1\n")
    answer = watched.stop(prompt_id="p2")
    assert answer.stderr.split("\n")[1:] == [
        "new.py:2:8 ruff F401: `re` imported but unused (ruff check --fix)",
        THEN,
        "",
    ]
    assert answer.notice == ONE_LEFT


def test_of_two_errors_that_are_alike_the_one_that_was_not_let_go_holds(watched: World) -> None:
    one = "def first() -> None:\n    value = 1\n"
    watched.write({"untilgreen.toml": "stagnation_limit = 1\n"})
    watched.edit("new.py", one)
    held(watched, prompt_id="p1")
    ended(watched, prompt_id="p1")
    two = one + "\n\ndef second() -> None:\n    value = 1\n"
    watched.edit("new.py", two)
    answer = watched.stop(prompt_id="p2")
    assert answer.stderr.split("\n")[1] == "new.py:6:5 ruff F841: Local variable `value` is assigned to but never used"
    ended(watched, prompt_id="p2")
    watched.edit("new.py", two + "\n\nVALUE = 1\n")
    assert watched.stop(prompt_id="p3") == SILENT


def test_where_all_holds_neither_of_two_errors_that_are_alike_holds_again(watched: World) -> None:
    one = "def first() -> None:\n    value = 1\n"
    two = one + "\n\ndef second() -> None:\n    value = 1\n"
    watched.write({"untilgreen.toml": 'auto = "all"\nstagnation_limit = 1\n'})
    seen = []
    for number, text in enumerate((one, two, two + "\n\nVALUE = 1\n")):
        watched.edit("new.py", text)
        seen.append([watched.stop(prompt_id=f"p{number}").code for _ in range(3)])
    assert seen == [[2, 0, 0], [2, 0, 0], [0, 0, 0]]


def test_what_was_there_when_it_was_green_never_holds_later(watched: World) -> None:
    watched.write({"untilgreen.toml": 'severity.ruff.F401 = "warning"\n'})
    watched.edit("new.py", UNUSED)
    assert watched.stop(prompt_id="p1") == SILENT
    watched.write({"untilgreen.toml": ""})
    watched.edit("new.py", UNUSED + "OTHER = 2\n")
    assert watched.stop(prompt_id="p2") == SILENT


def test_held_again_in_the_same_prompt_it_is_no_ended_loop_any_more(watched: World) -> None:
    watched.edit("new.py", UNUSED)
    held(watched, prompt_id="p")
    watched.edit("new.py", CLEAN)
    assert ended(watched, prompt_id="p") == "✓ what was red is gone after 2 rounds"
    watched.edit("more.py", UNUSED)
    assert held(watched, prompt_id="p") == 2, "the rounds are the prompt's"
    fields = ("active", "status", "stop_reason", "final_status", "completion_reason", "verified", "ended_at")
    assert [watched.edits["turn"][key] for key in fields] == [True, "running", None, None, None, None, None]


def test_what_is_left_after_an_interruption_holds_in_the_next_prompt(watched: World) -> None:
    watched.edit("new.py", UNUSED)
    assert [held(watched, prompt_id="p1") for _ in range(2)] == [1, 2]
    watched.prompt("something else", prompt_id="p2")  # after Esc: no stop came
    assert held(watched, prompt_id="p2") == 1


def test_a_cancel_while_held_ends_it_for_the_session(watched: World) -> None:
    watched.edit("new.py", UNUSED)
    held(watched, prompt_id="p1")
    answer = watched.run("cancel-loop", "--session", watched.session)
    assert answer == Answer(0, f"untilgreen: loop cancelled in round 2 of 5 ({watched.edits['turn']['loop_id']})\n", "")
    assert (watched.edits["off"], watched.edits["turn"]["stop_reason"]) == (True, "cancelled")
    watched.edit("new.py", wrong(1))
    told = "untilgreen: cancel-loop in a shell switched off stops without a loop, for this session"
    assert [watched.stop(prompt_id=prompt).notice for prompt in ("p1", "p2")] == [told, ""]
    assert watched.edit("new.py", UNUSED).context != "", "findings are told all the same"
    watched.session = "0" * 36
    watched.edit("more.py", UNUSED)
    assert held(watched, prompt_id="p3") == 1, "another session is not meant"


def test_a_typed_cancel_while_held_ends_it_for_the_session(watched: World) -> None:
    watched.edit("new.py", UNUSED)
    held(watched, prompt_id="p1")
    assert watched.prompt("/untilgreen:cancel", prompt_id="p1").code == 0
    assert watched.stop(prompt_id="p1") == SILENT
    watched.edit("new.py", wrong(1))
    assert watched.stop(prompt_id="p2") == SILENT


def test_a_cancel_that_comes_while_the_checks_run_wins(watched: World) -> None:
    go = slow_mypy(watched)
    go.touch()
    watched.edit("new.py", UNUSED)
    held(watched, prompt_id="p")
    go.unlink()
    stop = slow_stop(watched, prompt_id="p")
    assert watched.run("cancel-loop", "--session", watched.session).code == 0
    go.touch()
    assert watched.end(stop) == SILENT
    assert (watched.edits["off"], watched.edits["turn"]["stop_reason"]) == (True, "cancelled")


def slow_mypy(world: World) -> Path:
    """Give the project a type check that finds nothing, and waits for a file: this one. `slow_stop` waits until it runs
    and the linter, which runs beside it, is done."""
    go = world.tmp / "go"
    folder = world.tmp / "bin"
    folder.mkdir()
    (folder / "mypy").write_text(WAITING.format(world.tmp / "running", go))
    (folder / "ruff").write_text(f'#!/bin/sh\n"{BIN}/ruff" "$@"\ncode=$?\ntouch "{world.tmp}/linted"\nexit $code\n')
    for name in ("mypy", "ruff"):
        (folder / name).chmod(0o755)
    world.write({"mypy.ini": "[mypy]\n"})
    world.env["PATH"] = f"{folder}:{world.env['PATH']}"
    assert world.run("untilgreen", "trust").code == 0
    return go


def slow_stop(world: World, **fields: Any) -> "subprocess.Popen[bytes]":
    """A stop whose type check runs."""
    seen = [world.tmp / "running", world.tmp / "linted"]
    for path in seen:
        path.unlink(missing_ok=True)
    stop = world.begin("stop-loop", stdin=json.dumps(world.payload(**fields)))
    while not all(path.exists() for path in seen):
        time.sleep(0.02)
    return stop


def test_a_loop_that_is_started_while_held_is_judged_as_a_loop_and_what_it_lets_go_never_holds(watched: World) -> None:
    watched.edit("new.py", UNUSED)
    held(watched, prompt_id="p")
    watched.start("mend it", "--max-iterations", "1")
    assert (watched.state["active"], watched.edits["turn"]) == (True, None)
    assert (watched.edits["written"], watched.edits["unjudged"]) == (["new.py"], ["new.py"])
    assert ended(watched, prompt_id="p").startswith("Ralph Loop: STOPPED - Max iterations reached (1) | ")
    assert watched.stop(prompt_id="p") == SILENT
    watched.edit("new.py", UNUSED + "OTHER = 2\n")
    assert watched.stop(prompt_id="p2") == SILENT
    watched.edit("new.py", UNUSED + "OTHER = undefined\n")
    assert held(watched, prompt_id="p2") == 1


def test_a_loop_that_is_over_is_kept_when_the_session_is_held_later(watched: World) -> None:
    watched.start("the first", "--completion-promise", "YES", "--stagnation-limit", "0")
    assert ended(watched, message="<promise>YES</promise>") == "■ ended unchecked: the agent gave its promise"
    over = watched.state
    watched.edit("new.py", CLEAN)
    assert watched.stop(prompt_id="p") == SILENT
    kept = {key: value for key, value in watched.state.items() if value != over[key]}
    assert kept.keys() == {"current", "updated_at"}, "a loop's record is its own"
    watched.edit("new.py", UNUSED)
    answer = watched.stop(prompt_id="p")
    assert answer.notice == ONE_LEFT
    turn = watched.edits["turn"]
    assert [turn[key] for key in ("task_description", "completion_promise", "promise_only")] == ["", "", False]
    assert turn["loop_id"] != over["loop_id"]
    state = watched.state
    fields = ("loop_id", "task_description", "stop_reason", "completion_reason", "completion_promise", "iteration")
    assert [state[key] for key in fields] == [over["loop_id"], "the first", "complete", "Declared done", "YES", 1]
    assert state["settings"]["stagnation_limit"] == 0, "not those of the stop that held later"
    assert [held(watched, prompt_id="p") for _ in range(2)] == [2, 3]
    assert ended(watched, prompt_id="p") == "■ stuck: no improvement in 3 rounds"


def test_blocked_while_held_ends_it_with_the_agents_reason(watched: World) -> None:
    watched.edit("new.py", UNUSED)
    held(watched, prompt_id="p")
    assert ended(watched, message="<ralph>BLOCKED: no network</ralph>", prompt_id="p") == "■ blocked: no network"
    watched.edit("new.py", UNUSED + "OTHER = 2\n")
    assert watched.stop(prompt_id="p2") == SILENT


@pytest.mark.parametrize("marker", ["<jikime>DONE</jikime>", "<ralph>COMPLETE</ralph>"])
def test_done_while_held_ends_it_where_it_is_trusted_and_says_what_was_still_red(watched: World, marker: str) -> None:
    watched.write({"untilgreen.toml": 'marker = "trust"\n'})
    watched.edit("new.py", UNUSED)
    held(watched, prompt_id="p")
    answer = watched.stop(f"It is as it should be.\n{marker}", prompt_id="p")
    assert (answer.code, answer.stderr) == (0, "")
    assert answer.notice == "■ ended unchecked: the agent said it was done · 1 left in round 1: ruff 1"
    assert (watched.edits["turn"]["status"], watched.edits["turn"]["verified"]) == ("stopped", False)
    watched.edit("new.py", UNUSED + "OTHER = 2\n")
    assert watched.stop(prompt_id="p2") == SILENT


@pytest.mark.parametrize("marker", ["verify", "require"])
def test_where_a_marker_is_not_trusted_the_checks_decide(watched: World, marker: str) -> None:
    watched.write({"untilgreen.toml": f'marker = "{marker}"\n'})
    watched.edit("new.py", UNUSED)
    assert [held(watched, message="<jikime>DONE</jikime>", prompt_id="p") for _ in range(2)] == [1, 2]
    watched.edit("new.py", CLEAN)
    assert ended(watched, prompt_id="p") == "✓ what was red is gone after 3 rounds"


@pytest.mark.parametrize("first", ["p1", ""], ids=["a host with prompt ids", "a host without"])
def test_what_the_user_types_while_held_goes_first(watched: World, first: str) -> None:
    ids: dict[str, Any] = {"prompt_id": first} if first else {}
    watched.edit("new.py", UNUSED)
    watched.prompt("begin", **ids)
    assert held(watched, **ids) == 1
    watched.prompt("wait a moment", **ids)
    assert watched.stop(stop_hook_active=True, **ids) == SILENT
    assert watched.edits["turn"]["iteration"] == 2, "not counted"
    queued: dict[str, Any] = {"prompt_id": "p2"} if first else {}
    assert held(watched, **queued) == 1, "the turn of what was typed has rounds of its own"


def test_what_the_user_types_while_the_checks_run_goes_first(watched: World) -> None:
    go = slow_mypy(watched)
    watched.edit("new.py", UNUSED)
    stop = slow_stop(watched, prompt_id="p")
    watched.prompt("wait a moment", prompt_id="p")
    go.touch()
    assert watched.end(stop) == SILENT
    assert (watched.edits["unjudged"], watched.edits["turn"]) == (["new.py"], None)


def test_what_is_written_while_the_checks_run_is_judged_at_the_next_stop(watched: World) -> None:
    go = slow_mypy(watched)
    watched.edit("new.py", CLEAN)
    stop = slow_stop(watched)
    watched.edit("new.py", UNUSED)
    (watched.project / "new.py").touch()
    watched.edit("more.py", UNUSED)
    go.touch()
    assert watched.end(stop) == SILENT
    assert watched.edits["unjudged"] == ["new.py", "more.py"]
    unused = "ruff F401: `os` imported but unused (ruff check --fix)"
    assert sorted(watched.stop().stderr.split("\n")[1:]) == ["", THEN, f"more.py:1:8 {unused}", f"new.py:1:8 {unused}"]


def test_a_sub_agent_in_the_background_is_waited_for_twice_at_most(watched: World) -> None:
    tasks = [{"id": "a1", "type": "subagent", "status": "running", "description": "look"}]
    watched.edit("new.py", UNUSED)
    assert [watched.stop(prompt_id="p", background_tasks=tasks) for _ in range(2)] == [SILENT, SILENT]
    assert held(watched, prompt_id="p", background_tasks=tasks) == 1


@pytest.mark.parametrize("command", ["pytest -q", "npm run build"])
def test_a_check_in_the_background_is_waited_for_a_server_is_not(watched: World, command: str) -> None:
    def task(command: str) -> list[dict[str, str]]:
        return [{"id": command, "type": "shell", "status": "running", "command": command}]

    watched.edit("new.py", UNUSED)
    assert watched.stop(prompt_id="p", background_tasks=task(command)) == SILENT
    assert held(watched, prompt_id="p", background_tasks=task("npm run dev")) == 1


def test_stops_at_once_are_one(watched: World) -> None:
    watched.edit("new.py", UNUSED)
    payload = json.dumps(watched.payload(prompt_id="p"))
    stops = [watched.begin("stop-loop", stdin=None) for _ in range(6)]
    answers = sorted(watched.end(stop, payload) for stop in stops)
    assert answers[:5] == [SILENT] * 5
    assert answers[5].code == 2
    assert (watched.edits["turn"]["iteration"], len(watched.edits["turn"]["snapshots"])) == (2, 1)


def test_a_host_without_prompt_ids_has_its_prompts_counted(watched: World) -> None:
    watched.write({"untilgreen.toml": "stagnation_limit = 1\n"})
    watched.edit("new.py", wrong(0))
    assert held(watched) == 1
    assert ended(watched) == "■ stuck: no improvement in 1 round"
    watched.prompt("next")
    watched.edit("more.py", wrong(1))
    assert held(watched) == 1
    watched.edit("more.py", UNUSED)
    assert held(watched, stop_hook_active=True) == 2
    watched.prompt("and the next, after Esc")
    assert held(watched) == 1


def test_an_edit_that_is_killed_leaves_a_state_that_works(watched: World) -> None:
    watched.edit("new.py", CLEAN)
    payload = json.dumps(watched.edited("new.py", UNUSED, CLEAN))
    began = time.monotonic()
    assert watched.process("post-tool-lint", stdin=payload).code == 0
    seconds = time.monotonic() - began
    for number in range(12):
        watched.write({"new.py": UNUSED})
        edit = watched.begin("post-tool-lint", stdin=payload)
        time.sleep(seconds * number / 12)
        os.kill(edit.pid, signal.SIGKILL)
        edit.communicate()
        assert (watched.edits["schema_version"], watched.edits["written"]) == (2, ["new.py"])
    assert watched.edit("new.py", f"{UNUSED}OTHER = undefined\n").context != ""
    assert held(watched) == 1
    assert sorted(watched.folder.glob("*corrupt*")) == []


def test_a_stop_that_is_killed_is_judged_again(watched: World) -> None:
    watched.edit("new.py", UNUSED)
    stop = watched.begin("stop-loop", stdin=json.dumps(watched.payload(prompt_id="p")))
    time.sleep(0.15)
    os.kill(stop.pid, signal.SIGKILL)
    stop.communicate()
    turn = watched.edits["turn"]
    expected = turn["iteration"] if turn else 1
    assert held(watched, prompt_id="p") == expected


def test_state_that_cannot_be_saved_lets_go_and_says_so(watched: World) -> None:
    watched.edit("new.py", UNUSED)
    (watched.folder / "state.lock").unlink()
    (watched.folder / "state.lock").mkdir()
    before = watched.state
    answer = watched.stop(prompt_id="p")
    assert (answer.code, answer.stderr) == (0, "")
    assert answer.notice.startswith("untilgreen: the state could not be saved: ")
    assert answer.notice.endswith("; the stop was not judged")
    assert watched.state == before
    (watched.folder / "state.lock").rmdir()
    assert held(watched, prompt_id="p") == 1
