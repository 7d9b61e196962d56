"""`untilgreen doctor` with several hosts: it speaks of those that are there, and knows which of them called us."""

import json
from typing import Any

from test_init_hosts import FACTS, done, has
from untilgreen.hosts import DEFAULT
from world import World


def findings(world: World, *words: str) -> list[dict[str, Any]]:
    answer = world.run("untilgreen", "doctor", "--json", *words)
    found: list[dict[str, Any]] = json.loads(answer.stdout)["findings"]
    return found


def about(found: list[dict[str, Any]], *subjects: str) -> list[str]:
    return [one["what"] for one in found if one["subject"] in subjects]


def test_it_speaks_of_the_host_that_is_there_and_says_when_it_called(red: World) -> None:
    has(red, FACTS["codex"])
    done(red, "init")
    found = findings(red)
    program = red.programs / "codex"
    events = "Stop, PostToolUse, UserPromptSubmit, SessionStart, SessionEnd"
    assert about(found, "host", "hooks") == [
        f"Codex CLI 9.9.9 ({program})",
        f".codex/hooks.json (local): {events}",
    ]
    hooks = ("stop-loop", "post-tool-lint", "post-tool-lsp", "post-tool-ast-grep", "post-tool-bash", "session-loop")
    assert [what.partition(" starts in ")[0] for what in about(found, "start")] == [f"{name} (local)" for name in hooks]
    assert about(found, "calls") == [f"never called yet by Codex CLI: {', '.join(hooks)}"]
    assert [one["what"] for one in found if "laude" in one["what"] + one["cure"]] == []

    payload = {"session_id": red.session, "cwd": str(red.project), "hook_event_name": "Stop", "turn_id": "1"}
    assert red.run("stop-loop", "--host", "codex", stdin=json.dumps(payload)).code == 0
    assert [what.partition(" at ")[0] for what in about(findings(red, "--no-run"), "calls")] == [
        "stop-loop was last called by Codex CLI",
        f"never called yet by Codex CLI: {', '.join(hooks[1:])}",
    ]


def test_of_several_each_is_told_by_its_name(red: World) -> None:
    has(red, FACTS[DEFAULT], FACTS["codex"])
    done(red, "init", "--host", DEFAULT)
    told = {(one["what"], one["cure"]) for one in findings(red, "--no-run")}
    what = "Codex CLI is installed, and calls no hook of untilgreen here"
    assert (what, "run: untilgreen init --host codex") in told
    done(red, "init")
    path = red.project / ".codex" / "hooks.json"
    settings = json.loads(path.read_text())
    del settings["hooks"]["Stop"]
    path.write_text(json.dumps(settings))
    found = [(one["level"], one["what"], one["cure"]) for one in findings(red, "--no-run") if one["subject"] == "hooks"]
    missing = "not registered with Codex CLI: stop-loop on Stop"
    assert [one for one in found if one[0] != "ok"] == [("broken", missing, "run: untilgreen init --host codex")]
