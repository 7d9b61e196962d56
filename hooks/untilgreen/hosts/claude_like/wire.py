"""Payloads and answers of hosts that took those of Claude Code over: Cursor, VS Code, Droid, Kiro, and others.

By their documents of 2026; no real program of them was run. In: Claude Code's fields, some in camel case, names of
events in either case, mostly no last message. Out: `{"decision": "block", "reason"}` with exit 0 makes the agent go on.
"""

import json
from collections.abc import Mapping
from typing import Any

from untilgreen.core.document import well_formed
from untilgreen.core.model.event import Edit, Event, Kind, Message, Reply
from untilgreen.hosts.reading import table_in, text_in

NAME = "claude-like"
_EVENTS = {
    "Stop": "stop",
    "UserPromptSubmit": "prompt",
    "SessionStart": "session-start",
    "SessionEnd": "session-end",
}
_HOST_EVENTS = {"prompt": "UserPromptSubmit", "session-start": "SessionStart", "edit": "PostToolUse"}
_NAMES = {"sessionId": "session_id", "hookEventName": "hook_event_name"}
_PATHS = ("file_path", "filePath", "path")
# what writes files, by the names that they document
_EDITS = (
    *("Write", "Edit", "MultiEdit", "Create", "ApplyPatch", "editFiles", "createFile", "insertEdit", "replaceString"),
    *("applyPatch", "write", "fs_write", "fsWrite", "strReplace"),
)
_PLANS = ("plan", "spec")  # modes in which nothing is written


def read(payload: dict[str, Any], _env: Mapping[str, str], default_event: str = "other") -> Event:
    """What the host says."""
    payload = {_NAMES.get(key, key): value for key, value in payload.items()}
    host_event = text_in(payload, "hook_event_name")
    host_event = host_event[:1].upper() + host_event[1:]
    name = _EVENTS.get(host_event, "other") if host_event else default_event
    asked, mode = table_in(payload, "tool_input"), text_in(payload, "permission_mode")
    path = next(filter(None, (text_in(asked, key) for key in _PATHS)), "")
    edits = (Edit(path),) if path and host_event == "PostToolUse" and text_in(payload, "tool_name") in _EDITS else ()
    return Event(
        name="edit" if edits else name,
        host=NAME,
        session=text_in(payload, "session_id"),
        cwd=text_in(payload, "cwd"),
        prompt=text_in(payload, "prompt") if name == "prompt" else "",
        message=text_in(payload, "last_assistant_message") if "last_assistant_message" in payload else None,
        transcript=text_in(payload, "transcript_path"),
        agent_id=text_in(payload, "agent_id") or ("sub-agent" if host_event == "SubagentStop" else ""),
        permission_mode="plan" if mode in _PLANS else mode,
        source=text_in(payload, {"session-start": "source", "session-end": "reason"}.get(name, "")),
        turn_goes_on=payload.get("stop_hook_active") is True,
        edits=edits,
    )


def write(event: Event, verdict: Kind, message: Message) -> Reply:
    """The answer to this event."""
    text, notice = well_formed(message.text), well_formed(message.notice)
    if verdict in ("continue", "refuse"):
        answer: dict[str, Any] = {"decision": "block", "reason": text}
    elif verdict == "context":
        name = _HOST_EVENTS.get(event.name, "Stop")
        answer = {"hookSpecificOutput": {"hookEventName": name, "additionalContext": text}}
    else:
        answer, notice = {}, "\n".join(filter(None, (text if verdict != "allow" else "", notice)))
    answer |= {"systemMessage": notice} if notice else {}
    return Reply(stdout=json.dumps(answer)) if answer else Reply()
