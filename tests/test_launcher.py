"""A launcher ends in silence only where the interpreter would; in any doubt it asks that: nothing is passed over."""

import json
import os
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from untilgreen import entry
from untilgreen.cli.installing import command_forms
from untilgreen.hosts.host import EXECUTABLES
from untilgreen.state import call_marks, place
from world import World

SEEN = "asked"
Change = Callable[[World], Any]  # of the world; a dict is one of the environment


def state(world: World, name: str) -> Path:
    return world.project / ".untilgreen" / name


def made(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("{}")


def link(world: World, path: Path) -> None:
    """A link in the place of a path, which may lead nowhere."""
    if path.is_dir():
        path.rename(world.tmp / path.name)
    path.unlink(missing_ok=True)
    path.symlink_to(world.tmp / path.name)


def of_session(world: World, name: str) -> Path:
    return state(world, f"sessions/{world.session}/{name}")


def seal(world: World) -> Path:
    return Path(place.seal_of(world.env, world.session))


def as_it_is(world: World) -> None:
    """A project that was set up, and a session of which nothing is known."""


def untrusted(world: World) -> None:
    (world.home / ".local/state/untilgreen/trusted").write_text("/elsewhere\n")


def worktree(world: World) -> None:
    made(world.tmp / "git" / "HEAD")
    for one in sorted((world.project / ".git").rglob("*"), reverse=True):
        one.rmdir() if one.is_dir() else one.unlink()
    (world.project / ".git").rmdir()
    (world.project / ".git").write_text(f"gitdir: {world.tmp}/git\n")


def below(world: World) -> dict[str, str]:
    (world.project / "src").mkdir()
    return {"CLAUDE_PROJECT_DIR": str(world.project / "src")}


def without_folder(world: World) -> None:
    (world.project / ".untilgreen").rename(world.tmp / "gone")


def no_folder_but_a_seal(world: World) -> None:
    without_folder(world)
    made(seal(world))


def waiting(world: World) -> None:
    made(state(world, "next/loop-1.json"))


def loop_behind_a_link(world: World) -> None:
    made(of_session(world, "session.json"))
    link(world, of_session(world, "loop_state.json"))


def seal_behind_a_link(world: World) -> None:
    seal(world).parent.mkdir(parents=True)
    link(world, seal(world))


CHANGES: dict[str, Change] = {
    "as it is": as_it_is,
    "no folder": without_folder,
    "no folder, but a seal": no_folder_but_a_seal,
    "a session without a loop": lambda world: made(of_session(world, "session.json")),
    "a loop": lambda world: made(of_session(world, "loop_state.json")),
    "a loop whose file is a link": loop_behind_a_link,
    "a seal": lambda world: made(seal(world)),
    "a seal that is a link": seal_behind_a_link,
    "a loop that waits": waiting,
    "not trusted": untrusted,
    "no list of trusted folders": lambda world: (world.home / ".local/state/untilgreen/trusted").unlink(),
    "state that was moved": lambda world: made(state(world, "moved")),
    "no mark yet": lambda world: state(world, "called/stop-loop").unlink(),
    "a folder that is a link": lambda world: link(world, world.project / ".untilgreen"),
    "marks behind a link": lambda world: link(world, state(world, "called")),
    "sessions behind a link": lambda world: link(world, state(world, "sessions")),
    "a linked work tree": worktree,
    "a folder of the project": below,
    "state elsewhere": lambda world: {"UNTILGREEN_STATE_DIR": str(world.tmp)},
    "state elsewhere by XDG": lambda world: {"XDG_STATE_HOME": str(world.tmp)},
    "payloads are kept": lambda world: {"UNTILGREEN_KEEP_PAYLOADS": str(world.tmp)},
    "switched off": lambda _: {"UNTILGREEN_DISABLE": "1"},
    "started by a run": lambda world: {"UNTILGREEN_LOOP": world.session},
    "no project": lambda _: {"CLAUDE_PROJECT_DIR": ""},
    "no session": lambda _: {"CLAUDE_CODE_SESSION_ID": ""},
    "an odd session": lambda _: {"CLAUDE_CODE_SESSION_ID": "../../../etc"},
    "a short one": lambda _: {"CLAUDE_CODE_SESSION_ID": "abc"},
    "another session": lambda _: {"CLAUDE_CODE_SESSION_ID": "0" * 36},
}


class Called(NamedTuple):
    """What is given to an executable."""

    name: str
    fields: Mapping[str, object]
    words: tuple[str, ...] = ("--host", "claude-code")


PROMPT = {"hook_event_name": "UserPromptSubmit"}
CALLS = {
    "stop": Called("stop-loop", {"hook_event_name": "Stop"}),
    "stop of another host": Called("stop-loop", {"hook_event_name": "Stop"}, ("--host", "qwen")),
    "stop with a deadline": Called("stop-loop", {"hook_event_name": "Stop"}, ("--host", "claude-code", "--deadline=9")),
    "stop without words": Called("stop-loop", {"hook_event_name": "Stop"}, ()),
    "bash": Called("post-tool-bash", {"hook_event_name": "PostToolUse", "tool_name": "Bash"}),
    "edit": Called("post-tool-lint", {"hook_event_name": "PostToolUse", "tool_name": "Edit"}),
    "edit, all in one": Called(
        "post-tool-lint",
        {"hook_event_name": "PostToolUse", "tool_name": "Edit"},
        ("--host", "claude-code", "--with", "lsp,ast-grep"),
    ),
    "prompt": Called("session-loop", PROMPT | {"prompt": "hello"}),
    "typed": Called("session-loop", PROMPT | {"prompt": "/untilgreen:loop go"}),
    "typed by an alias": Called("session-loop", PROMPT | {"prompt": "/loop go"}),
    "begin": Called("session-loop", {"hook_event_name": "SessionStart", "source": "startup"}),
    "end": Called("session-loop", {"hook_event_name": "SessionEnd", "reason": "other"}),
}
# what ends without an interpreter, of a project that was set up and of one that nobody did
SILENT = {
    "as it is": {"stop", "bash", "prompt"},
    "a session without a loop": {"stop", "bash", "prompt"},
    "a loop that waits": {"stop", "bash"},
    "a seal": {"bash"},
    "a seal that is a link": {"bash"},
    "no folder": {"stop", "bash", "edit", "edit, all in one", "prompt", "end"},
    "no folder, but a seal": {"bash"},
    "no mark yet": {"bash", "prompt"},
}


@pytest.fixture
def set_up(world: World) -> World:
    world.commit()
    made(world.project / ".git/HEAD")
    world.init()
    for name in ("called", "sessions"):
        state(world, name).mkdir()
    for name in EXECUTABLES:
        state(world, f"called/{name}").write_text("")
    python = world.tmp / "python"
    python.write_text(f"#!/bin/sh\ncat >'{world.tmp}/given'\necho {SEEN}\n")
    python.chmod(0o755)
    folder = world.home / ".local/state/untilgreen/hooks/0"
    folder.mkdir(parents=True)
    for name in EXECUTABLES:
        (folder / name).write_bytes(command_forms.launcher(name, str(python), "/usr"))
        (folder / name).chmod(0o755)
    return world


@pytest.mark.parametrize("change", CHANGES)
def test_nothing_is_passed_over_that_the_interpreter_would_look_at(set_up: World, change: str) -> None:
    env = set_up.env | {"CLAUDE_PROJECT_DIR": str(set_up.project), "CLAUDE_CODE_SESSION_ID": set_up.session}
    env |= CHANGES[change](set_up) or {}
    silent = set[str]()
    for what, call in CALLS.items():
        whole = {"session_id": set_up.session, "cwd": str(set_up.project), **call.fields}
        payload = json.dumps(whole, separators=(",", ":"))
        path = set_up.home / ".local/state/untilgreen/hooks/0" / call.name
        done = subprocess.run([path, *call.words], input=payload.encode(), env=env, capture_output=True, check=True)
        assert (done.stderr, done.stdout) in ((b"", b""), (b"", f"{SEEN}\n".encode())), (what, done)
        if done.stdout:
            assert (set_up.tmp / "given").read_text().rstrip("\n") == payload
        else:
            silent.add(what)
            host = call.words[1]
            assert (
                entry.ends(call.name, payload.encode(), env, place.base_here(env, host=host), host)
                == call_marks.NOTHING
            )
    assert silent == SILENT.get(change, set())


def test_a_stop_in_silence_leaves_its_mark_as_the_interpreter_does(set_up: World) -> None:
    env = set_up.env | {"CLAUDE_PROJECT_DIR": str(set_up.project), "CLAUDE_CODE_SESSION_ID": set_up.session}
    payload = json.dumps(set_up.payload()).encode()
    mark = state(set_up, "called/stop-loop")
    said = []
    for path in (set_up.home / ".local/state/untilgreen/hooks/0/stop-loop", "stop-loop"):
        os.utime(mark, (0, 0))
        if isinstance(path, str):
            set_up.process(path, "--host", "claude-code", stdin=payload, env=env)
        else:
            subprocess.run([path, "--host", "claude-code"], input=payload, env=env, check=True)
        said.append((mark.read_text(), mark.stat().st_mtime > 0))
    assert said == [(f"7 {set_up.session} {call_marks.NOTHING[1]}\n", True)] * 2


def test_a_launcher_is_read_back_whatever_its_paths(tmp_path: Path) -> None:
    found = tmp_path / "stop-loop"
    found.write_bytes(command_forms.launcher("stop-loop", "/a b/it's/python", "/c d/it's"))
    assert command_forms.read(str(found)) == command_forms.Launcher("/a b/it's/python", "/c d/it's", ours=True)
