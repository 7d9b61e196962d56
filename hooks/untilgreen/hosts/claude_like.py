"""What hosts share that took Claude Code's payloads and answers over, and that nobody ran yet: by their documents."""

import json
from collections.abc import Collection
from typing import Any

from untilgreen.core.model.event import Edit, Event, Reply
from untilgreen.hosts.reading import table_in, text_in

_EVENTS = {
    "Stop": "stop",
    "UserPromptSubmit": "prompt",
    "SessionStart": "session-start",
    "SessionEnd": "session-end",
}
HOST_EVENTS = {"prompt": "UserPromptSubmit", "session-start": "SessionStart", "edit": "PostToolUse"}
_PATHS = ("file_path", "filePath", "path")


def read(payload: dict[str, Any], host: str, host_event: str, tools: Collection[str], default_event: str) -> Event:
    """`host_event`: by Claude Code's names, "" where the payload names none; `tools`: what writes
    files."""
    name = _EVENTS.get(host_event, "other") if host_event else default_event
    asked = table_in(payload, "tool_input")
    path = next(filter(None, (text_in(asked, key) for key in _PATHS)), "")
    edits = (Edit(path),) if path and host_event == "PostToolUse" and text_in(payload, "tool_name") in tools else ()
    return Event(
        name="edit" if edits else name,
        host=host,
        session=text_in(payload, "session_id"),
        cwd=text_in(payload, "cwd"),
        prompt=text_in(payload, "prompt") if name == "prompt" else "",
        message=text_in(payload, "last_assistant_message") if "last_assistant_message" in payload else None,
        transcript=text_in(payload, "transcript_path"),
        agent_id=text_in(payload, "agent_id") or ("sub-agent" if host_event == "SubagentStop" else ""),
        permission_mode=text_in(payload, "permission_mode"),
        source=text_in(payload, {"session-start": "source", "session-end": "reason"}.get(name, "")),
        turn_goes_on=payload.get("stop_hook_active") is True,
        edits=edits,
    )


def block(text: str, notice: str = "") -> Reply:
    """The agent goes on with this text, or a prompt is not sent: the form that most of them document."""
    return Reply(
        stdout=json.dumps({"decision": "block", "reason": text} | ({"systemMessage": notice} if notice else {}))
    )


def tell(notice: str) -> Reply:
    """A message for the user."""
    return Reply(stdout=json.dumps({"systemMessage": notice})) if notice else Reply()


def context(host_event: str, text: str, notice: str = "") -> Reply:
    """A text for the model beside the event."""
    told = {"hookSpecificOutput": {"hookEventName": host_event, "additionalContext": text}}
    return Reply(stdout=json.dumps(told | ({"systemMessage": notice} if notice else {})))
