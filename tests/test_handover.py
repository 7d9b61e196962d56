"""`untilgreen resume --to`: a loop goes on in another host, in its round; by payloads, and with a script for a host."""

import json
import os
import uuid
from pathlib import Path
from typing import Any

import pexpect  # type: ignore[import-untyped]
import pytest

import tables
from in_terminal import terminal
from untilgreen.state import locks
from world import Answer, World

SILENT = Answer(0, "", "")
OTHER = "0a0a0a0a-1111-2222-3333-444444444444"
TASK = {"id": "b1", "type": "shell", "status": "running", "description": "a build", "command": "make all"}
# a host that says the prompt to the hooks, wants to stop, mends what it is told of, and stops again
HOST = tables.text("handover", "host")


class Second:
    """The host that gets the loop: what it was asked, and what the hooks said to it."""

    def __init__(self, world: World) -> None:
        self.folder = world.programs
        (self.folder / "claude").write_text(HOST % OTHER)
        (self.folder / "claude").chmod(0o755)

    @property
    def asked(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads((self.folder / "asked.json").read_text())
        return found

    @property
    def said(self) -> list[Answer]:
        return [Answer(*one) for one in json.loads((self.folder / "said.json").read_text())]


@pytest.fixture
def held(red: World) -> World:
    """A world with our hooks registered, whose loop was held once: it is in round 2 of 10, and its turn goes on."""
    assert red.run("untilgreen", "init", "--host", "claude-code").code == 0
    assert red.prompt("/untilgreen:loop Make the app work", prompt_id="a1").code == 0
    assert red.stop(prompt_id="a1").held
    return red


def folder_of(world: World, session: str) -> Path:
    return world.project / ".untilgreen" / "sessions" / session


def state_of(world: World, session: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder_of(world, session) / "loop_state.json").read_text())
    return found


def test_a_loop_goes_on_in_another_session_in_its_round_to_green_and_the_first_is_held_no_more(held: World) -> None:
    second, before = Second(held), held.state
    answer = held.run("untilgreen", "resume", "--to", "claude-code", "--", "--model", "opus")
    goes, at_work, ended, task = answer.stderr.splitlines()
    assert (answer.code, answer.stdout) == (0, "It is green.\n"), answer
    assert goes == f"untilgreen: {before['loop_id']} goes to Claude Code, round 2 of 10"
    assert at_work.startswith(f"untilgreen: session {held.session} of Claude Code may still be at work: ")
    assert (ended.partition(", ")[0], task) == ("✓ green after 3 rounds", f"  {before['task_description']}")
    asked = second.asked
    assert asked["args"] == ["-p", "--output-format", "json", "--model", "opus"]
    assert (asked["cwd"], set(asked["env"].values())) == (str(held.project), {""})
    assert asked["prompt"].startswith(
        "## Task\nMake the app work\n\n## Stop Rules\nRound 2 of 10. Claude Code was at work on this before you, "
    )
    assert "\n## Ralph Feedback\nNot green yet: 1 left after round 1 of 10 · ruff 1\n" in asked["prompt"]
    prompted, red, green = second.said
    assert prompted.context.startswith("untilgreen: loop still running, round 2 of 10: Make the app work")
    assert red.stderr.startswith("Not green yet: 1 left after round 2 of 10 · ruff 1\n")
    assert green.notice.startswith("✓ green after 3 rounds, ")
    after = state_of(held, OTHER)
    same = ("loop_id", "started_at", "tree_at_start", "start_ref", "completion_criteria", "max_iterations", "plan")
    assert {name: after[name] for name in same} == {name: before[name] for name in same}
    assert [one["iteration"] for one in after["snapshots"]] == [1, 2, 3]
    assert (after["sessions"], after["stop_reason"], after["verified"]) == ([held.session], "complete", True)
    assert after["elapsed_seconds"] >= before["elapsed_seconds"]
    assert "## Iteration 1\n" in (folder_of(held, OTHER) / "ralph-summary.md").read_text()
    # the first one: told once, and not held, whatever it writes
    named = f"untilgreen: the loop of this session was handed over to Claude Code: {before['loop_id']} "
    assert held.stop(prompt_id="a1").notice.startswith(named)
    held.edit("app.py", "import sys\n")
    assert held.stop(prompt_id="a1") == SILENT
    assert held.prompt("and?", prompt_id="a2") == SILENT


def test_two_hosts_are_answered_each_in_its_own_form_and_their_rounds_are_of_one_count(held: World) -> None:
    (held.programs / "codex").write_text("#!/bin/sh\n")
    (held.programs / "codex").chmod(0o755)
    assert held.run("untilgreen", "init", "--host", "codex").code == 0
    assert not held.stop(prompt_id="a1", background_tasks=[TASK]).held
    assert held.state["waited"] == {"b1": 1}
    waits = held.run("untilgreen", "resume", "--to", "codex")
    assert "no hook of its session took the loop" in waits.stderr

    def says(hook: str, event: str, **fields: Any) -> Answer:
        payload = {"session_id": OTHER, "cwd": str(held.project), "turn_id": "t1", "hook_event_name": event} | fields
        return held.run(hook, "--host", "codex", stdin=json.dumps(payload))

    assert "round 2 of 10" in says("session-loop", "UserPromptSubmit", prompt="Go on").stdout
    red = says("stop-loop", "Stop", last_assistant_message="Done.")
    hold = json.loads(red.stdout)
    assert (red.code, red.stderr, set(hold)) == (0, "", {"decision", "reason", "systemMessage"})
    assert hold["reason"].startswith("Not green yet: 1 left after round 2 of 10 · ruff 1\n")
    held.write({"app.py": "VALUE = 1\n"})
    green = says("stop-loop", "Stop", last_assistant_message="Mended.", stop_hook_active=True)
    assert green.notice.startswith("✓ green after 3 rounds, ")
    after = state_of(held, OTHER)
    assert [one["iteration"] for one in after["snapshots"]] == [1, 2, 3]
    assert (after["host"], after["stop_reason"], after["waited"]) == ("codex", "complete", {})


def test_at_a_terminal_the_other_host_itself_takes_the_place_of_the_command(held: World) -> None:
    second = Second(held)
    with terminal(held, "resume", "--to", "claude-code") as shown:
        shown.expect(r"goes to Claude Code, round 2 of 10\r\n")
        shown.expect(pexpect.EOF)
    assert shown.wait() == 0
    [prompt] = second.asked["args"]
    assert prompt == second.asked["prompt"]
    assert prompt.startswith("## Task\nMake the app work\n")
    assert state_of(held, OTHER)["stop_reason"] == "complete"


def test_it_waits_for_that_host_alone_and_not_for_the_session_that_gave_it(held: World) -> None:
    (held.programs / "claude").write_text("#!/bin/sh\nexit 3\n")
    (held.programs / "claude").chmod(0o755)
    answer = held.run("untilgreen", "resume", "--to", "claude-code", "--print")
    assert (answer.code, answer.stdout) == (64, "")
    assert answer.stderr.splitlines()[-1] == (
        "untilgreen failed: Claude Code ended, and no hook of its session took the loop, which waits for the next one. "
        "Fix: run untilgreen doctor"
    )
    assert held.prompt("and?", prompt_id="a2").notice.startswith("untilgreen: the loop of this session was handed over")
    assert not (held.folder / "loop_state.json").exists()
    [path] = (held.project / ".untilgreen" / "next").glob("*.json")
    path.write_text(json.dumps(json.loads(path.read_text()) | {"host": "nobody's"}))
    assert held.prompt("hello", session_id=OTHER) == SILENT
    path.write_text(json.dumps(json.loads(path.read_text()) | {"host": "claude-code"}))
    assert "round 2 of 10" in held.prompt("hello", session_id=OTHER).context


def test_what_it_refuses_leaves_the_loop_where_it_is(held: World) -> None:
    refused = [
        ((), {}, "claude is not on the PATH. Fix: install Claude Code"),
        (("--to", "cloud-code"), {}, '--to is "cloud-code". Did you mean claude-code? Fix: give one of '),
        (("--session", OTHER), {}, "no loop runs here. Fix: untilgreen start TASK"),
        (("--json",), {}, "--to starts a host, and tells nothing as JSON. Fix: leave --json out"),
        (("--session", "next"), {}, "a loop that waits for the next session is nobody's yet. Fix: "),
        ((), {"CLAUDECODE": "1"}, "a host's session is around this shell. Fix: type it in a terminal of your own"),
    ]
    for words, env, reason in refused:
        answer = held.run("untilgreen", "resume", "--to", "claude-code", *words, env=env)
        assert (answer.code, answer.stdout, reason in answer.stderr) == (64, "", True), (words, answer)
        Second(held)
    fd = locks.acquire(str(held.folder / "stop.lock"), 0)
    answer = held.run("untilgreen", "resume", "--to", "claude-code")
    os.close(fd)
    assert "a stop of that loop is being judged. Fix: wait for its verdict, or untilgreen cancel" in answer.stderr
    assert held.run("untilgreen", "start", "Another", "--session", "next").code == 0
    answer = held.run("untilgreen", "resume", "--to", "claude-code")
    assert "waits for the next session already" in answer.stderr
    assert held.run("untilgreen", "cancel", "--session", "next").code == 0
    assert held.state["iteration"] == 2
    (held.project / ".claude" / "settings.local.json").unlink()
    answer = held.run("untilgreen", "resume", "--to", "claude-code")
    fix = "Fix: run untilgreen init --host claude-code\n"
    assert answer == (64, "", f"untilgreen failed: no hook of untilgreen is registered with Claude Code here. {fix}")
    assert (held.stop(prompt_id="a1").held, held.state["iteration"]) == (True, 3)
    assert held.run("untilgreen", "cancel").code == 0
    answer = held.run("untilgreen", "resume", "--to", "claude-code", "--session", held.session)
    assert f"{held.state['loop_id']} is over: cancelled. Fix: untilgreen start TASK\n" in answer.stderr
    assert str(uuid.UUID(OTHER)) not in os.listdir(held.folder.parent)
