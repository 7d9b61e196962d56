"""OpenHands (measured on 1.16.0 with its SDK 1.21.0): Claude Code's form of hooks, with names of its own.

In: `{"event_type", "session_id", "working_dir", "message"?, "tool_name"?, "tool_input"?, "tool_response"?}`; no last
message. Out: exit code 2 holds with the text on stderr; at a prompt `additionalContext`, a key of its own, reaches the
model. Its user is shown nothing, and the model nothing after a tool.
"""

import json
from collections.abc import Mapping

from untilgreen.core.document import well_formed
from untilgreen.core.model.event import Edit, Event, Kind, Message, Reply
from untilgreen.core.record import Any
from untilgreen.hosts.reading import Form, event_of, is_over, path_of, table_in, text_in, tool_use

NAME = "openhands"
EDITOR, SHELL = "file_editor", "terminal"
_NAMES = {"event_type": "hook_event_name", "working_dir": "cwd", "message": "prompt"}
_WRITES = ("create", "str_replace", "insert")
_FORM = Form(by_code=True)


def read(payload: dict[str, Any], _env: Mapping[str, str], default_event: str = "other") -> Event:
    payload = {_NAMES.get(key, key): value for key, value in payload.items()}
    over = is_over(payload, "PostToolUse", default_event)
    wrote = text_in(table_in(payload, "tool_input"), "command") in _WRITES
    edits = (Edit(path_of(payload)),) if over and wrote and text_in(payload, "tool_name") == EDITOR else ()
    used = tool_use(payload, (EDITOR,) if edits else (), shells=(SHELL,)) if over else None
    return event_of(payload, NAME, default_event, edits, used)


def write(event: Event, verdict: Kind, message: Message) -> Reply:
    if verdict == "context":
        told = {"additionalContext": well_formed(message.text)} if event.name == "prompt" else {}
        return Reply(stdout=json.dumps(told)) if told else Reply()
    return _FORM.write(event, verdict, message)._replace(stdout="")
