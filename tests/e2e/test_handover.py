"""One loop, several real hosts: begun in Claude Code, handed over in mid-loop, green in the other; and runs of each."""

import json
import shlex
import subprocess
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from world import provide

from .guest import Guest
from .model import Answer, Model, Turn
from .programs import NAMES, Program, get
from .scenes import UNUSED

pytestmark = [pytest.mark.e2e, pytest.mark.needs("npm")]

CLAUDE, *OTHERS = (one for name in NAMES if (one := get(name)))
LIMIT = Answer(["This is more than the limit allows. Please try again in 30 minutes"], status=429)
MENDS = "echo VALUE = 1 >broken.py"
NewSeveral = Callable[..., Guest]


@pytest.fixture
def new_several(tmp_path: Path, tools: tuple[str, ...]) -> Iterator[NewSeveral]:
    """Makes a sandbox with several hosts in it, registered and on the PATH as people call them; one scripted model."""
    programs = provide(tmp_path / "programs", *tools)
    with ExitStack() as stack:

        def make(hosts: Sequence[Program], turns: Sequence[Turn], *, registered: bool = True) -> Guest:
            model = stack.enter_context(Model(turns))
            first, *others = hosts
            # of Claude Code the version that its own tests run on: no other one is fetched
            folders = {one.name: one.folders("latest" if one is CLAUDE else "pinned") for one in hosts}
            env = {"CLAUDE_CODE_MAX_RETRIES": "0"}
            guest = Guest(
                *(first, folders[first.name], tmp_path / "guest", model),
                registered=registered,
                env=env,
                path=[programs],
            )
            stack.callback(guest.reap)
            for other in others:
                other.prepare(guest.at, folders[other.name])
                guest.env |= other.environment(guest.at)
                guest.untilgreen("init", "--host", other.name)
                other.registered(guest.at)
            for one in hosts:
                _called(programs, one, folders[one.name])
            return guest

        yield make


def _called(programs: Path, one: Program, folders: Sequence[Path]) -> None:
    """The host on the PATH, under the name that people type."""
    name = {"claude-code": "claude"}.get(one.name, one.name)
    (programs / name).write_text(f'#!/bin/sh\nexec {shlex.join(one.start(folders))} "$@"\n', encoding="utf-8")
    (programs / name).chmod(0o755)


def allowed(other: Program) -> tuple[str, ...]:
    """What its user gives it so that it works with nobody there to ask; Codex's is in its configuration."""
    words = {"copilot": ("--allow-all-tools",), "qwen": ("--yolo",), "gemini": ("--yolo",)}.get(other.name, ())
    return ("--", *words) if words else ()


def only_loop(guest: Guest) -> dict[str, Any]:
    """The newest loop, of all sessions the only one that has one."""
    (loop,) = guest.loops()
    return loop


CASES = [pytest.param(one, id=one.name, marks=[] if one.name == "codex" else [pytest.mark.wide]) for one in OTHERS]


@pytest.mark.parametrize("other", CASES)
def test_a_loop_is_handed_over_in_mid_loop_and_green_in_the_other_host(new_several: NewSeveral, other: Program) -> None:
    turns = [CLAUDE.writes("broken.py", UNUSED), "Done.", LIMIT, other.runs(MENDS), "Mended."]
    guest = new_several((CLAUDE, other), turns)
    guest.asked("/untilgreen:loop Add a module", code=None)
    before = guest.loop()
    assert (before["iteration"], before["status"], before["host"]) == (2, "paused", "claude-code")
    done = guest.shell("untilgreen", "resume", "--to", other.name, *allowed(other))
    assert (done.code, done.out) == (0, "Mended.\n"), done
    loop = only_loop(guest)
    assert (loop["loop_id"], loop["host"]) == (before["loop_id"], other.name)
    assert (loop["stop_reason"], loop["verified"], loop["iteration"]) == ("complete", True, 2), done
    assert (loop["sessions"], loop["start_ref"]) == ([before["session_id"]], before["start_ref"])
    assert [one["iteration"] for one in loop["snapshots"]] == [1, 2]
    asked = guest.model.told(3)
    assert "## Task\nAdd a module\n" in asked
    assert "\nRound 2 of 10. Claude Code was at work on this before you, in this folder, " in asked
    assert "## Ralph Feedback\nNot green yet: 1 left after round 1 of 10 · ruff 1\n" in asked


@pytest.mark.wide
def test_a_host_that_is_still_at_work_is_let_go_and_told_where_its_loop_went(new_several: NewSeveral) -> None:
    [codex] = (one for one in OTHERS if one.name == "codex")
    late = Answer(["Still at it."], delay=12)
    turns = [CLAUDE.writes("broken.py", UNUSED), "Done.", late, codex.runs(MENDS), "Mended."]
    guest = new_several((CLAUDE, codex), turns)
    words = [*guest.start, *CLAUDE.ask("/untilgreen:loop Add a module"), "--output-format", "stream-json", "--verbose"]
    process = subprocess.Popen(words, cwd=guest.project, env=guest.env, stdout=subprocess.PIPE, text=True)
    guest.model.wait_for(3, timeout=60)
    done = guest.shell("untilgreen", "resume", "--to", "codex")
    assert done.code == 0, done
    assert "of Claude Code may still be at work: end its turn there, or two agents edit one folder\n" in done.err
    out, _ = process.communicate(timeout=60)
    assert "untilgreen: the loop of this session was handed over to Codex CLI: " in out
    assert (process.returncode, only_loop(guest)["stop_reason"]) == (0, "complete")
    assert len(guest.model.main) == 5


@pytest.mark.wide
@pytest.mark.parametrize("other", [pytest.param(one, id=one.name) for one in OTHERS])
def test_a_run_of_any_host_takes_three_fresh_processes_to_green(new_several: NewSeveral, other: Program) -> None:
    turns: list[Turn] = [other.writes("broken.py", UNUSED), "One.", other.runs("mv broken.py other.py"), "Two."]
    guest = new_several((other,), [*turns, other.runs("echo VALUE = 1 >other.py"), "Three."])
    done = guest.shell("untilgreen", "run", "Add a module", "--json", "--host", other.name, *allowed(other))
    assert done.code == 0, done
    told = json.loads(done.out)
    assert [told[name] for name in ("success", "iterations", "final_text")] == [True, 3, "Three."]
    loop = only_loop(guest)
    assert (loop["session_id"], loop["host"]) == (told["session_id"], other.name)
    prompts = [guest.model.told(number) for number in (0, 2, 4)]
    assert [f"\nRound {n} of 10. Each round" in prompt for n, prompt in enumerate(prompts, 1)] == [True] * 3
    assert "broken.py:1:8 ruff F401" in prompts[1].partition("## Ralph Feedback")[2]
    assert len(guest.model.main) == 6  # its own hooks knew the run, and held nobody
