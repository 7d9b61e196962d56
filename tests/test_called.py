"""The mark that every call of a host leaves: when each executable was called last, and why a stop ended early."""

import json
import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

import tables
from world import BIN, Answer, World

RED = ("--no-zero-errors", "--check", "a=false")
OTHER = "0" * 36
NOTHING = f"7 {OTHER} nobody began a loop, and no file is known that the session wrote\n"


def marks(world: World) -> dict[str, str]:
    """The marks and what is in them."""
    folder = world.project / ".untilgreen" / "called"
    return {path.name: path.read_text() for path in folder.iterdir()} if folder.exists() else {}


def edit(world: World, name: str, env: dict[str, str]) -> Answer:
    return world.run(name, stdin=json.dumps(world.edited("app.py", "", "")), env=env)


@pytest.mark.tools("mypy", "ast-grep")
def test_every_executable_that_a_host_calls_leaves_its_mark(red: World) -> None:
    red.init()
    began = time.time()
    red.prompt("hello", env=red.hosted)
    assert marks(red) == {"session-loop": ""}
    for name in ("post-tool-lint", "post-tool-lsp", "post-tool-ast-grep"):
        edit(red, name, red.hosted)
    red.run("post-tool-bash", stdin=json.dumps({"session_id": red.session}), env=red.hosted)
    red.stop(env=red.hosted)
    names = {"session-loop", "post-tool-lint", "post-tool-lsp", "post-tool-ast-grep", "post-tool-bash", "stop-loop"}
    assert marks(red) == dict.fromkeys(names, "")
    folder = red.project / ".untilgreen" / "called"
    assert all(began - 1 < path.stat().st_mtime < time.time() + 1 for path in folder.iterdir())
    assert folder.stat().st_mode & 0o777 == 0o700


def test_a_later_call_is_a_later_mark(red: World) -> None:
    red.start("x", *RED)
    red.stop(env=red.hosted)
    path = red.project / ".untilgreen" / "called" / "stop-loop"
    os.utime(path, (1, 1))
    red.stop(env=red.hosted)
    assert path.stat().st_mtime > 1


def test_a_stop_that_ends_early_says_why_and_a_later_one_takes_it_back(red: World) -> None:
    red.start("x", *RED)
    assert red.stop(session_id=OTHER, env=red.hosted | {"CLAUDE_CODE_SESSION_ID": OTHER}) == Answer(0, "", "")
    assert marks(red) == {"stop-loop": NOTHING}
    red.stop(env=red.hosted | {"UNTILGREEN_DISABLE": "1"})
    assert marks(red) == {"stop-loop": f"1 {red.session} UNTILGREEN_DISABLE=1\n"}
    red.stop(env=red.hosted)
    assert marks(red) == {"stop-loop": ""}


def test_the_mark_lies_at_the_root_of_the_project_wherever_the_host_was_started(red: World) -> None:
    red.start("x", *RED)
    below = red.project / "src"
    below.mkdir()
    red.stop(env=red.hosted | {"CLAUDE_PROJECT_DIR": str(below), "UNTILGREEN_DISABLE": "1"})
    assert marks(red) == {"stop-loop": f"1 {red.session} UNTILGREEN_DISABLE=1\n"}


def test_the_mark_lies_in_the_state_folder_that_is_configured(red: World) -> None:
    red.write({"untilgreen.toml": 'state_dir = "kept"\n'})
    red.start("x", *RED)
    red.stop(env=red.hosted)
    red.edit("new.py", "import os\n", env=red.hosted | {"UNTILGREEN_DISABLE": "1"})
    assert marks(red) == {}
    assert sorted(path.name for path in (red.project / "kept" / "called").iterdir()) == ["post-tool-lint", "stop-loop"]


@pytest.mark.parametrize("payload", ["{}", "", '{"last_assistant_message": "done"}'])
def test_a_call_by_hand_leaves_none(red: World, payload: str) -> None:
    red.init()
    red.run("stop-loop", stdin=payload)
    assert marks(red) == {}


def test_a_host_that_names_no_session_is_believed_by_its_payload(red: World) -> None:
    red.init()
    assert red.stop(env={"CLAUDE_PROJECT_DIR": str(red.project), "UNTILGREEN_DISABLE": "1"}) == Answer(0, "", "")
    assert marks(red) == {"stop-loop": f"1 {red.session} UNTILGREEN_DISABLE=1\n"}


@pytest.mark.parametrize(("payload", "why"), tables.literal("called", "a payload that was not understood"))
def test_a_payload_that_was_not_understood_is_told(red: World, payload: str, why: str) -> None:
    red.init()
    red.run("stop-loop", stdin=payload, env=red.hosted)
    assert marks(red) == {"stop-loop": f"0 {red.session} the payload {why}\n"}


def test_it_is_told_in_the_project_that_was_named(red: World) -> None:
    red.init()
    red.run("stop-loop", "--project", str(red.project), stdin="no", env={"CLAUDE_CODE_SESSION_ID": OTHER}, cwd=red.home)
    assert marks(red)["stop-loop"].startswith(f"0 {OTHER} the payload is not JSON")


def test_our_own_checks_leave_none(red: World) -> None:
    # a check that calls the hook itself, in the environment of the host
    payload = json.dumps({"session_id": OTHER, "cwd": str(red.project), "hook_event_name": "Stop"})
    red.write({"payload.json": payload})
    command = f"sh -c '{BIN}/stop-loop < payload.json; env > seen; false'"
    red.start("x", "--no-zero-errors", "--check", f"nested={command}")
    assert red.stop(env=red.hosted).held
    assert "UNTILGREEN_DISABLE=1" in (red.project / "seen").read_text().splitlines()
    assert marks(red) == {"stop-loop": ""}
    told = red.run("untilgreen", "show", "--why").stdout
    assert "the agent must go on: step 12 (continue): 1 left: nested 1; round 2 of 10 begins" in told.splitlines()


def a_pipe(folder: Path) -> None:
    folder.mkdir()
    os.mkfifo(folder / "stop-loop")


@pytest.mark.parametrize(
    "spoil",
    [
        lambda folder: folder.write_text(""),
        lambda folder: (folder / "stop-loop").mkdir(parents=True),
        lambda folder: [folder.mkdir(), (folder / "stop-loop").symlink_to(folder.parent / "loop_state.json")],
        a_pipe,
    ],
    ids=["a file", "a folder of that name", "a link elsewhere", "a pipe"],
)
def test_where_no_mark_can_be_left_the_answer_is_the_same(red: World, spoil: Callable[[Path], object]) -> None:
    red.start("x", *RED)
    spoil(red.project / ".untilgreen" / "called")
    assert red.stop(session_id=OTHER, env=red.hosted | {"CLAUDE_CODE_SESSION_ID": OTHER}) == Answer(0, "", "")
    held = red.stop(env=red.hosted)
    assert (held.code, held.stderr.startswith("Ralph Loop: CONTINUE")) == (2, True)
    assert not (red.project / ".untilgreen" / "loop_state.json").exists()
