"""Factory Droid, by its reference of hooks of 2026-07.

In: Claude Code's fields, but no last message; permission modes of its own. Out: exit 2 with the text on stderr, or
`{"decision": "block", "reason"}`, makes the agent go on.
"""

from collections.abc import Mapping
from typing import Any

from untilgreen.core.document import well_formed
from untilgreen.core.model.event import Event, Kind, Message, Reply
from untilgreen.hosts import claude_like
from untilgreen.hosts.reading import text_in

NAME = "droid"
_EDITS = ("Create", "Edit", "ApplyPatch")
_PLANS = "spec"  # its plan mode


def read(payload: dict[str, Any], _env: Mapping[str, str], default_event: str = "other") -> Event:
    """What the host says."""
    event = claude_like.read(payload, NAME, text_in(payload, "hook_event_name"), _EDITS, default_event)
    return event._replace(permission_mode="plan") if event.permission_mode == _PLANS else event


def write(event: Event, verdict: Kind, message: Message) -> Reply:
    """The answer to this event."""
    text, notice = well_formed(message.text), well_formed(message.notice)
    if verdict in ("continue", "refuse"):
        return claude_like.block(text, notice)
    if verdict == "context":
        return claude_like.context(claude_like.HOST_EVENTS.get(event.name, "Stop"), text, notice)
    return claude_like.tell("\n".join(filter(None, (text if verdict != "allow" else "", notice))))
