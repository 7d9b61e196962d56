"""What the agent does while a loop runs: each edit and each command of a shell is one line of the journal."""

import json
import stat
from typing import Any

import pytest

from near import Call
from world import Answer, World

SECRET = "ghp_" + "a1B2" * 9


def ran(world: World, command: str, **fields: Any) -> dict[str, Any]:
    """The payload of a command of the agent's shell that did its work, as Claude Code sends it, with changes."""
    return {
        "session_id": world.session,
        "transcript_path": str(world.home / "transcript.jsonl"),
        "cwd": str(world.project),
        "permission_mode": "default",
        "hook_event_name": "PostToolUse",
        "tool_name": "Bash",
        "tool_input": {"command": command, "description": "run"},
        "tool_response": {"stdout": "", "stderr": "", "interrupted": False},
        "tool_use_id": "toolu_7",
        "duration_ms": 43,
    } | fields


def run(world: World, command: str, **fields: Any) -> Answer:
    """The host calls the hook after a command."""
    return world.run("post-tool-bash", stdin=json.dumps(ran(world, command, **fields)))


def observed(world: World) -> list[dict[str, Any]]:
    """What was noted, without the moments."""
    path = world.folder / "journal.jsonl"
    entries = [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
    return [
        {key: value for key, value in entry.items() if key != "timestamp"}
        for entry in entries
        if entry["event"] in ("edit", "shell")
    ]


def test_each_edit_and_each_command_in_a_loop_is_one_line_with_the_loop_and_its_round(red: World) -> None:
    red.start("mend it", "--completion-promise", "DONE")
    loop = {"loop_id": red.state["loop_id"], "iteration": 1}
    error = {"error": "Exit code 3", "is_interrupt": False, "tool_use_id": "toolu_8", "duration_ms": 1_500}

    answers = [
        red.edit("notes.md", "words\n"),
        *(red.edit("app.py", "VALUE = 2\n", hook=hook) for hook in ("post-tool-lsp", "post-tool-ast-grep")),
        red.edit("app.py", "VALUE = 2\n", tool_use_id="toolu_2"),
        run(red, "pytest -q"),
        run(red, "exit 3", hook_event_name="PostToolUseFailure", **error),
        red.run("post-tool-bash", stdin=json.dumps(red.edited("app.py", "x", None))),
    ]
    assert answers == [Answer(0, "", "")] * 7
    assert red.stop().held
    run(red, "ls", agent_id="a1", duration_ms=None)
    refused = red.edited("gone.py", "", "x", hook_event_name="PostToolUseFailure", error="String not found")
    red.run("post-tool-bash", stdin=json.dumps(refused))

    edit, shell = {"event": "edit", "ok": True, "duration": 0.005}, {"event": "shell", "name": "Bash", "id": "toolu_7"}
    assert observed(red) == [
        {**edit, **loop, "name": "Write", "file": "notes.md", "id": "toolu_1"},
        {**edit, **loop, "name": "Edit", "file": "app.py", "id": "toolu_2"},
        {**shell, **loop, "command": "pytest -q", "ok": True, "duration": 0.043},
        {**shell, **loop, "command": "exit 3", "ok": False, "duration": 1.5, "id": "toolu_8"},
        {**shell, **loop, "iteration": 2, "command": "ls", "ok": True, "duration": None, "agent_id": "a1"},
        {**edit, **loop, "iteration": 2, "name": "Edit", "file": "gone.py", "ok": False, "id": "toolu_1"},
    ]
    assert stat.S_IMODE((red.folder / "journal.jsonl").stat().st_mode) == 0o600


def test_nothing_is_noted_where_no_loop_of_the_session_runs(red: World) -> None:
    red.init()
    assert (run(red, "ls"), red.edit("notes.md", "words\n")) == (Answer(0, "", ""), Answer(0, "", ""))
    red.edit("app.py", "VALUE = 2\n")
    run(red, "ls")
    assert observed(red) == []
    red.start("mend it", "--completion-promise", "DONE")
    run(red, "ls", session_id="0" * 36)
    (red.project / ".untilgreen" / "off").touch()
    run(red, "ls")
    (red.project / ".untilgreen" / "off").unlink()
    run(red, "ls", tool_name="Read", tool_input={"file_path": str(red.project / "app.py")})
    red.prompt("stop")  # pauses it
    run(red, "ls")
    red.run("cancel-loop", "--session", red.session)
    run(red, "ls")
    (red.folder / "loop_state.json").write_text("[")
    assert (run(red, "ls"), (red.folder / "loop_state.json").read_text()) == (Answer(0, "", ""), "[")
    assert observed(red) == []


@pytest.mark.parametrize(
    ("command", "kept"),
    [
        ("echo \x1b[31mred\x1b[0m\r\n\tand\0 more", "echo red  and more"),
        (
            f"curl -H 'Authorization: Bearer {SECRET}' localhost",
            "curl -H 'Authorization: Bearer ghp_…(masked)' localhost",
        ),
        ("x" * 480 + f" {SECRET}" + "y" * 5_000, "x" * 480 + " ghp_…(masked)"[:19]),
        ("echo '<promise>DONE</promise>'", "echo '[promise]DONE[/promise]'"),
    ],
)
def test_a_command_is_noted_in_one_line_without_secrets(red: World, command: str, kept: str) -> None:
    red.start("mend it", "--completion-promise", "DONE")
    run(red, command)
    [entry] = observed(red)
    assert (entry["command"].rstrip("…"), len(entry["command"]) <= 500) == (kept.rstrip("…"), True)


def test_twenty_calls_at_once_lose_no_line_while_the_journal_is_put_away(red: World) -> None:
    red.start("mend it")
    red.stop()
    path = red.folder / "journal.jsonl"
    verdicts = path.read_text()
    filler = json.dumps({"event": "shell", "timestamp": "2026-11-23T00:00:00Z", "command": "x" * 400}) + "\n"
    for number in range(3):
        with path.open("a") as file:
            file.write(filler * (4 * 1024 * 1024 // len(filler) + 1))
        calls = [ran(red, f"echo {number} {at}", tool_use_id=f"toolu_{number}_{at}") for at in range(20)]
        answers = red.at_once(*(Call(("post-tool-bash",), json.dumps(one).encode()) for one in calls))
        assert answers == [Answer(0, "", "")] * 20
        parts = [part.read_text() for part in (path, path.with_name("journal.jsonl.1")) if part.exists()]
        told = [json.loads(line) for part in parts for line in part.splitlines()]
        mine = sorted(one["id"] for one in told if one.get("id", "").startswith(f"toolu_{number}_"))
        assert mine == sorted(one["tool_use_id"] for one in calls)
    assert sorted(part.name for part in red.folder.glob("journal.jsonl.?")) == ["journal.jsonl.1", "journal.jsonl.2"]
    assert path.with_name("journal.jsonl.2").read_text() == verdicts
    shown = json.loads(red.run("untilgreen", "show", red.state["loop_id"], "--json").stdout)
    [told] = shown["rounds"]
    assert (told["number"], [check["seconds"] is None for check in told["checks"]]) == (1, [False])
    assert {stat.S_IMODE(part.stat().st_mode) for part in red.folder.glob("journal.jsonl*")} == {0o600}
