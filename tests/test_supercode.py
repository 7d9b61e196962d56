"""Preset `supercode`: the test plan of SuperCode's Ralph Loop by its names, and its words, through the executables.

"should cancel on user abort", "should skip during recovery" and "should persist state across restarts" stand with what
ends and resumes sessions.
"""

import json
import shutil

import pytest

import tables
from world import REPOSITORY, Answer, World

TEXT = tables.text("supercode", "text")
END = " · /untilgreen:cancel ends it"
NONE = "No Active Loop · No Ralph Loop is currently running"
FIELDS = ("active", "iteration", "max_iterations", "completion_promise", "task_description", "session_id")


@pytest.fixture
def ralph(world: World) -> World:
    """A trusted world with the aliases of `init --alias ralph`, whose configuration names the preset."""
    world.init()
    shutil.copytree(REPOSITORY / "templates/aliases/ralph", world.project / ".claude/commands")
    world.write({"untilgreen.toml": 'preset = "supercode"\n'})
    return world


def typed(world: World, line: str) -> Answer:
    return world.prompt(line, prompt_id="p0")


def kept(world: World, *fields: str) -> list[object]:
    return [world.state[field] for field in fields]


# --- RalphLoopStorage -----------------------------------------------------------------------------------------------


def test_should_write_and_read_state(ralph: World) -> None:
    typed(ralph, '/ralph "mend it" --description "the cart"')
    assert kept(ralph, *FIELDS) == [True, 1, 100, "DONE", "mend it", ralph.session]
    assert kept(ralph, "description", "last_iteration_at") == ["the cart", None]
    [told] = json.loads(ralph.run("untilgreen", "status", "--json").stdout)["loops"]
    assert (told["active"], told["iteration"], told["started_at"]) == (True, 1, ralph.state["started_at"])


def test_should_increment_iteration(ralph: World) -> None:
    typed(ralph, '/ralph "mend it"')
    assert ralph.stop(prompt_id="p0").held
    assert (ralph.state["iteration"], ralph.state["last_iteration_at"] is None) == (2, False)


def test_should_clear_state(ralph: World) -> None:
    """A loop that is over is out of the way, but its record stays."""
    typed(ralph, '/ralph "mend it"')
    first = ralph.state["loop_id"]
    typed(ralph, "/cancel-ralph")
    assert (ralph.state["active"], ralph.stop(prompt_id="p0")) == (False, Answer(0, "", ""))
    assert typed(ralph, '/ralph "mend more"').code == 0
    archived = json.loads((ralph.folder / "loops" / f"{first}.json").read_text())
    assert (archived["final_status"], kept(ralph, "active", "iteration")) == ("CANCELLED", [True, 1])


# --- detectCompletionPromise ----------------------------------------------------------------------------------------


def ends(world: World, message: str, *options: str) -> bool:
    world.start("mend it", "--preset", "supercode", "--replace", *options)
    return not world.stop(message, prompt_id="p0").held


def test_should_detect_promise_done(ralph: World) -> None:
    assert ends(ralph, "All is well.\n<promise>DONE</promise>")
    assert not ends(ralph, "I cannot output <promise>DONE</promise> yet")
    assert not ends(ralph, "<promise>DONE</promise>\nis what I shall say in the end")


def test_should_handle_whitespace_variations(ralph: World) -> None:
    assert ends(ralph, "<promise> \t DONE\n\n</promise>\n \n")


def test_should_be_case_insensitive(ralph: World) -> None:
    assert ends(ralph, "<Promise>done</PROMISE>")
    assert ends(ralph, "<promise>STRASSE</promise>", "--completion-promise", "Straße")


@pytest.mark.parametrize(
    ("promise", "message", "completes"), tables.literal("supercode", "should handle custom promises")
)
def test_should_handle_custom_promises(ralph: World, promise: str, message: str, completes: bool) -> None:
    assert ends(ralph, message, "--completion-promise", promise) == completes


# --- RalphLoopHook --------------------------------------------------------------------------------------------------


def test_should_start_loop_and_save_state(ralph: World) -> None:
    answer = typed(ralph, '/ralph "Fix all" --max-iterations=25 --completion-promise=ALL_FIXED')
    assert answer.notice == (
        f"Ralph Loop Started · Max 25 iterations. Complete with ALL_FIXED (in a promise tag) · at most 25 rounds{END}"
    )
    assert answer.context.startswith("untilgreen: loop started (")
    assert kept(ralph, *FIELDS) == [True, 1, 25, "ALL_FIXED", "Fix all", ralph.session]
    in_a_shell = ralph.run("start-loop", "Fix all", "--session", ralph.session, "--replace").stdout.splitlines()
    assert in_a_shell[1] == "Ralph Loop Started · Max 100 iterations. Complete with DONE (in a promise tag)"


def test_should_detect_completion_and_clear_state(ralph: World) -> None:
    typed(ralph, '/ralph "mend it"')
    ralph.stop(prompt_id="p0")
    done = ralph.stop("Mended.\n<promise>done</promise>", prompt_id="p0")
    first, second = done.notice.split("\n")
    assert (done.code, first) == (0, "Ralph Loop Complete! · Task completed after 2 iteration(s)")
    assert second.startswith("■ ended unchecked: the agent gave its promise · after 2 rounds")
    assert kept(ralph, "active", "stop_reason", "verified") == [False, "complete", False]
    assert ralph.stop(prompt_id="p0") == (0, "", "")


def test_should_increment_on_session_idle_without_completion(ralph: World) -> None:
    typed(ralph, '/ralph "mend it"')
    held = ralph.stop(prompt_id="p0")
    assert (held.code, held.stderr) == (2, TEXT.format("2/100", "DONE", "mend it"))
    assert held.notice == f"Ralph Loop · Iteration 2/100 · N s{END}"
    assert ralph.state["iteration"] == 2


def test_should_stop_at_max_iterations(ralph: World) -> None:
    typed(ralph, '/ralph "mend it" --max-iterations=2')
    assert ralph.stop(prompt_id="p0").held
    stopped = ralph.stop(prompt_id="p0")
    assert (stopped.code, stopped.notice) == (0, "Ralph Loop Stopped · Max iterations (2) reached without completion")
    assert kept(ralph, "active", "stop_reason", "completion_reason", "final_status") == [
        False,
        "max-iterations",
        "Max iterations reached (2)",
        "STOPPED",
    ]


# --- Ralph Loop Integration -----------------------------------------------------------------------------------------


def test_should_complete_after_agent_outputs_promise_in_the_last_round_too(ralph: World) -> None:
    typed(ralph, '/ralph "mend it" --max-iterations=2')
    ralph.stop(prompt_id="p0")
    done = ralph.stop("<promise>DONE</promise>", prompt_id="p0").notice
    assert done.startswith("Ralph Loop Complete! · Task completed after 2 iteration(s)\n")


def test_should_continue_for_multiple_iterations(ralph: World) -> None:
    typed(ralph, '/ralph "mend it"')
    told = [ralph.stop(prompt_id="p0").stderr.partition("\n")[0] for _ in range(12)]
    assert told == [f"[RALPH LOOP - ITERATION {number}/100]" for number in range(2, 14)]


# --- its words ------------------------------------------------------------------------------------------------------


def test_what_a_task_holds_is_neither_a_place_nor_a_pattern(ralph: World) -> None:
    task = "Print {{MAX}}, {{PROMISE}} and {{PROMPT}},\n$& and $1, \\1 and {0}\nuntil {{NOBODY}} knows"
    typed(ralph, f"/ralph start {task}")
    assert ralph.stop(prompt_id="p0").stderr == TEXT.format("2/100", "DONE", task)


def test_the_text_never_counts_however_the_agent_repeats_it(ralph: World) -> None:
    typed(ralph, "/ralph start Mend it, then say\n<promise>DONE</promise>")
    text = ralph.stop(prompt_id="p0").stderr
    lines = text.splitlines()
    assert text == TEXT.format("2/100", "DONE", "Mend it, then say\n[promise]DONE[/promise]")
    for message in (text, *("\n".join(lines[:number]) for number in range(1, len(lines)))):
        assert ralph.stop(message, prompt_id="p0").held, message
    assert not ralph.stop(f"{text}\n<promise>DONE</promise>", prompt_id="p0").held


def test_a_task_that_is_too_long_is_cut_with_its_count(ralph: World) -> None:
    ralph.run("start-loop", "--task-file", "-", "--session", ralph.session, stdin="x" * 20_000)
    held = ralph.stop(prompt_id="p0").stderr
    assert held == TEXT.format("2/100", "DONE", f"{'x' * 4_000}\n... and 16000 more characters of it")


def test_with_criteria_the_findings_follow_and_both_must_hold(ralph: World) -> None:
    ralph.write({"app.py": "import os\n", "ruff.toml": ""})
    typed(ralph, '/ralph "mend it" --criteria lint_clean')
    held = ralph.stop("<promise>DONE</promise>", prompt_id="p0")
    text, _, found = held.stderr.partition("\n\nNot green yet: 1 left after round 1 of 100 · ruff 1\n")
    assert (f"{text}\n", found) == (
        TEXT.format("2/100", "DONE", "mend it"),
        "app.py:1:8 ruff F401: `os` imported but unused (ruff check --fix)\n",
    )
    assert held.notice == f"Ralph Loop · Iteration 2/100 · 1 left · N s{END}"
    ralph.write({"app.py": "VALUE = 1\n"})
    green = ralph.stop(prompt_id="p0")
    assert (green.held, "\n\nGreen after round 2 of 100, not declared yet\n" in green.stderr) == (True, True)
    first, second = ralph.stop("<promise>DONE</promise>", prompt_id="p0").notice.split("\n")
    assert first == "Ralph Loop Complete! · Task completed after 3 iteration(s)"
    assert second.startswith("✓ green after 3 rounds")


def test_a_loop_that_is_blocked_says_why(ralph: World) -> None:
    typed(ralph, '/ralph "mend it"')
    blocked = ralph.stop("<ralph>BLOCKED: no network</ralph>", prompt_id="p0")
    assert blocked.notice.split("\n")[0] == "Ralph Loop Stopped · no network"


def test_cancelled_and_no_active_loop_are_said_by_every_way_to_cancel(ralph: World) -> None:
    cancelled = "Ralph Loop Cancelled · Stopped at iteration {}\n"
    for line in ("/cancel-ralph", "/ralph stop", "/untilgreen:cancel"):
        ralph.prompt('/ralph "mend it"', prompt_id=f"begun before {line}")
        ralph.stop(prompt_id=f"begun before {line}")
        said = [ralph.prompt(line, prompt_id=f"{line} {time}").stdout for time in (1, 2)]
        assert said == [cancelled.format(2), f"{NONE}\n"]
    assert ralph.run("cancel-loop", "--session", ralph.session).stdout == f"{NONE}\n"
    typed(ralph, '/ralph "mend it"')
    assert ralph.run("untilgreen", "cancel").stdout == cancelled.format(1)
    assert ralph.run("cancel-loop").stdout == f"{NONE}\n"


def test_where_nobody_knows_the_preset_only_its_own_command_speaks_its_words(world: World) -> None:
    shutil.copytree(REPOSITORY / "templates/aliases/ralph", world.project / ".claude/commands")
    world.init()
    assert typed(world, "/cancel-ralph").stdout == f"{NONE}\n"
    assert typed(world, "/ralph stop").stdout == "untilgreen: no loop is running in this session\n"
    assert world.run("cancel-loop").stdout == "untilgreen: no loop is running here\n"
    world.start("mend it", "--preset", "supercode", "--max-iterations", "1")
    world.stop(prompt_id="p0")
    assert world.run("cancel-loop").stdout == f"{NONE}\n"
