"""What agents do in a loop is noted on the real host, and a teammate is held there by what is in its files."""

import json
from pathlib import Path
from typing import Any

import pytest

from .model import Body, Tool, Turn
from .scenes import CLEAN, NEW_ONLY, UNUSED, NewScene, edits, runs, wait_until, writes

pytestmark = [pytest.mark.e2e, pytest.mark.needs("npm")]

TEAM = "Agent,SendMessage,TaskCreate,TaskUpdate,ToolSearch,Bash,Edit,Write,Read"
LEFT = "Not green yet: 1 left in the files that you wrote · ruff 1\nmate.py:1:8 ruff F401: "


def noted(project: Path, *kinds: str) -> list[dict[str, Any]]:
    """The lines of these kinds in the only session's journal."""
    text = "".join(path.read_text() for path in (project / ".untilgreen").glob("sessions/*/journal.jsonl"))
    return [one for one in map(json.loads, text.splitlines()) if one["event"] in kinds]


def test_an_edit_and_two_commands_are_three_lines_of_the_loops_journal(new_scene: NewScene) -> None:
    scene = new_scene([writes("notes.md", "words\n"), runs("echo fine"), runs("exit 3"), "Done."])

    scene.ask("/untilgreen:loop Write notes")

    told = noted(scene.project, "edit", "shell")
    assert [(one["name"], one.get("file", one.get("command")), one["ok"]) for one in told] == [
        ("Write", "notes.md", True),
        ("Bash", "echo fine", True),
        ("Bash", "exit 3", False),
    ]
    loop = scene.loop()
    assert {(one["loop_id"], one["iteration"]) for one in told} == {(loop["loop_id"], 1)}
    assert all(one["duration"] > 0 and one["id"] for one in told)


@NEW_ONLY
def test_a_teammate_is_held_once_by_its_file_and_let_go_when_it_is_mended(new_scene: NewScene) -> None:
    mate: list[Turn] = [
        Tool("ToolSearch", {"query": "select:TaskUpdate", "max_results": 5}),
        Tool("TaskUpdate", {"taskId": "1", "owner": "mate", "status": "in_progress"}),
        writes("mate.py", UNUSED),
        "I am done.",
        edits("mate.py", UNUSED, CLEAN),
        Tool("TaskUpdate", {"taskId": "1", "status": "completed"}),
        "Mended.",
    ]

    def waits(_body: Body) -> str:
        wait_until(lambda: any(one["verdict"] == "allow" for one in noted(scene.project, "teammate")))
        return "We are done."

    lead: list[Turn] = [
        Tool("ToolSearch", {"query": "select:TaskCreate", "max_results": 5}),
        Tool("TaskCreate", {"subject": "Write mate.py", "description": "Write it"}),
        Tool("Agent", {"description": "mate", "prompt": "Write mate.py", "name": "mate"}),
        waits,
    ]
    scene = new_scene(lead, mate, env={"CLAUDE_CODE_EXPERIMENTAL_AGENT_TEAMS": "1"})

    with scene.host.terminal(tools=TEAM) as terminal:
        terminal.say("/untilgreen:loop Write a module")
        loop = scene.wait_for_loop(lambda one: not one["active"])

    told = [request.told for request in scene.model.requests if request.kind == "subagent"]
    assert [text.count(LEFT) for text in told if "hook feedback" in text] == [1]
    judged = [(one["teammate"], one["task"], one["verdict"]) for one in noted(scene.project, "teammate")]
    assert judged == [("mate", "1", "continue"), ("mate", "1", "allow")]
    assert {one["agent_id"][:5] for one in noted(scene.project, "edit")} == {"amate"}
    assert (loop["stop_reason"], loop["iteration"]) == ("complete", 1)
