"""Full disks, read-only folders, state that is no state: the agent is let go, somebody is told, nothing is lost."""

import contextlib
import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import tables
from loops import new_loop
from untilgreen.core import document
from untilgreen.core.model.loop import SCHEMA_VERSION, Loop
from untilgreen.core.model.settings import Criteria
from untilgreen.state import store
from world import Answer, World

OWN_CHECK = ("--no-zero-errors", "--check", "a=false")


class Disk:
    """A file system of its own for the world's state, which only the processes started here see."""

    def __init__(self, world: World, options: str) -> None:
        self.world = world
        self.folder = world.project / ".untilgreen"
        self.folder.mkdir(mode=0o700)
        mount = f'mount -t tmpfs -o {options} tmpfs "{self.folder}" && echo mounted && exec sleep 600'
        self.holder = subprocess.Popen(["unshare", "--mount", "sh", "-c", mount], stdout=subprocess.PIPE)
        assert self.holder.stdout is not None
        assert self.holder.stdout.readline() == b"mounted\n"
        self.seen = Path(f"/proc/{self.holder.pid}/root{self.folder}")

    def run(self, *words: str, stdin: str = "") -> Answer:
        """Run an installed executable where the file system is there."""
        inside = ["nsenter", f"--mount=/proc/{self.holder.pid}/ns/mnt", f"--wd={self.world.project}"]
        executable = str(Path(sys.executable).parent / words[0])
        done = subprocess.run(
            [*inside, executable, *words[1:]],
            input=stdin.encode(),
            env=self.world.env,
            capture_output=True,
            timeout=120,
            check=False,
        )
        return Answer(done.returncode, done.stdout.decode(), done.stderr.decode())

    def stop(self) -> Answer:
        return self.run("stop-loop", stdin=json.dumps(self.world.payload()))

    def start(self, *options: str) -> Answer:
        return self.run("start-loop", "mend it", "--session", self.world.session, *OWN_CHECK, *options)

    def close(self, kind: str) -> None:
        """Let nothing be written any more: "full", without room and files that there may be, or "read-only"."""
        if kind == "read-only":
            self._remount("ro")
            return
        numbers = iter(range(100_000))
        with contextlib.suppress(OSError):
            while True:
                (self.seen / f"filler-{next(numbers)}").write_bytes(b"0" * 8192)

    def open(self) -> None:
        self._remount("rw")
        for path in self.seen.glob("filler-*"):
            path.unlink()

    def _remount(self, options: str) -> None:
        inside = ["nsenter", f"--mount=/proc/{self.holder.pid}/ns/mnt"]
        subprocess.run([*inside, "mount", "-o", f"remount,{options}", str(self.folder)], check=True)

    def state(self) -> bytes:
        return (self.seen / "sessions" / self.world.session / "loop_state.json").read_bytes()

    def files(self) -> list[str]:
        return sorted(str(path.relative_to(self.seen)) for path in self.seen.rglob("*") if "filler" not in path.name)


@pytest.fixture
def disk(red: World) -> Iterator[Callable[[str], Disk]]:
    """Make a file system for the state, by its mount options; gone with the test."""
    disks: list[Disk] = []

    def make(options: str) -> Disk:
        disks.append(Disk(red, options))
        return disks[-1]

    yield make
    for one in disks:
        one.holder.kill()
        one.holder.communicate()


def one_line(answer: Answer) -> bool:
    """A user error in one line."""
    return (answer.code, answer.stdout, answer.stderr.count("\n")) == (64, "", 1) and answer.stderr.endswith("\n")


@pytest.mark.needs("mounts")
@pytest.mark.parametrize("options", ["size=256k", "nr_inodes=64", "size=4m"])
@pytest.mark.parametrize("stops_before", [0, 1])
def test_where_nothing_can_be_written_the_agent_is_let_go_and_told(
    disk: Callable[[str], Disk], options: str, stops_before: int
) -> None:
    place, is_fixed = disk(options), options == "size=4m"
    assert place.start().code == 0
    for _ in range(stops_before):
        assert place.stop().held
    before, names = place.state(), place.files()
    place.close("read-only" if is_fixed else "full")
    answer = place.stop()
    assert (answer.code, answer.stderr) == (0, ""), answer
    assert re.match("(Ralph Loop: FAILED -|■ failed:) the state could not be saved: ", answer.notice), answer
    assert ("Read-only file system" if is_fixed else "No space left on device") in answer.notice
    assert place.state() == before
    advice = {f"sessions/{place.world.session}/stop.lock", "called", "called/stop-loop", "untilgreen.log"}
    assert set(place.files()) - set(names) <= (set() if is_fixed else advice)
    assert not is_fixed or place.files() == names
    place.open()
    assert place.stop().held


@pytest.mark.needs("mounts")
@pytest.mark.parametrize("kind", ["full", "read-only"])
def test_where_nothing_can_be_written_an_edit_is_told_and_a_stop_without_a_loop_let_go(
    disk: Callable[[str], Disk], kind: str
) -> None:
    place = disk("size=256k,nr_inodes=48")
    place.world.trust()
    text = "import os\n"
    place.world.write({"new.py": text})
    edit = json.dumps(place.world.edited("new.py", text, None))
    said = place.run("post-tool-lint", stdin=edit)
    assert said.context.startswith("untilgreen: 1 new finding in new.py")
    before = place.state()
    place.close(kind)
    assert place.run("post-tool-lint", stdin=edit) == said
    answer = place.stop()
    assert (answer.code, answer.stderr) == (0, ""), answer
    assert answer.notice.startswith("untilgreen: the state could not be saved: "), answer
    assert place.state() == before
    place.open()
    assert place.stop().held


@pytest.mark.needs("mounts")
@pytest.mark.parametrize("kind", ["full", pytest.param("read-only", marks=pytest.mark.wide)])
def test_where_nothing_can_be_written_commands_say_so_in_one_line(disk: Callable[[str], Disk], kind: str) -> None:
    place = disk("size=256k,nr_inodes=64")
    assert place.start().code == 0
    before = place.state()
    place.close(kind)
    session = place.world.session
    for answer in (
        place.start("--replace"),
        place.run("start-loop", "x", "--session", "next", *OWN_CHECK),
        place.run("cancel-loop", "--session", session),
    ):
        assert one_line(answer), answer
        assert "bug" not in answer.stderr
    prompt = {"hook_event_name": "UserPromptSubmit", "session_id": session, "cwd": str(place.world.project)}
    spoken = place.run("session-loop", stdin=json.dumps(prompt | {"prompt": "go on"}))
    assert (spoken.code, spoken.stderr) == (0, ""), spoken
    assert spoken.notice.startswith("untilgreen: "), spoken
    assert "a bug in untilgreen" not in spoken.notice
    typed = place.run("session-loop", stdin=json.dumps(prompt | {"prompt": "/untilgreen:loop x --replace"}))
    assert (typed.code, typed.stdout) == (2, ""), typed
    assert typed.stderr.startswith("untilgreen failed: cannot write"), typed
    assert place.state() == before


SEED_004 = tables.literal("faults", "seed 004")
UNREADABLE = {
    "corrupt": b"{",
    "cut off": json.dumps(SEED_004)[:100].encode(),
    "empty": b"",
    "no text": b"\x80\xff{}",
    "another's": json.dumps(SEED_004).encode(),
    "a list": b"[]",
    "a number": b"1",
    "too deep": b"[" * 100_000,
    "without fields": json.dumps({"schema_version": SCHEMA_VERSION}).encode(),
    "with a wrong type": json.dumps(SEED_004 | {"schema_version": 1, "loop_id": "a", "iteration": "2"}).encode(),
    "a version that is no number": json.dumps(SEED_004 | {"schema_version": "1"}).encode(),
}


@pytest.mark.parametrize("content", UNREADABLE.values(), ids=UNREADABLE.keys())
def test_what_is_no_state_is_put_aside_and_said_once(red: World, content: bytes) -> None:
    red.trust()
    red.folder.mkdir(parents=True)
    state = red.folder / "loop_state.json"
    for number in (1, 2):
        state.write_bytes(content)
        answer = red.stop()
        kept = red.folder / f"loop_state.json.corrupt-{number}"
        assert (answer.code, answer.stderr) == (0, "")
        assert answer.notice.startswith(f"untilgreen: {state} was not readable (")
        assert answer.notice.endswith(f"); it is kept as {kept.name}; the stop was not judged")
        assert len(answer.stdout.splitlines()) == 1
        assert kept.read_bytes() == content
        assert not state.exists()
        assert red.stop() == (0, "", "")
    assert "Traceback" not in (red.project / ".untilgreen" / "untilgreen.log").read_text()
    red.start("anew", *OWN_CHECK)
    assert red.stop().held


def test_a_folder_in_place_of_the_state_is_put_aside(red: World) -> None:
    red.trust()
    (red.folder / "loop_state.json").mkdir(parents=True)
    (red.folder / "loop_state.json" / "theirs").touch()
    assert "it is kept as loop_state.json.corrupt-1" in red.stop().notice
    assert (red.folder / "loop_state.json.corrupt-1" / "theirs").exists()
    assert red.stop() == (0, "", "")
    red.start("anew", *OWN_CHECK)
    assert red.stop().held


def test_a_prompt_counts_where_what_is_kept_cannot_be_read(red: World) -> None:
    red.start("mend it", *OWN_CHECK)
    assert red.stop(prompt_id="first").held
    edits = red.folder / "edits.json"
    edits.write_text("{")
    said = "it is kept as edits.json.corrupt-1"
    assert said in red.prompt("what is left?", prompt_id="second").notice
    assert edits.with_name("edits.json.corrupt-1").exists()
    assert red.stop(prompt_id="second").notice.startswith("untilgreen: loop paused"), "the user goes first"
    red.write({"new.py": ""})
    assert red.stop(prompt_id="second").held


def test_state_of_a_newer_version_is_left_alone(red: World) -> None:
    red.trust()
    red.folder.mkdir(parents=True)
    state = red.folder / "loop_state.json"
    content = json.dumps(SEED_004 | {"schema_version": SCHEMA_VERSION + 1, "who": "knows"}).encode()
    state.write_bytes(content)
    said = f"{state} was written by a newer untilgreen (schema {SCHEMA_VERSION + 1}); it is left alone"
    for _ in range(2):
        answer = red.stop()
        assert (answer.code, answer.stderr) == (0, "")
        assert answer.notice == f"untilgreen: {said}; the stop was not judged"
    for words in (("start-loop", "x", "--replace", *OWN_CHECK), ("cancel-loop",)):
        answer = red.run(*words, "--session", red.session)
        assert (answer.code, answer.stdout, answer.stderr) == (
            64,
            "",
            f"{words[0]} failed: {said}. Fix: run untilgreen doctor\n",
        )
    assert [path.name for path in red.folder.iterdir() if path.name.startswith("loop_state")] == [state.name]
    assert state.read_bytes() == content


def test_a_command_that_meets_unreadable_state_says_so_and_the_next_one_works(red: World) -> None:
    red.folder.mkdir(parents=True)
    state = red.folder / "loop_state.json"
    state.write_text("{")
    answer = red.run("start-loop", "x", "--session", red.session, *OWN_CHECK)
    assert one_line(answer), answer
    assert "it is kept as loop_state.json.corrupt-1" in answer.stderr
    red.start("x", *OWN_CHECK)
    assert red.stop().held


@pytest.mark.parametrize("name", ["stop.lock", "state.lock"])
def test_a_lock_that_cannot_be_taken_lets_go(red: World, name: str) -> None:
    red.start("mend it", *OWN_CHECK)
    (red.folder / name).unlink(missing_ok=True)
    (red.folder / name).mkdir()
    before = (red.folder / "loop_state.json").read_bytes()
    answer = red.stop()
    assert (answer.code, answer.stderr) == (0, "")
    assert re.match("(Ralph Loop: FAILED -|■ failed:) the state could not be saved: ", answer.notice), answer
    assert (red.folder / "loop_state.json").read_bytes() == before


@pytest.mark.parametrize("name", ["journal.jsonl", "ralph-summary.md", "ralph-feedback.md", "ralph-iteration.json"])
def test_a_history_that_cannot_be_written_changes_no_verdict(red: World, name: str) -> None:
    red.start("mend it", *OWN_CHECK)
    (red.folder / name).unlink(missing_ok=True)
    (red.folder / name).mkdir()
    assert red.stop().held
    assert red.state["iteration"] == 2
    assert "not written" in (red.project / ".untilgreen" / "untilgreen.log").read_text()


def test_a_history_that_cannot_be_written_hides_neither_a_start_nor_a_cancel(red: World) -> None:
    red.start("mend it", *OWN_CHECK)
    (red.folder / "journal.jsonl").unlink()
    (red.folder / "journal.jsonl").mkdir()
    again = red.run("start-loop", "again", "--session", red.session, "--replace", *OWN_CHECK)
    assert (again.code, again.stderr, red.state["task_description"]) == (0, "", "again")
    ended = red.run("cancel-loop", "--session", red.session)
    assert (ended.code, ended.stderr, red.state["stop_reason"]) == (0, "", "cancelled")
    assert ended.stdout.startswith("untilgreen: loop cancelled in round 1 of 10")


@pytest.mark.parametrize("name", ["ralph-summary.md", "ralph-iteration.json"])
def test_a_loop_begins_and_ends_without_its_memory(red: World, name: str) -> None:
    (red.folder / name).mkdir(parents=True)
    red.start("mend it", *OWN_CHECK)
    assert red.state["active"] is True
    answer = red.run("cancel-loop", "--session", red.session)
    assert (answer.code, answer.stderr) == (0, "")
    assert red.state["stop_reason"] == "cancelled"
    log = (red.project / ".untilgreen" / "untilgreen.log").read_text()
    assert log.count(" not written: ") == 2
    assert red.run("start-loop", "anew", "--session", red.session, *OWN_CHECK).code == 0


def test_one_session_with_state_of_a_newer_version_is_told_and_hides_no_other(red: World) -> None:
    red.start("mend it", *OWN_CHECK)
    state = red.folder.parent / "newer-session" / "loop_state.json"
    state.parent.mkdir()
    state.write_text(json.dumps({"schema_version": SCHEMA_VERSION + 1}))
    said = f"untilgreen: {state} was written by a newer untilgreen (schema {SCHEMA_VERSION + 1}); it is left alone\n"
    shown = red.run("untilgreen", "status")
    assert (shown.code, shown.stderr, shown.stdout.count("round 1 of 10 · running")) == (0, said, 1)
    ended = red.run("cancel-loop")
    assert (ended.code, ended.stderr, ended.stdout.count("loop cancelled")) == (0, said, 1)
    assert red.state["stop_reason"] == "cancelled"


def test_a_waiting_loop_of_a_newer_version_is_left_alone_and_stands_in_no_others_way(red: World) -> None:
    assert red.run("start-loop", "mend it", *OWN_CHECK).code == 0
    newer = red.project / ".untilgreen" / "next" / "loop-1.json"
    newer.write_text(json.dumps({"schema_version": SCHEMA_VERSION + 1}))
    shown = red.run("untilgreen", "status")
    assert (shown.code, shown.stdout.count("round 1 of 10 · waiting")) == (0, 1)
    assert red.prompt("hello").context.startswith("untilgreen: loop started (loop-")
    assert newer.exists()
    assert red.stop().held


SAVE = tables.text("faults", "save")


def test_whichever_call_of_a_save_fails_the_state_is_what_is_said(tmp_path: Path) -> None:
    path = tmp_path / "loop_state.json"
    loop = new_loop(Criteria(), "mend it")
    told = []
    for fail_at in range(1, 10):  # open, write, fsync, close, replace; open, fsync, close of the folder; none
        store.save_loop(str(path), loop)
        words = [sys.executable, "-c", SAVE, str(path), str(fail_at)]
        outcome, calls = subprocess.run(words, capture_output=True, text=True, check=True).stdout.split()
        found = document.load(Loop, json.loads(path.read_text()))
        told.append((outcome, found.rounds.iteration))
        assert [p.name for p in tmp_path.iterdir()] == [path.name], fail_at
    assert (told, calls) == ([("failed", 1)] * 5 + [("saved", 2)] * 4, "8")
    store.save_loop(str(path), loop.put(loop.rounds._replace(iteration=3)))
    assert store.read_loop(str(path)) == loop.put(loop.rounds._replace(iteration=3))
