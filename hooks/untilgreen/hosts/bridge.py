"""What the bridges send and understand: `templates/bridges/`, programs of ours inside of hosts without hooks.

In: Claude Code's form, `{"hook_event_name", "session_id", "cwd", "bridge", "client_pid", "transcript_path"?, …}`;
`bridge` is the host's name. After every call of a tool `tool_response` is `{"output", "is_error"?, "exit_code"?,
"originalFile"?}`; `originalFile` is the text of the file before the tool wrote it, null where there was none.

Out: exit 2 with the text on stderr holds a stop, or keeps a prompt from the model and shows the text to its user; else
stdout is `{"systemMessage"?, "hookSpecificOutput": {"additionalContext"}?}`.
"""

import os
import re

from untilgreen.core.document import well_formed
from untilgreen.core.model.event import Edit, Event, ToolUse, TurnFailure
from untilgreen.core.record import Any
from untilgreen.hosts.reading import END, Form, event_of, path_of, table_in, text_in, tool_use

_EDITS = ("edit", "write")
_ABOUT = ("path", "filePath", "url", "pattern", "query", "description")
_SHELLS = ("bash", "powershell")
# what a bridge calls the beginning and the end of a session -> our word
_SOURCES = {"new": "clear", "reload": "resume"}
_CODE = re.compile(r"Command exited with code (\d{1,9})\s*\Z", re.ASCII)  # how Pi ends what a failed command printed


def read(host: str, payload: dict[str, Any], default_event: str, *, answers: bool) -> Event:
    """What the bridge in this host says. `answers`: it can show its user what a hook answers in the model's place."""
    over = payload.get("hook_event_name") == "PostToolUse" or default_event == "edit"
    used = _used(payload) if over else None
    edits = _edits(payload) if used and used.ok else ()
    event = event_of(payload, host, default_event, edits, used)
    return event._replace(
        source=_SOURCES.get(event.source, event.source),
        client=text_in(payload, "client_pid"),
        quiet=True,
        agent_id=event.agent_id if event.agent_id != event.session else "",  # of a tool: the session that called it
        answers="instead" if answers and event.name == "prompt" else "",
        failure=TurnFailure("unknown", text_in(payload, "error")) if event.name == "failure" else None,
    )


write = Form(by_code=True).write


def _edits(payload: dict[str, Any]) -> tuple[Edit, ...]:
    """The file that a tool wrote, under its whole path: the agent names it from its folder."""
    done, path = table_in(payload, "tool_response"), path_of(payload)
    if text_in(payload, "tool_name") not in _EDITS or not path:
        return ()
    before = done.get("originalFile", False)
    text = "" if before is None else well_formed(before) if isinstance(before, str) else None
    return (Edit(os.path.join(text_in(payload, "cwd"), path), text),)


def _used(payload: dict[str, Any]) -> ToolUse:
    done = table_in(payload, "tool_response")
    failed, output = done.get("is_error") is True, text_in(done, "output")[-END:]
    used = tool_use(payload, (), ok=not failed, shells=_SHELLS, about=_ABOUT)._replace(output=output if failed else "")
    if used.name in _SHELLS:
        ended = _CODE.search(output) if failed else None
        printed = int(ended[1]) if ended else None if failed else 0
        given = done.get("exit_code", printed)
        code = given if type(given) is int else None  # it was interrupted, or ran out of time
        return used._replace(output=output, exit_code=code, open_end=code is None)
    edits = _edits(payload)
    return used._replace(path=edits[0].path, about="") if edits else used
