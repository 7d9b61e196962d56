"""Payloads and answers of hosts that took those of Claude Code over: Cursor, VS Code, Droid, Kiro, and others.

By their documents of 2026; no real program of them was run. In: Claude Code's fields, some in camel case, names of
events in either case, mostly no last message. Out: `{"decision": "block", "reason"}` with exit 0 makes the agent go on.
"""

from collections.abc import Mapping

from untilgreen.core.model.event import Edit, Event
from untilgreen.core.record import Any
from untilgreen.hosts.reading import Form, event_of, table_in, text_in

NAME = "claude-like"
write = Form("Stop", to_user=("release", "answer")).write
_NAMES = {"sessionId": "session_id", "hookEventName": "hook_event_name"}
_PATHS = ("file_path", "filePath", "path")
# what writes files, by the names that they document
_EDITS = (
    *("Write", "Edit", "MultiEdit", "Create", "ApplyPatch", "editFiles", "createFile", "insertEdit", "replaceString"),
    *("applyPatch", "write", "fs_write", "fsWrite", "strReplace"),
)
_PLANS = ("plan", "spec")  # modes in which nothing is written


def read(payload: dict[str, Any], _env: Mapping[str, str], default_event: str = "other") -> Event:
    payload = {_NAMES.get(key, key): value for key, value in payload.items()}
    host_event = text_in(payload, "hook_event_name")
    host_event = host_event[:1].upper() + host_event[1:]
    asked = table_in(payload, "tool_input")
    path = next(filter(None, (text_in(asked, key) for key in _PATHS)), "")
    edits = (Edit(path),) if path and host_event == "PostToolUse" and text_in(payload, "tool_name") in _EDITS else ()
    event = event_of(payload | {"hook_event_name": host_event or None}, NAME, default_event, edits)
    return event._replace(
        name="other" if host_event == "SubagentStop" else event.name,
        prompt=event.prompt if event.name == "prompt" else "",
        permission_mode="plan" if event.permission_mode in _PLANS else event.permission_mode,
    )
