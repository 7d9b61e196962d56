"""Hosts that nobody could run here, by one adapter: what their documents say comes in, what most of them take goes out.

The payloads are made from the documents of these hosts, field by field; no real program sent them.
"""

import json
from typing import Any, NamedTuple

import pytest

from untilgreen import hosts
from untilgreen.core.model.event import Edit, Event, Message, Reply
from world import World

TEXT = "Not green yet: 1 left after round 1 of 10 · ruff 1"
NAME = "claude-like"


class Host(NamedTuple):
    """A host: how it names its events."""

    name: str
    stop: dict[str, Any]
    prompt: dict[str, Any]


HOSTS = [
    Host("vscode", {"hookEventName": "Stop", "stop_hook_active": False}, {"hookEventName": "UserPromptSubmit"}),
    Host(
        "droid",
        {"hook_event_name": "Stop", "permission_mode": "auto-high", "stop_hook_active": False},
        {"hook_event_name": "UserPromptSubmit", "permission_mode": "auto-high"},
    ),
    Host("kiro", {"hook_event_name": "stop"}, {"hook_event_name": "userPromptSubmit"}),
]
BY_NAME = pytest.mark.parametrize("host", HOSTS, ids=[host.name for host in HOSTS])


def told(world: World, host: Host, payload: dict[str, Any]) -> dict[str, Any]:
    session = "sessionId" if host.name == "vscode" else "session_id"
    payload = payload | {session: world.session, "cwd": str(world.project)}
    name = "stop-loop" if "prompt" not in payload else "session-loop"
    answer = world.run(name, "--host", NAME, stdin=json.dumps(payload))
    assert (answer.code, answer.stderr) == (0, "")
    reply: dict[str, Any] = json.loads(answer.stdout or "{}")
    return reply


@BY_NAME
def test_a_loop_is_played_in_the_words_that_the_host_documents(red: World, host: Host) -> None:
    red.init()
    told(red, host, host.prompt | {"prompt": "untilgreen:loop mend it"})
    held = told(red, host, host.stop)
    assert held["decision"] == "block"
    assert "Not green yet: 1 left after round 1 of 10" in held["reason"]
    red.write({"app.py": "VALUE = 1\n"})
    assert "decision" not in told(red, host, host.stop)
    assert (red.state["stop_reason"], red.state["verified"]) == ("complete", True)


def test_an_answer_is_what_most_of_these_hosts_document() -> None:
    adapter, stop = hosts.get(NAME), Event("stop", NAME)
    answers = {
        "continue": {"decision": "block", "reason": TEXT, "systemMessage": "n"},
        "refuse": {"decision": "block", "reason": TEXT, "systemMessage": "n"},
        "context": {"hookSpecificOutput": {"hookEventName": "Stop", "additionalContext": TEXT}, "systemMessage": "n"},
        "release": {"systemMessage": f"{TEXT}\nn"},
        "allow": {"systemMessage": "n"},
    }
    assert {kind: json.loads(adapter.write(stop, kind, Message(TEXT, "n")).stdout) for kind in answers} == answers  # type: ignore[arg-type]
    assert adapter.write(stop, "allow", Message()) == Reply()
    assert adapter.facts.never_run


def test_an_edit_a_plan_and_a_sub_agent_are_known() -> None:
    read = hosts.get(NAME).read
    edit = {"hook_event_name": "postToolUse", "tool_name": "fs_write", "tool_input": {"path": "a.py"}}
    assert read(edit, {}, "other") == Event("edit", NAME, edits=(Edit("a.py"),))
    plan = {"hook_event_name": "Stop", "permission_mode": "spec", "last_assistant_message": "m"}
    assert read(plan, {}, "stop") == Event("stop", NAME, permission_mode="plan", message="m")
    assert read({"hook_event_name": "SubagentStop"}, {}, "stop") == Event("other", NAME, agent_id="sub-agent")


@pytest.mark.parametrize(
    "payload",
    [
        {"hook_event_name": "stop", "cursor_version": "3.1", "session_id": "s"},
        {"hookEventName": "Stop", "session_id": "s"},
        {"hook_event_name": "Stop", "permission_mode": "auto-high", "session_id": "s"},
    ],
)
def test_a_call_by_another_hosts_registration_is_let_go(payload: dict[str, Any]) -> None:
    assert hosts.detect(payload, {}, hosts.DEFAULT).name == hosts.GENERIC
