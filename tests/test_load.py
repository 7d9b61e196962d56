"""Many processes at once: nothing is lost, nothing counts twice, and nobody waits for a check that is not his own."""

import json
import uuid
from pathlib import Path

from eventually import eventually
from near import Call
from world import Answer, World

WRITERS = 24


def running(world: World, pattern: str) -> list[str]:
    """The command lines of the live processes that hold `pattern`."""
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdecimal():
            try:
                line = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
            except OSError:
                continue
            if pattern in line:
                found.append(line)
    return found


def gate(world: World) -> tuple[Path, str, str]:
    """A check that waits: the file that lets it end, the file that it leaves when it runs, and its command."""
    opened, entered = world.tmp / "opened", world.tmp / "entered"
    script = world.tmp / "gate.sh"
    wait = f'n=0\nwhile [ ! -e "{opened}" ] && [ $n -lt 1200 ]; do sleep 0.05; n=$((n + 1)); done\n'
    script.write_text(f'echo $$ >> "{entered}"\n{wait}exit 1\n')
    return opened, str(entered), f"gate=sh {script}"


def all_of(world: World, commands: list[list[str]]) -> list[Answer]:
    """Run the commands at once."""
    return world.at_once(*(Call(tuple(words)) for words in commands))


def test_loops_that_start_at_once_in_one_project_are_all_there(red: World) -> None:
    sessions = [str(uuid.uuid4()) for _ in range(WRITERS)]
    answers = all_of(
        red,
        [
            ["start-loop", f"task {s}", "--session", s, "--criteria", "custom", "--check", "a=true", "--no-zero-errors"]
            for s in sessions
        ],
    )
    assert [(a.code, a.stderr) for a in answers] == [(0, "")] * WRITERS
    folder = red.project / ".untilgreen" / "sessions"
    documents = [json.loads((folder / s / "loop_state.json").read_text()) for s in sessions]
    assert [d["task_description"] for d in documents] == [f"task {s}" for s in sessions]
    assert {d["active"] for d in documents} == {True}
    left = [p.name for p in (red.project / ".untilgreen").rglob("*") if ".tmp" in p.name]
    assert left == []


def test_of_loops_that_start_at_once_for_the_next_session_one_waits(red: World) -> None:
    words = ["start-loop", "mend it", "--session", "next", "--no-zero-errors", "--check", "a=true"]
    answers = all_of(red, [words for _ in range(WRITERS)])
    assert sorted(a.code for a in answers) == [0] + [64] * (WRITERS - 1)
    [waits] = (red.project / ".untilgreen" / "next").iterdir()
    why = f"{waits.stem} waits for the next session already"
    cure = "end it with cancel-loop --session next, or start with --replace"
    assert {a.stderr for a in answers if a.code} == {f"start-loop failed: {why}. Fix: {cure}\n"}
    assert red.run(*words, "--replace").code == 0
    [now] = (red.project / ".untilgreen" / "next").iterdir()
    assert now != waits


def test_one_of_many_starts_in_one_session_wins(red: World) -> None:
    answers = all_of(
        red,
        [
            ["start-loop", f"task {n}", "--session", red.session, "--no-zero-errors", "--check", "a=true"]
            for n in range(WRITERS)
        ],
    )
    assert sorted(a.code for a in answers) == [0] + [64] * (WRITERS - 1)
    told = "a loop is running in this session (round 1 of 10). Fix: end it with cancel-loop, or start with --replace"
    assert {a.stderr for a in answers if a.code} == {f"start-loop failed: {told}\n"}
    (winner,) = [n for n, a in enumerate(answers) if a.code == 0]
    assert red.state["task_description"] == f"task {winner}"
    assert [one["event"] for one in red.journal] == ["start"]


def test_prompts_at_once_are_all_counted(red: World) -> None:
    red.start()
    red.prompt("go", prompt_id="first")
    before = red.known["prompts"]
    payloads = [
        json.dumps(
            {
                "session_id": red.session,
                "cwd": str(red.project),
                "hook_event_name": "UserPromptSubmit",
                "prompt": "and this?",
                "prompt_id": f"p{n}",
            }
        )
        for n in range(WRITERS)
    ]
    answers = red.at_once(*(Call(("session-loop",), payload.encode()) for payload in payloads))
    assert answers == [(0, "", "")] * WRITERS
    assert red.known["prompts"] == before + WRITERS


def test_stops_at_once_are_one_round(red: World) -> None:
    opened, entered, check = gate(red)
    red.start("wait", "--check", check)
    payload = json.dumps(red.payload())
    stops = [red.begin("stop-loop", stdin=payload) for _ in range(8)]
    eventually(lambda: sum(s.poll() is not None for s in stops) == 7, "seven of eight let go at once")
    eventually(Path(entered).exists, "the eighth has come to its check")
    assert len(Path(entered).read_text().split()) == 1
    opened.touch()
    answers = sorted(red.end(stop) for stop in stops)
    assert answers[:7] == [(0, "", "")] * 7
    assert answers[7].held
    assert (red.state["iteration"], len(red.state["snapshots"])) == (2, 1)
    assert [one["event"] for one in red.journal] == ["start", "continue"]


def test_stops_that_began_at_once_are_one_round_however_late_they_are_served(red: World) -> None:
    red.start()
    payload = json.dumps(red.payload())
    stops = [red.begin("stop-loop", stdin=None) for _ in range(8)]
    answers = [red.end(stop, payload) for stop in stops]
    assert [a.code for a in answers] == [2] + [0] * 7
    assert answers[1:] == [(0, "", "")] * 7
    assert (red.state["iteration"], len(red.state["snapshots"])) == (2, 1)


def test_a_cancel_does_not_wait_for_checks_and_the_stop_then_says_and_writes_nothing(red: World) -> None:
    opened, entered, check = gate(red)
    red.start("wait", "--check", check)
    stop = red.begin("stop-loop", stdin=json.dumps(red.payload()))
    eventually(Path(entered).exists, "the check runs")
    assert red.run("cancel-loop", "--session", red.session).code == 0
    after = (red.folder / "loop_state.json").read_bytes(), (red.folder / "journal.jsonl").read_bytes()
    assert red.end(stop) == (0, "", "")  # the gate is shut: the check was ended, not awaited
    assert not opened.exists()
    assert (red.state["stop_reason"], red.state["iteration"], red.state["snapshots"]) == ("cancelled", 1, [])
    assert ((red.folder / "loop_state.json").read_bytes(), (red.folder / "journal.jsonl").read_bytes()) == after
    eventually(lambda: not running(red, str(red.tmp)), "what it ran runs on")


def test_an_uninstall_does_not_wait_for_checks_and_the_stop_then_says_nothing(red: World) -> None:
    opened, entered, check = gate(red)
    assert red.run("untilgreen", "init").code == 0
    red.start("wait", "--check", check)
    stop = red.begin("stop-loop", stdin=json.dumps(red.payload()))
    eventually(Path(entered).exists, "the check runs")
    assert red.run("untilgreen", "uninstall").code == 0
    assert red.end(stop) == (0, "", "")  # the gate is shut: the check was ended, not awaited
    assert not opened.exists()
    assert not (red.project / ".untilgreen").exists()


def test_a_loop_that_replaces_another_while_it_is_checked_is_untouched_by_that_stop(red: World) -> None:
    opened, entered, check = gate(red)
    red.start("the old one", "--check", check)
    old = red.state["loop_id"]
    stop = red.begin("stop-loop", stdin=json.dumps(red.payload()))
    eventually(Path(entered).exists, "the check runs")
    red.start("the new one", "--replace")
    new = (red.folder / "loop_state.json").read_bytes()
    assert red.end(stop) == (0, "", "")  # the gate is shut: the check was ended, not awaited
    assert not opened.exists()
    assert (red.folder / "loop_state.json").read_bytes() == new
    assert red.state["loop_id"] != old
    archived = json.loads((red.folder / "loops" / f"{old}.json").read_text())
    assert (archived["task_description"], archived["stop_reason"]) == ("the old one", "cancelled")
    assert [one["event"] for one in red.journal] == ["start", "cancel", "start"]


def test_a_user_who_speaks_while_the_checks_run_does_not_wait_for_them(red: World) -> None:
    opened, entered, check = gate(red)
    red.prompt(f"/untilgreen:loop --check '{check}' mend it", prompt_id="p1")
    stop = red.begin("stop-loop", stdin=json.dumps(red.payload(prompt_id="p1")))
    eventually(Path(entered).exists, "the check runs")
    red.prompt("how is it going?", prompt_id="p1")
    answer = red.end(stop)
    assert (answer.code, answer.stderr) == (0, "")
    assert answer.notice.startswith("untilgreen: loop paused in round 1 of 10")
    assert not opened.exists()  # the check was ended, not awaited
    assert red.state["active"] is True


def test_a_check_of_ones_own_runs_with_the_projects_own_programs(red: World) -> None:
    red.write({"app.py": "VALUE = 1\n", ".venv/bin/mine": "#!/bin/sh\necho from the environment\nexit 1\n"})
    (red.project / ".venv/bin/mine").chmod(0o755)
    red.start("mend it", "--check", "own=mine")
    assert "  own: exit-1 from the environment" in red.stop().stderr.split("\n")


def test_edits_at_once_are_all_kept(red: World) -> None:
    red.start("x", "--completion-promise", "DONE")
    names = [f"new_{number:02}.py" for number in range(WRITERS)]
    red.write(dict.fromkeys(names, "import os\n"))
    edits = [red.begin("post-tool-lint", stdin=json.dumps(red.edited(name, "", None))) for name in names]
    answers = [red.end(edit) for edit in edits]
    assert [(answer.code, answer.stderr) for answer in answers] == [(0, "")] * WRITERS
    found = "untilgreen: 1 new finding in {0}\n{0}:1:8: F401 `os` imported but unused"
    assert [answer.context for answer in answers] == [found.format(name) for name in names]
    state = red.state
    assert (sorted(red.edits["written"]), sorted(red.edits["unjudged"])) == (names, names)
    assert state["current"]["error_count"] == WRITERS
    assert [detail["path"] for detail in state["current"]["file_details"]] == names
    assert len(list((red.folder / "originals").iterdir())) == WRITERS
    assert [path for path in red.folder.rglob("*") if ".tmp" in path.name or path.name.endswith(".log")] == []
