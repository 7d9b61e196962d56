"""Mistral Vibe (measured on 3.0.2): hooks in `hooks.toml`, which its user writes.

In: `{"hook_event_name": "post_agent" | "post_tool", "session_id", "parent_session_id", "cwd", "tool_name"?,
"tool_input"?, "tool_output"?}`; no prompts, no last message. Out: `{"decision": "deny", "reason"}` holds, at most three
times in a turn; `system_message` is for its user.
"""

import json
import os
from collections.abc import Mapping

from untilgreen.core.model.event import Edit, Event, Kind, Message, Reply
from untilgreen.core.record import Any
from untilgreen.hosts.reading import END, Form, event_of, path_of, table_in, text_in, tool_use

NAME = "vibe"
_EDITS, _SHELL = ("file_system.write_file", "file_system.edit"), "file_system.bash"
_FORM, _KEYS = Form("post_tool", decision="deny"), {"systemMessage": "system_message"}
_CHILD = "child-"  # how the ids of sub-agents begin; a session that was forked from another one names that, too
_EVENTS = {"post_agent": "Stop", "post_tool": "PostToolUse"}


def read(payload: dict[str, Any], _env: Mapping[str, str], default_event: str = "other") -> Event:
    name = text_in(payload, "hook_event_name")
    payload = payload | ({"hook_event_name": _EVENTS.get(name, "")} if name else {})
    over = name == "post_tool"
    edits = (
        (Edit(os.path.join(text_in(payload, "cwd"), path_of(payload))),)
        if over and text_in(payload, "tool_name") in _EDITS
        else ()
    )
    used = tool_use(payload, _EDITS, shells=(_SHELL,)) if over else None
    if used and used.name == _SHELL:
        done = table_in(payload, "tool_output")
        code, printed = done.get("returncode"), text_in(done, "stdout") + text_in(done, "stderr")
        used = used._replace(exit_code=code if type(code) is int else None, output=printed[-END:], ok=code == 0)
    event = event_of(payload, NAME, default_event, edits, used)
    event = event._replace(transcript="")  # which is a folder
    parent = text_in(payload, "parent_session_id") if event.session.startswith(_CHILD) else ""
    return event._replace(session=parent, agent_id=event.session) if parent else event


def write(event: Event, verdict: Kind, message: Message) -> Reply:
    reply = _FORM.write(event, verdict, message)
    said = json.loads(reply.stdout or "{}")
    told = said.pop("hookSpecificOutput", {}).get("additionalContext")
    more = {"hook_specific_output": {"additional_context": told}} if told else {}
    answer = {_KEYS.get(key, key): value for key, value in said.items()} | more
    return Reply(stdout=json.dumps(answer)) if answer else Reply()
