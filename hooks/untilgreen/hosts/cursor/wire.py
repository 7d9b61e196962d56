"""Cursor, by its documents of 2026 and what others measured.

In: `conversation_id`, `workspace_roots`, `hook_event_name` in camel case, `cursor_version`; a stop has `status` and
`loop_count`. Out: `{"followup_message"}` with exit 0 makes it go on; exit 2 at a stop does nothing.
"""

import json
from collections.abc import Mapping
from typing import Any

from untilgreen.core.document import well_formed
from untilgreen.core.model.event import Event, Kind, Message, Reply
from untilgreen.hosts import claude_like
from untilgreen.hosts.reading import text_in

NAME = "cursor"
CAP = 5  # follow-ups, unless `loop_limit` says otherwise
_EDITS = ("Write", "Edit")
_EVENTS = {
    "stop": "Stop",
    "subagentStop": "SubagentStop",
    "beforeSubmitPrompt": "UserPromptSubmit",
    "sessionStart": "SessionStart",
    "sessionEnd": "SessionEnd",
    "postToolUse": "PostToolUse",
}


def read(payload: dict[str, Any], env: Mapping[str, str], default_event: str = "other") -> Event:
    """What the host says. An aborted or failed turn is no stop."""
    host_event = text_in(payload, "hook_event_name")
    event = claude_like.read(payload, NAME, _EVENTS.get(host_event, host_event), _EDITS, default_event)
    ended = text_in(payload, "status") in ("aborted", "error")
    roots = payload.get("workspace_roots")
    root = roots[0] if isinstance(roots, list) and roots and isinstance(roots[0], str) else ""
    count = payload.get("loop_count")
    return event._replace(
        name="other" if event.name == "stop" and ended else event.name,
        session=text_in(payload, "conversation_id") or event.session,
        cwd=event.cwd or well_formed(root or env.get("CURSOR_PROJECT_DIR", "")),
        turn_goes_on=event.turn_goes_on or (isinstance(count, int) and count > 0),
        most_holds=CAP,
    )


def write(event: Event, verdict: Kind, message: Message) -> Reply:
    """The answer to this event: at a stop nothing is said to the user."""
    text, notice = well_formed(message.text), well_formed(message.notice)
    if verdict == "continue":
        return Reply(stdout=json.dumps({"followup_message": text}))
    if verdict == "refuse":
        return Reply(stdout=json.dumps({"continue": False, "user_message": text}))
    if verdict == "context" and event.name != "prompt":
        return Reply(stdout=json.dumps({"additional_context": text}))
    told = notice if event.name == "prompt" else ""
    return Reply(stdout=json.dumps({"continue": True, "user_message": told})) if told else Reply()
