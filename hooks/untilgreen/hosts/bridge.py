"""What the bridges send and understand: `templates/bridges/`, programs of ours inside of hosts without hooks.

In: Claude Code's form, `{"hook_event_name", "session_id", "cwd", "bridge", "client_pid", "transcript_path"?, …}`;
`bridge` is the host's name. After every call of a tool `tool_response` is `{"output", "is_error"?, "exit_code"?,
"originalFile"?}`; `originalFile` is the text of the file before the tool wrote it, null where there was none.

Out: exit 2 with the text on stderr holds a stop, or keeps a prompt from the model and shows the text to its user; else
stdout is `{"systemMessage"?, "hookSpecificOutput": {"additionalContext"}?}`.
"""

import json
import os
import re
from typing import Any

from untilgreen.core.document import well_formed
from untilgreen.core.model.event import Edit, Event, Kind, Message, Reply, ToolUse, TurnFailure
from untilgreen.hosts.reading import table_in, text_in

_EVENTS = {
    "Stop": "stop",
    "UserPromptSubmit": "prompt",
    "SessionStart": "session-start",
    "SessionEnd": "session-end",
    "StopFailure": "failure",
}
_EDITS = ("edit", "write")
_SHELLS = ("bash", "powershell")
_ABOUT = ("path", "filePath", "url", "pattern", "query", "description")
_END = 30_000  # characters of what a tool printed: summaries come last
# what a bridge calls the beginning and the end of a session -> our word
_SOURCES = {"new": "clear", "reload": "resume"}
_CODE = re.compile(r"Command exited with code (\d{1,9})\s*\Z", re.ASCII)  # how Pi ends what a failed command printed


def read(host: str, payload: dict[str, Any], default_event: str, *, answers: bool) -> Event:
    """What the bridge in this host says. `answers`: it can show its user what a hook answers in the model's place."""
    told = payload.get("hook_event_name")
    used = _used(payload) if told == "PostToolUse" or default_event == "edit" else None
    edits = _edits(payload) if used and used.ok else ()
    other = "edit" if edits else "tool" if used else "other"
    name = _EVENTS.get(told, other) if isinstance(told, str) else default_event
    agent = text_in(payload, "agent_id")  # of a tool: the session that called it
    source = text_in(payload, {"session-start": "source", "session-end": "reason"}.get(name, ""))
    return Event(
        name=name,
        host=host,
        session=text_in(payload, "session_id"),
        cwd=text_in(payload, "cwd"),
        prompt_id=text_in(payload, "prompt_id"),
        prompt=text_in(payload, "prompt"),
        message=text_in(payload, "last_assistant_message") if "last_assistant_message" in payload else None,
        transcript=text_in(payload, "transcript_path"),
        source=_SOURCES.get(source, source),
        client=text_in(payload, "client_pid"),
        turn_goes_on=payload.get("stop_hook_active") is True,
        quiet=True,
        agent_id=agent if agent != text_in(payload, "session_id") else "",
        permission_mode=text_in(payload, "permission_mode"),
        answers="instead" if answers and name == "prompt" else "",
        edits=edits,
        failure=TurnFailure("unknown", text_in(payload, "error")) if name == "failure" else None,
        used=used,
    )


def write(_event: Event, verdict: Kind, message: Message) -> Reply:
    """The exact answer. Raises ValueError for a verdict that is none."""
    text, notice = well_formed(message.text), well_formed(message.notice)
    if verdict == "allow":
        return Reply(stdout=_told(notice))
    if verdict == "release":
        return Reply(stdout=_told("\n".join(filter(None, (text, notice)))))
    if verdict == "context":
        return Reply(stdout=_told(notice, text))
    if verdict in ("continue", "answer", "refuse"):
        return Reply(code=2, stdout=_told(notice), stderr=text)
    raise ValueError(f"no such verdict: {verdict}")


def _told(user: str, agent: str = "") -> str:
    told: dict[str, Any] = {"systemMessage": user} if user else {}
    told |= {"hookSpecificOutput": {"additionalContext": agent}} if agent else {}
    return json.dumps(told) if told else ""


def _edits(payload: dict[str, Any]) -> tuple[Edit, ...]:
    """The file that a tool wrote, under its whole path: the agent names it from its folder."""
    asked, done = table_in(payload, "tool_input"), table_in(payload, "tool_response")
    path = text_in(asked, "path") or text_in(asked, "filePath")
    if text_in(payload, "tool_name") not in _EDITS or not path:
        return ()
    before = done.get("originalFile", False)
    text = "" if before is None else well_formed(before) if isinstance(before, str) else None
    return (Edit(os.path.join(text_in(payload, "cwd"), path), text),)


def _used(payload: dict[str, Any]) -> ToolUse:
    """The call of a tool that is over."""
    name, asked, done = (
        text_in(payload, "tool_name"),
        *(table_in(payload, f"tool_{key}") for key in ("input", "response")),
    )
    failed, output = done.get("is_error") is True, text_in(done, "output")[-_END:]
    used = ToolUse(name, not failed, id=text_in(payload, "tool_use_id"), output=output if failed else "")
    if name in _SHELLS:
        code = _exit_code(done, output, failed=failed)
        used = used._replace(command=text_in(asked, "command"), output=output, exit_code=code, open_end=code is None)
    elif edits := _edits(payload):
        return used._replace(path=edits[0].path)
    return (
        used if used.command else used._replace(about=next(filter(None, (text_in(asked, key) for key in _ABOUT)), ""))
    )


def _exit_code(done: dict[str, Any], output: str, *, failed: bool) -> int | None:
    """None where it was interrupted, or ran out of time."""
    if "exit_code" in done:
        return done["exit_code"] if type(done["exit_code"]) is int else None
    ended = _CODE.search(output)
    return int(ended[1]) if failed and ended else None if failed else 0
