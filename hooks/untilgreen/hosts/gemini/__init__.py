"""Gemini CLI (measured on 0.61.0).

In: `{"session_id", "transcript_path", "cwd", "hook_event_name", "timestamp", ...}`. AfterAgent is a stop. Its
`prompt_response` holds all answers since the user's prompt, joined, and keeps an old one where the newest is empty: the
agent's last message comes from the transcript, which is written before. BeforeAgent is a prompt: the user's, with what
SessionStart's hooks added before it, or the text of a hold. AfterTool comes for tools that failed, too.

Out: `{"decision": "deny", "reason"}` with exit 0 makes the agent go on; `systemMessage` reaches the user, by a refused
prompt in the place of the reason. Exit 2 holds, too, but each counts as a failed hook.
"""

import re
from collections.abc import Mapping

from untilgreen.core.model.event import Event
from untilgreen.core.record import Any
from untilgreen.hosts import gemini_tools
from untilgreen.hosts.reading import Form, event_of, is_over, text_in

NAME = "gemini"
EDIT_TOOLS = ("replace", "write_file")
_NAMES = {"prompt": "BeforeAgent", "session-start": "SessionStart", "edit": "AfterTool"}
write = Form("BeforeAgent", _NAMES, decision="deny", joined=("refuse", "answer")).write
_ADDED = r"(?s)\A(?:<hook_context>.*?</hook_context>\s*)+"  # their own `<` are escaped


def read(payload: dict[str, Any], _env: Mapping[str, str], default_event: str = "other") -> Event:
    edits = gemini_tools.edits(payload, EDIT_TOOLS) if is_over(payload, "AfterTool", default_event) else ()
    used = gemini_tools.used(payload, EDIT_TOOLS) if payload.get("hook_event_name") == "AfterTool" else None
    event = event_of(payload, NAME, default_event, edits, used)
    answered = "prompt_response" in payload and not event.transcript
    return event._replace(
        prompt=re.sub(_ADDED, "", event.prompt) if event.name == "prompt" else "",
        message=text_in(payload, "prompt_response") if answered else None,
    )
