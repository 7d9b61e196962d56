"""Gemini CLI (measured on 0.61.0).

In: `{"session_id", "transcript_path", "cwd", "hook_event_name", "timestamp", ...}`. AfterAgent is a stop. Its
`prompt_response` holds all answers since the user's prompt, joined, and keeps an old one where the newest is empty: the
agent's last message comes from the transcript, which is written before. BeforeAgent is a prompt: the user's, with what
SessionStart's hooks added before it, or the text of a hold. AfterTool comes for tools that failed, too.

Out: `{"decision": "deny", "reason"}` with exit 0 makes the agent go on; `systemMessage` reaches the user, by a refused
prompt in the place of the reason. Exit 2 holds, too, but each counts as a failed hook.
"""

import json
import re
from collections.abc import Mapping
from typing import Any

from untilgreen.core.document import well_formed
from untilgreen.core.model.event import Event, Kind, Message, Reply
from untilgreen.hosts import gemini_tools
from untilgreen.hosts.reading import text_in

NAME = "gemini"
EDIT_TOOLS = ("replace", "write_file")
_EVENTS = {
    "AfterAgent": "stop",
    "BeforeAgent": "prompt",
    "SessionStart": "session-start",
    "SessionEnd": "session-end",
}
_HOST_EVENTS = {"prompt": "BeforeAgent", "session-start": "SessionStart", "edit": "AfterTool"}
_ADDED = r"(?s)\A(?:<hook_context>.*?</hook_context>\s*)+"  # their own `<` are escaped


def read(payload: dict[str, Any], _env: Mapping[str, str], default_event: str = "other") -> Event:
    """What the host says."""
    host_event = payload.get("hook_event_name")
    wrote = host_event == "AfterTool" or (default_event == "edit" and not isinstance(host_event, str))
    edits = gemini_tools.edits(payload, EDIT_TOOLS) if wrote else ()
    used = gemini_tools.used(payload, EDIT_TOOLS) if host_event == "AfterTool" else None
    other = "edit" if edits else "tool" if used else "other"
    name = _EVENTS.get(host_event, other) if isinstance(host_event, str) else default_event
    transcript = text_in(payload, "transcript_path")
    answered = "prompt_response" in payload and not transcript
    return Event(
        name=name,
        host=NAME,
        session=text_in(payload, "session_id"),
        cwd=text_in(payload, "cwd"),
        prompt=re.sub(_ADDED, "", text_in(payload, "prompt")) if name == "prompt" else "",
        message=text_in(payload, "prompt_response") if answered else None,
        transcript=transcript,
        source=text_in(payload, {"session-start": "source", "session-end": "reason"}.get(name, "")),
        turn_goes_on=payload.get("stop_hook_active") is True,
        edits=edits,
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
        output = {"hookEventName": _HOST_EVENTS.get(event.name, "BeforeAgent"), "additionalContext": text}
        return _reply(notice, {"hookSpecificOutput": output})
    if verdict == "continue":
        return _reply(notice, {"decision": "deny", "reason": text})
    if verdict in ("refuse", "answer"):
        return _reply("", {"decision": "deny", "reason": "\n".join(filter(None, (text, notice)))})
    raise ValueError(f"no such verdict: {verdict}")


def _reply(notice: str, more: Mapping[str, object] | None = None) -> Reply:
    told = dict(more or {}) | ({"systemMessage": notice} if notice else {})
    return Reply(stdout=json.dumps(told) if told else "")
