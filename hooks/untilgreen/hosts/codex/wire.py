"""Codex CLI (measured on 0.169.0).

In: one JSON object without a newline behind it, `{"session_id", "transcript_path", "cwd", "hook_event_name", "model",
"turn_id"?, "permission_mode"?, ...}`; Stop adds `stop_hook_active` and `last_assistant_message`. `turn_id` is one from
the prompt to the turn's end, over all holds.

Out: one JSON object with exit code 0. A key that it does not know, or a form for another event, voids the whole answer.
Exit code 2 with stderr holds as well, but then a `systemMessage` beside it is not shown.
"""

import json
import os
from collections.abc import Mapping
from typing import Any

from untilgreen.core.document import well_formed
from untilgreen.core.model.event import Edit, Event, Kind, Message, Reply, ToolUse
from untilgreen.hosts.reading import fitted, table_in, text_in

NAME = "codex"
PATCH = "apply_patch"
MOST = 10_000  # bytes of a text for the model; of a longer one it shows both ends and the path of a file with all of it

_EVENTS = {
    "Stop": "stop",
    "SubagentStop": "stop",
    "UserPromptSubmit": "prompt",
    "SessionStart": "session-start",
    "SessionEnd": "session-end",
}
_HOST_EVENTS = {"prompt": "UserPromptSubmit", "session-start": "SessionStart", "edit": "PostToolUse"}
# what names a file that a patch writes -> its text before, None where nobody tells
_WRITES = {"*** Add File: ": "", "*** Update File: ": None, "*** Move to: ": None}
_END = 30_000  # characters of what a command printed: summaries come last


def read(payload: dict[str, Any], env: Mapping[str, str], default_event: str = "other") -> Event:
    """What the host says."""
    host_event = payload.get("hook_event_name")
    over = host_event == "PostToolUse" or (default_event == "edit" and not isinstance(host_event, str))
    edits = _edits(payload) if over else ()
    used = _used(payload, edits) if over else None
    other = "edit" if edits else "tool" if used else "other"
    name = _EVENTS.get(host_event, other) if isinstance(host_event, str) else default_event
    source = {"session-start": "source", "session-end": "reason"}.get(name, "")
    # A sub-agent that is not named must not pass for the main agent.
    unnamed = "sub-agent" if host_event == "SubagentStop" else ""
    return Event(
        name=name,
        host=NAME,
        session=text_in(payload, "session_id"),
        cwd=_folder(payload, env) if over else text_in(payload, "cwd"),
        prompt_id=text_in(payload, "turn_id"),
        prompt=text_in(payload, "prompt"),
        message=text_in(payload, "last_assistant_message") if "last_assistant_message" in payload else None,
        transcript=text_in(payload, "transcript_path"),
        agent_id=text_in(payload, "agent_id") or unnamed,
        permission_mode=text_in(payload, "permission_mode"),
        source=text_in(payload, source),
        turn_goes_on=payload.get("stop_hook_active") is True,
        answers="stop" if name == "prompt" else "",
        edits=edits,
        used=used,
    )


def write(event: Event, verdict: Kind, message: Message) -> Reply:
    """The exact answer to this event. Raises ValueError for a verdict that is none."""
    text, notice = well_formed(message.text), well_formed(message.notice)
    if verdict == "allow":
        return _reply({}, notice)
    if verdict == "release":
        return _reply({}, "\n".join(filter(None, (text, notice))))
    if verdict == "context":
        told = {"hookEventName": _HOST_EVENTS.get(event.name, "PostToolUse"), "additionalContext": fitted(text, MOST)}
        return _reply({"hookSpecificOutput": told}, notice)
    if verdict == "answer":
        return _reply({"continue": False, "stopReason": text}, "")
    if verdict in ("continue", "refuse"):  # without a reason it would not hold
        return _reply({"decision": "block", "reason": fitted(text, MOST).strip() or "not green yet"}, notice)
    raise ValueError(f"no such verdict: {verdict}")


def _reply(answer: dict[str, Any], notice: str) -> Reply:
    answer |= {"systemMessage": notice} if notice else {}
    return Reply(stdout=json.dumps(answer) if answer else "")


def _folder(payload: dict[str, Any], env: Mapping[str, str]) -> str:
    """The session's folder: after a tool `cwd` is where that command ran, wherever that is; the hook's shell, which
    names its own folder, is started in the session's."""
    shell = well_formed(env.get("PWD", ""))
    return shell if os.path.isabs(shell) else text_in(payload, "cwd")


def _edits(payload: dict[str, Any]) -> tuple[Edit, ...]:
    """The files that a patch wrote. Of one that it adds the agent wrote every line, also over a file that is there."""
    if text_in(payload, "tool_name") != PATCH:
        return ()
    lines = text_in(table_in(payload, "tool_input"), "command").splitlines()
    named = ((line.removeprefix(start).strip(), start) for line in lines for start in _WRITES if line.startswith(start))
    wrote = {path: _WRITES[start] for path, start in named if path}
    return tuple(Edit(os.path.join(text_in(payload, "cwd"), path), before) for path, before in wrote.items())


def _used(payload: dict[str, Any], edits: tuple[Edit, ...]) -> ToolUse | None:
    """The call of a tool that is over: of a shell neither its exit code nor whether it failed. What goes on in the
    background is told when it has ended."""
    name, response = text_in(payload, "tool_name"), payload.get("tool_response")
    printed = well_formed(response)[-_END:] if isinstance(response, str) else ""
    command = "" if name == PATCH else text_in(table_in(payload, "tool_input"), "command")
    path = edits[0].path if edits else ""
    return ToolUse(name, True, command, path, 0.0, text_in(payload, "tool_use_id"), output=printed)
