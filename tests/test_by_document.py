"""Hosts that nobody could run here: what their documents say comes in, what they document as an answer goes out.

The payloads are made from the documents that each `wire.py` names, field by field; no real program sent them.
"""

import json
from typing import Any, NamedTuple

import pytest

from untilgreen import hosts
from untilgreen.core.model.event import Event, Message, Reply
from world import World

TEXT = "Not green yet: 1 left after round 1 of 10 · ruff 1"


class Host(NamedTuple):
    """A host: how it names its events, and how a hold looks that it documents."""

    name: str
    stop: dict[str, Any]
    prompt: dict[str, Any]
    held: dict[str, Any]


def session(world: World) -> dict[str, str]:
    return {"session_id": world.session, "cwd": str(world.project)}


HOSTS = [
    Host(
        "cursor",
        {"hook_event_name": "stop", "status": "completed", "loop_count": 0},
        {"hook_event_name": "beforeSubmitPrompt"},
        {"followup_message": TEXT},
    ),
    Host(
        "vscode",
        {"hookEventName": "Stop", "stop_hook_active": False},
        {"hookEventName": "UserPromptSubmit"},
        {"hookSpecificOutput": {"hookEventName": "Stop", "decision": "block", "reason": TEXT}},
    ),
    Host(
        "droid",
        {"hook_event_name": "Stop", "permission_mode": "auto-high", "stop_hook_active": False},
        {"hook_event_name": "UserPromptSubmit", "permission_mode": "auto-high"},
        {"decision": "block", "reason": TEXT},
    ),
    Host(
        "kiro",
        {"hook_event_name": "stop"},
        {"hook_event_name": "userPromptSubmit"},
        {"decision": "block", "reason": TEXT},
    ),
]
BY_NAME = pytest.mark.parametrize("host", HOSTS, ids=[host.name for host in HOSTS])


def told(world: World, host: Host, payload: dict[str, Any]) -> dict[str, Any]:
    if host.name == "cursor":
        payload = payload | {
            "conversation_id": world.session,
            "workspace_roots": [str(world.project)],
            "cursor_version": "3.1",
        }
    elif host.name == "vscode":
        payload = payload | {"sessionId": world.session, "cwd": str(world.project)}
    else:
        payload = payload | session(world)
    name = "stop-loop" if "prompt" not in payload else "session-loop"
    answer = world.run(name, "--host", host.name, stdin=json.dumps(payload))
    assert (answer.code, answer.stderr) == (0, "")
    try:
        reply: dict[str, Any] = json.loads(answer.stdout or "{}")
    except ValueError:  # plain text for the model
        reply = {"": answer.stdout}
    return reply


@BY_NAME
def test_a_loop_is_played_in_the_words_that_the_host_documents(red: World, host: Host) -> None:
    red.init()
    told(red, host, host.prompt | {"prompt": "untilgreen:loop mend it"})
    held = json.dumps(told(red, host, host.stop))
    assert "Not green yet: 1 left after round 1 of 10" in held
    red.write({"app.py": "VALUE = 1\n"})
    assert "Not green" not in json.dumps(told(red, host, host.stop))
    assert (red.state["stop_reason"], red.state["verified"]) == ("complete", True)


@BY_NAME
def test_a_hold_is_exactly_what_the_host_documents(host: Host) -> None:
    adapter = hosts.get(host.name)
    event = adapter.read(host.stop, {}, "stop")
    reply = adapter.write(event, "continue", Message(TEXT))
    assert (reply.code, reply.stderr, json.loads(reply.stdout)) == (0, "", host.held)
    assert adapter.write(event, "allow", Message()) == Reply()
    assert adapter.facts.never_run


@BY_NAME
def test_a_call_by_another_hosts_registration_is_let_go(host: Host) -> None:
    payload = host.stop | {"cursor_version": "3.1"} if host.name == "cursor" else host.stop
    if host.name != "kiro":  # whose payloads look like those of Claude Code
        assert hosts.detect(payload, {}, hosts.DEFAULT).name == hosts.GENERIC


def test_an_aborted_turn_of_cursor_is_no_stop() -> None:
    aborted = {"hook_event_name": "stop", "status": "aborted", "conversation_id": "c1", "workspace_roots": ["/w"]}
    read = hosts.get("cursor").read(aborted, {}, "stop")
    assert read == Event("other", "cursor", session="c1", cwd="/w", most_holds=5)
