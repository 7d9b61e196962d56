"""Teammates under a lead's loop: what is found in their files holds them, and nothing is told twice."""

import json
from pathlib import Path
from typing import Any

import pytest

from untilgreen import hosts
from world import THEN, Answer, World

PAYLOADS = Path(__file__).parent / "payloads" / "claude-code" / "2.1.330"
SILENT = Answer(0, "", "")
MATE = "amate-084a665b1b6cd176"
UNUSED, CLEAN = "import os\n", "VALUE = 1\n"
LEFT = "Not green yet: 1 left in the files that you wrote · ruff 1"
FOUND = "mate.py:1:8 ruff F401: `os` imported but unused (ruff check --fix)"


def recorded(name: str, world: World, **fields: Any) -> dict[str, Any]:
    """A payload that the real host sent, as if it came from this world."""
    told = json.loads((PAYLOADS / f"t00-team.{name}.json").read_text(encoding="utf-8"))["stdin"]
    payload: dict[str, Any] = json.loads(told.replace("/tmp/project", str(world.project)))
    return payload | {"session_id": world.session} | fields


def done(world: World, **fields: Any) -> Answer:
    """The teammate calls its task done."""
    return world.run("stop-loop", stdin=json.dumps(recorded("02-TaskCompleted", world, **fields)))


def idle(world: World, **fields: Any) -> Answer:
    """The teammate wants to rest."""
    return world.run("stop-loop", stdin=json.dumps(recorded("03-TeammateIdle", world, **fields)))


def writes(world: World, text: str, **fields: Any) -> None:
    """The teammate writes its file, and the host calls the hook that notes it."""
    world.write({"mate.py": text})
    world.run("post-tool-lint", stdin=json.dumps(recorded("01-PostToolUse-Write", world, **fields)))


def judgements(world: World) -> list[tuple[str, str, int]]:
    """What the journal tells of teammates: verdict, task, holds."""
    told = (one for one in world.journal if one["event"] == "teammate")
    return [(one["verdict"], one["task"], one["holds"]) for one in told]


@pytest.fixture
def led(world: World) -> World:
    """A project whose lead has a loop that asks for all that ruff says."""
    world.write({"app.py": CLEAN, "ruff.toml": ""})
    world.commit()
    answer = world.run("start-loop", "mend it", "--session", world.session)
    assert answer.code == 0, answer
    return world


def test_the_events_of_a_teammate_are_the_leads_with_the_mates_name() -> None:
    read = hosts.get("claude-code").read
    told = [json.loads(path.read_text())["stdin"] for path in sorted(PAYLOADS.glob("t00-team.*"))]
    edit, task, rest = (read(json.loads(text), {}, "stop") for text in told)
    assert len({one.session for one in (edit, task, rest)}) == 1
    assert [(one.name, one.agent_id) for one in (edit, task, rest)] == [("edit", MATE), ("task", MATE), ("idle", MATE)]
    assert (task.teammate, task.task, rest.teammate, rest.task) == ("mate", "1", "mate", "")


def test_a_teammate_is_held_by_what_is_in_its_files_and_let_go_when_that_is_mended(led: World) -> None:
    writes(led, UNUSED)
    round_ = led.state["iteration"]

    held = done(led)
    assert (held.code, held.stderr) == (2, f"{LEFT}\n{FOUND}\n{THEN}\n")
    assert held.notice == "✗ the teammate mate goes on: held 1 of 5 times at most · 1 left: ruff 1"
    assert idle(led) == SILENT  # the host asks for both in one go: it is told once
    assert idle(led).code == 2
    writes(led, CLEAN)
    assert (done(led), idle(led)) == (SILENT, SILENT)

    assert judgements(led) == [("continue", "1", 1), ("continue", "", 1), ("allow", "1", 0)]
    assert (led.state["active"], led.state["iteration"], led.state["snapshots"]) == (True, round_, [])


def test_a_teammate_is_held_five_times_and_never_again_by_the_same(led: World) -> None:
    writes(led, UNUSED)
    assert [idle(led).code for _ in range(5)] == [2] * 5
    let_go = idle(led)
    text = "■ the teammate mate was let go after 5 holds; the loop's own stop judges the rest · 1 left: ruff 1"
    assert let_go == Answer(0, json.dumps({"systemMessage": text}) + "\n", "")
    writes(led, f"{UNUSED}\nVALUE = 2\n")
    assert (done(led), idle(led)) == (SILENT, SILENT)
    writes(led, f"{UNUSED}import sys\n")
    again = idle(led)
    assert (again.code, "`sys` imported" in again.stderr, "`os`" in again.stderr) == (2, True, False)
    assert led.stop().held  # the lead is held by all of it


@pytest.mark.parametrize(
    "why", ["no loop", "off", "plan mode", "no teammate", "another's file", "paused", "switched off", "gone"]
)
def test_a_teammate_is_let_go_silently_where_it_is_nobodys_business(led: World, why: str) -> None:
    writes(led, UNUSED, **({"agent_id": "aother-1"} if why == "another's file" else {}))
    changes: dict[str, dict[str, Any]] = {
        "no teammate": {"teammate_name": None},
        "plan mode": {"permission_mode": "plan"},
    }
    if why == "no loop":
        led.run("cancel-loop", "--session", led.session)
    elif why == "off":
        (led.project / ".untilgreen" / "off").touch()
    elif why == "paused":
        led.prompt("stop")
    elif why == "gone":
        (led.project / "mate.py").unlink()
    env = {"UNTILGREEN_DISABLE": "1"} if why == "switched off" else {}
    payload = json.dumps(recorded("03-TeammateIdle", led, **changes.get(why, {})))
    assert led.run("stop-loop", stdin=payload, env=env) == SILENT
    assert judgements(led) == []


def test_tests_and_other_files_hold_no_teammate(led: World) -> None:
    led.write({"test_app.py": "import os\n\n\ndef test_it():\n    assert 0\n"})
    writes(led, CLEAN)
    assert (idle(led), judgements(led)) == (SILENT, [("allow", "", 0)])


def test_what_cannot_be_kept_holds_nobody(led: World) -> None:
    writes(led, UNUSED)
    (led.folder / "team.json").mkdir()
    told = "untilgreen: the state could not be saved; the teammate was not judged"
    assert idle(led) == Answer(0, json.dumps({"systemMessage": told}) + "\n", "")
