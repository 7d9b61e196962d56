"""Hooks of VS Code's own agent, by its documentation of 2026 (a preview there).

In: Claude Code's fields, of which the common ones are in camel case; no last message. Out: at a stop the decision lies
in `hookSpecificOutput`.
"""

import json
from collections.abc import Mapping
from typing import Any

from untilgreen.core.document import well_formed
from untilgreen.core.model.event import Event, Kind, Message, Reply
from untilgreen.hosts import claude_like
from untilgreen.hosts.reading import text_in

NAME = "vscode"
_EDITS = ("editFiles", "createFile", "insertEdit", "replaceString", "applyPatch")
_NAMES = {"sessionId": "session_id", "hookEventName": "hook_event_name"}


def read(payload: dict[str, Any], _env: Mapping[str, str], default_event: str = "other") -> Event:
    """What the host says."""
    named = {_NAMES.get(key, key): value for key, value in payload.items()}
    return claude_like.read(named, NAME, text_in(named, "hook_event_name"), _EDITS, default_event)


def write(event: Event, verdict: Kind, message: Message) -> Reply:
    """The answer to this event."""
    text, notice = well_formed(message.text), well_formed(message.notice)
    if verdict == "continue":
        held = {"hookEventName": "Stop", "decision": "block", "reason": text}
        return Reply(stdout=json.dumps({"hookSpecificOutput": held} | ({"systemMessage": notice} if notice else {})))
    if verdict == "refuse":
        return claude_like.block(text, notice)
    if verdict == "context":
        return claude_like.context(claude_like.HOST_EVENTS.get(event.name, "Stop"), text, notice)
    return claude_like.tell("\n".join(filter(None, (text if verdict != "allow" else "", notice))))
