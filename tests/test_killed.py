"""Killed at any point: the state is the old or the new document, and the next stop works."""

import json
import os
import random
import signal
import time
from pathlib import Path

import pytest

from eventually import eventually, gone, lives
from untilgreen.core import document
from untilgreen.core.model.event import Session
from untilgreen.core.model.loop import SCHEMA_VERSION, Loop
from world import World

SAID = ("untilgreen: the loop of this session was", "untilgreen: the last stop was broken off")
CHECK = ("--no-zero-errors", "--check", "a=false", "--stagnation-limit", "0", "--max-iterations", "1000")


class Commands:
    """The commands that write the state of one session, as command line and payload."""

    def __init__(self, world: World) -> None:
        prompt = {"hook_event_name": "UserPromptSubmit", "session_id": world.session, "cwd": str(world.project)}
        self.world = world
        self.all: dict[str, tuple[list[str], str]] = {
            "stop": (["stop-loop"], json.dumps(world.payload())),
            "start": (["start-loop", "again", "--session", world.session, "--replace", *CHECK], ""),
            "cancel": (["cancel-loop", "--session", world.session], ""),
            "prompt": (["session-loop"], json.dumps(prompt | {"prompt": "go on", "prompt_id": "p"})),
            "typed": (
                ["session-loop"],
                json.dumps(prompt | {"prompt": f"/untilgreen:loop x --replace {' '.join(CHECK)}"}),
            ),
        }

    def seconds(self, name: str) -> float:
        """How long this command takes when nobody kills it."""
        began = time.monotonic()
        words, payload = self.all[name]
        self.world.end(self.world.begin(*words, stdin=payload))
        return time.monotonic() - began

    def killed(self, name: str, after: float) -> bool:
        """Begin the command and kill it, whatever it is at; False where it had come to its end."""
        words, payload = self.all[name]
        process = self.world.begin(*words, stdin=payload)
        time.sleep(after)
        process.kill()
        process.communicate()
        return process.returncode == -signal.SIGKILL


def loop_of(world: World) -> Loop:
    """The state, whole and valid."""
    doc = json.loads((world.folder / "loop_state.json").read_text())
    assert doc["schema_version"] == SCHEMA_VERSION
    return document.load(Loop, doc)


def is_successor(name: str, old: Loop, new: Loop) -> bool:
    """Whether `new` is what the command makes of `old` when it comes to its end."""
    if name == "stop":
        return (
            new.loop_id == old.loop_id
            and new.active
            and len(new.history.snapshots) == new.rounds.iteration - 1 == old.rounds.iteration
        )
    if name == "cancel":
        return (new.loop_id, new.end.stop_reason, new.active) == (old.loop_id, "cancelled", False)
    return name in ("start", "typed") and new.loop_id != old.loop_id and new.active and new.history.snapshots == ()


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.wide) for seed in range(1, 4))])
def test_a_killed_command_leaves_the_old_or_the_new_document(red: World, seed: int, kills: int) -> None:
    chance = random.Random(seed)
    commands = Commands(red)
    names = list(commands.all)
    red.start("first", *CHECK)
    seconds = {name: commands.seconds(name) for name in ("stop", "prompt", "cancel", "start", "typed")}
    count = 0
    while count < kills // 4:
        if not loop_of(red).active:
            red.start("anew", *CHECK)
        name = chance.choice(names)
        old = loop_of(red)
        count += commands.killed(name, chance.uniform(0, 1.1) * seconds[name])
        new = loop_of(red)
        assert new == old or is_successor(name, old, new), name
        red.write({"notes.txt": f"{chance.random()}"})  # an answer to the user that changes nothing would be let go
        answer = red.stop(prompt_id="p")
        assert name != "stop" or "by hand" not in answer.notice
        if new.active and not answer.held:  # a prompt was counted: the user went first
            line = answer.notice.rpartition("\n")[2]  # what was not said yet stands before it
            assert line == "" or line.startswith(("untilgreen: loop still running", *SAID)), (name, answer)
            answer = red.stop(prompt_id="p")
        assert (answer.held, answer.code == 0) == (new.active, not new.active), (name, answer)
        assert new.active or answer.notice.startswith(SAID)
        assert new.active or red.stop(prompt_id="p") == (0, "", "")
    document.load(Session, json.loads((red.folder / "session.json").read_text()))
    assert sorted(red.folder.glob("*corrupt*")) == []


def test_a_stop_that_is_told_to_end_takes_its_checks_with_it(red: World) -> None:
    marks = red.tmp / "marks"
    marks.mkdir()
    stubborn = f'trap "" TERM; echo $$ > {marks}/$1; sleep 600 & echo $! > {marks}/$1.child; while :; do sleep 1; done'
    (red.tmp / "stubborn.sh").write_text(stubborn)
    (red.tmp / "plain.sh").write_text(f"echo $$ > {marks}/$1; exec sleep 600")
    scripts = {"a": "stubborn", "b": "stubborn", "c": "stubborn", "d": "plain"}
    checks = [
        word for name, script in scripts.items() for word in ("--check", f"{name}=sh {red.tmp}/{script}.sh {name}")
    ]
    red.start("wait", "--no-zero-errors", *checks)
    before = (red.folder / "loop_state.json").read_bytes()
    stop = red.begin("stop-loop", stdin=json.dumps(red.payload()))
    wanted = {"a", "a.child", "b", "b.child", "c", "c.child", "d"}
    eventually(lambda: {p.name for p in marks.iterdir() if p.read_text().strip()} == wanted)
    pids = [int(path.read_text()) for path in marks.iterdir()]
    os.killpg(stop.pid, signal.SIGTERM)
    answer = red.end(stop)
    told = "untilgreen: stop-loop was told to end (signal 15); nothing was judged"
    assert (answer.code, answer.notice, answer.stderr) == (0, told, "")
    assert gone(*pids)
    assert (red.folder / "loop_state.json").read_bytes() == before
    assert [path.name for path in red.tmp.iterdir() if path.name.startswith("untilgreen")] == []
    assert red.run("cancel-loop", "--session", red.session).code == 0


def waiting(red: World) -> Path:
    """A loop whose check waits, and leaves a child; where both note their ids, once they run."""
    (red.tmp / "slow.sh").write_text(f"sleep 600 & echo $! > {red.tmp}/child; echo $$ > {red.tmp}/slow; wait")
    red.start("wait", "--no-zero-errors", "--check", f"slow=sh {red.tmp}/slow.sh")
    return red.tmp / "slow"


def test_what_a_stop_that_codex_killed_had_started_ends_when_its_user_interrupts(red: World) -> None:
    mark = waiting(red)
    before = (red.folder / "loop_state.json").read_bytes()
    stop = red.begin("stop-loop", "--host", "codex", stdin=json.dumps(red.payload()))
    eventually(lambda: mark.exists() and mark.read_text().strip() != "")
    pids = [int((red.tmp / name).read_text()) for name in ("slow", "child")]
    stop.kill()
    stop.communicate()
    assert [pid for pid in pids if lives(pid)] == pids
    told = json.dumps(red.payload(hook_event_name="Interrupt"))
    assert red.run("session-loop", "--host", "codex", stdin=told) == (0, "", "")
    assert gone(*pids)
    assert (red.folder / "loop_state.json").read_bytes() == before
    assert red.run("session-loop", "--host", "codex", stdin=told) == (0, "", ""), "there is nothing left to end"


def test_a_stop_ends_with_its_checks_when_gemini_notes_that_its_user_broke_it_off(red: World) -> None:
    mark = waiting(red)
    before = (red.folder / "loop_state.json").read_bytes()
    log = red.home / "chat.jsonl"
    log.write_text('{"id": "1", "type": "user", "content": "x"}\n{"id": "2", "type": "gemini", "content": "Done."}\n')
    stop_ = {"session_id": red.session, "cwd": str(red.project), "transcript_path": str(log)}
    told = json.dumps(stop_ | {"hook_event_name": "AfterAgent", "prompt": "x", "prompt_response": "Done."})
    stop = red.begin("stop-loop", "--host", "gemini", stdin=told)
    eventually(lambda: mark.exists() and mark.read_text().strip() != "")
    pids = [int((red.tmp / name).read_text()) for name in ("slow", "child")]
    with log.open("a") as file:
        file.write('{"id": "3", "type": "info", "content": "Request cancelled."}\n{"$set": {"lastUpdated": "now"}}\n')
    answer = red.end(stop)
    why = "untilgreen: stop-loop was told to end (signal 2); nothing was judged"
    assert (answer.code, answer.notice, answer.stderr) == (0, why, "")
    assert gone(*pids)
    assert (red.folder / "loop_state.json").read_bytes() == before


def test_what_a_check_says_while_the_stop_sleeps_is_not_lost(red: World) -> None:
    # a suspended machine, or Ctrl-Z: the check is over before the stop looks again
    began, over = red.tmp / "began", red.tmp / "over"
    (red.tmp / "late.sh").write_text(f"touch {began}; sleep 1; echo the last words; touch {over}; exit 1")
    red.start("wait", "--no-zero-errors", "--check", f"late=sh {red.tmp}/late.sh")
    stop = red.begin("stop-loop", stdin=json.dumps(red.payload()))
    eventually(began.exists)
    time.sleep(0.5)
    os.kill(stop.pid, signal.SIGSTOP)
    eventually(over.exists)
    time.sleep(0.3)
    os.kill(stop.pid, signal.SIGCONT)
    answer = red.end(stop)
    assert answer.stderr.split("\n")[1:3] == ["Failing:", "  late: exit-1 the last words"], answer


def test_a_talking_process_that_a_check_leaves_behind_is_not_waited_for(red: World) -> None:
    server = "(while :; do echo tick; sleep 0.1; done) & echo $! > server.pid"
    red.start("serve", "--no-zero-errors", "--check", f"serve=sh -c '{server}'")
    red.write({"new.txt": "a change"})
    answer = red.run("stop-loop", "--deadline", "20", stdin=json.dumps(red.payload()))
    assert (answer.code, answer.notice.split(" | ")[0]) == (0, "Ralph Loop: COMPLETE - All conditions satisfied")
    server_id = int((red.project / "server.pid").read_text())
    assert gone(server_id)
