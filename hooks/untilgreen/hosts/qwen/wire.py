"""Qwen Code (measured on 0.24.4).

In: Claude Code's form and names of events, with `timestamp`, tools of its own, and `prompt_id`. UserPromptSubmit comes
for what its user typed (`submitted_prompt` is that, where it was not fetched from an earlier session or edited;
`prompt` is what a command's file made of it), with `prompt: ""` after every result of a tool, and with our own reason
when it goes on.

Out: `{"decision": "block", "reason"}` with exit 0 makes the agent go on, and `systemMessage` beside it reaches the
user, in the terminal and on the stderr of a headless run. Exit 2 holds, too, but then stdout is dropped. Never
`continue: false`: at a stop that makes it go on. A prompt's `systemMessage` reaches nobody.
"""

import json
from collections.abc import Mapping
from typing import Any

from untilgreen.core.document import well_formed
from untilgreen.core.model.event import Event, Kind, Message, Reply, Task, ToolUse, TurnFailure
from untilgreen.hosts import gemini_tools
from untilgreen.hosts.reading import objects_in, text_in

NAME = "qwen"
EDIT_TOOLS = ("edit", "write_file", "notebook_edit")
_EVENTS = {
    "Stop": "stop",
    "SubagentStop": "stop",
    "UserPromptSubmit": "prompt",
    "SessionStart": "session-start",
    "SessionEnd": "session-end",
    "StopFailure": "failure",
}
_HOST_EVENTS = {"prompt": "UserPromptSubmit", "session-start": "SessionStart", "edit": "PostToolUse"}
_RUNNING = ("running", "pending", "in_progress")


def read(payload: dict[str, Any], _env: Mapping[str, str], default_event: str = "other") -> Event:
    """What the host says."""
    host_event = payload.get("hook_event_name")
    wrote = host_event == "PostToolUse" or (default_event == "edit" and not isinstance(host_event, str))
    edits = gemini_tools.edits(payload, EDIT_TOOLS) if wrote else ()
    used = _used(payload, host_event)
    other = "edit" if edits else "tool" if used else "other"
    name = _EVENTS.get(host_event, other) if isinstance(host_event, str) else default_event
    message = text_in(payload, "last_assistant_message") if "last_assistant_message" in payload else None
    unnamed = "sub-agent" if host_event == "SubagentStop" else ""
    failure = TurnFailure(text_in(payload, "error"), text_in(payload, "error_details") or message or "")
    return Event(
        name=name,
        host=NAME,
        session=text_in(payload, "session_id"),
        cwd=text_in(payload, "cwd"),
        prompt_id=text_in(payload, "prompt_id"),
        prompt=text_in(payload, "submitted_prompt") or text_in(payload, "prompt"),
        message=message,
        transcript=text_in(payload, "transcript_path"),
        agent_id=text_in(payload, "agent_id") or unnamed,
        permission_mode=text_in(payload, "permission_mode"),
        source=text_in(payload, {"session-start": "source", "session-end": "reason"}.get(name, "")),
        tasks=_tasks(payload),
        turn_goes_on=payload.get("stop_hook_active") is True,
        edits=edits,
        notification=name == "prompt" and not text_in(payload, "prompt"),
        failure=failure if name == "failure" else None,
        used=used,
    )


def write(event: Event, verdict: Kind, message: Message) -> Reply:
    """The exact answer to this event. Raises ValueError for a verdict that is none."""
    text, notice = well_formed(message.text), well_formed(message.notice)
    if verdict == "allow":
        return _reply(notice)
    if verdict == "release":
        return _reply("\n".join(filter(None, (text, notice))))
    if verdict == "context":
        output = {"hookEventName": _HOST_EVENTS.get(event.name, "UserPromptSubmit"), "additionalContext": text}
        return _reply(notice, {"hookSpecificOutput": output})
    if verdict in ("continue", "refuse", "answer"):
        return _reply(notice, {"decision": "block", "reason": text})
    raise ValueError(f"no such verdict: {verdict}")


def _reply(notice: str, more: Mapping[str, object] | None = None) -> Reply:
    told = dict(more or {}) | ({"systemMessage": notice} if notice else {})
    return Reply(stdout=json.dumps(told) if told else "")


def _used(payload: dict[str, Any], host_event: object) -> ToolUse | None:
    if host_event == "PostToolUse":
        return gemini_tools.used(payload, EDIT_TOOLS)
    return gemini_tools.failed(payload, EDIT_TOOLS) if host_event == "PostToolUseFailure" else None


def _tasks(payload: dict[str, Any]) -> tuple[Task, ...]:
    """Sub-agents that still run, and the one-shot timers that will wake the session; shells are not told."""
    running = [
        Task(text_in(task, "id") or text_in(task, "description"), "agent")
        for task in objects_in(payload.get("background_tasks"))
        if text_in(task, "agent_type") and text_in(task, "status").lower() in _RUNNING
    ]
    crons = objects_in(payload.get("crons"))
    return (*running, *(Task(text_in(one, "id"), "wakeup") for one in crons if one.get("recurring") is False))
