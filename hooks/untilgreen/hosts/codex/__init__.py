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

from untilgreen.core.document import well_formed
from untilgreen.core.model.event import Edit, Event, Kind, Message, Reply, ToolUse
from untilgreen.core.record import Any
from untilgreen.hosts.reading import END, Form, event_of, is_over, table_in, text_in

NAME = "codex"
PATCH = "apply_patch"
MOST = 10_000  # bytes of a text for the model; of a longer one it shows both ends and the path of a file with all of it

_FORM = Form("PostToolUse", most=MOST)
# what names a file that a patch writes -> its text before, None where nobody tells
_WRITES = {"*** Add File: ": "", "*** Update File: ": None, "*** Move to: ": None}


def read(payload: dict[str, Any], env: Mapping[str, str], default_event: str = "other") -> Event:
    over = is_over(payload, "PostToolUse", default_event)
    edits = _edits(payload) if over else ()
    used = _used(payload, edits) if over else None
    # after a tool `cwd` is where that command ran, wherever that is; the hook's shell, which names its own folder, is
    # started in the session's
    shell = well_formed(env.get("PWD", ""))
    event = event_of(payload, NAME, default_event, edits, used)
    return event._replace(
        cwd=shell if over and os.path.isabs(shell) else event.cwd,
        prompt_id=text_in(payload, "turn_id"),
        answers="stop" if event.name == "prompt" else "",
    )


def write(event: Event, verdict: Kind, message: Message) -> Reply:
    if verdict == "answer":
        return Reply(stdout=json.dumps({"continue": False, "stopReason": well_formed(message.text)}))
    return _FORM.write(event, verdict, message)


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
    printed = well_formed(response)[-END:] if isinstance(response, str) else ""
    command = "" if name == PATCH else text_in(table_in(payload, "tool_input"), "command")
    path = edits[0].path if edits else ""
    return ToolUse(name, True, command, path, 0.0, text_in(payload, "tool_use_id"), output=printed)
