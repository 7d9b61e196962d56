"""Kiro, by its documents of 2026-09.

In: `hook_event_name`, `session_id`, `cwd`; of tools their name, input and response. Out: at a stop
`{"decision": "block", "reason"}` with exit 0; else plain text is added to the agent's context.
"""

from collections.abc import Mapping
from typing import Any

from untilgreen.core.document import well_formed
from untilgreen.core.model.event import Event, Kind, Message, Reply
from untilgreen.hosts import claude_like
from untilgreen.hosts.reading import text_in

NAME = "kiro"
_EDITS = ("write", "fs_write", "fsWrite", "strReplace")


def read(payload: dict[str, Any], _env: Mapping[str, str], default_event: str = "other") -> Event:
    """What the host says."""
    host_event = text_in(payload, "hook_event_name")
    return claude_like.read(payload, NAME, host_event[:1].upper() + host_event[1:], _EDITS, default_event)


def write(event: Event, verdict: Kind, message: Message) -> Reply:
    """The answer to this event: what is for its user alone is said nowhere."""
    text = well_formed(message.text)
    if verdict == "continue":
        return claude_like.block(text)
    if verdict == "refuse":
        return Reply(code=2, stderr=text)
    return Reply(stdout=f"{text}\n") if verdict == "context" and event.name != "stop" else Reply()
