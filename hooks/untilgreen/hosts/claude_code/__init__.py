"""Claude Code (measured on 2.1.330 and 2.1.150).

In: one JSON object, `{"session_id", "transcript_path", "cwd", "hook_event_name", "prompt_id"?, ...}`; Stop adds
`stop_hook_active`, `last_assistant_message`, `background_tasks`, `session_crons`.

Out: exit 2 with the text on stderr makes the agent go on, and is the only form that both versions honoured.
`{"systemMessage"}` on stdout reaches the user on any exit code; plain stdout reaches the model, at a prompt and
at a session's start only.
"""

import json
import re
from collections.abc import Mapping

from untilgreen.core.document import well_formed
from untilgreen.core.model.event import Edit, Event, Kind, Message, Reply, Task, ToolUse
from untilgreen.core.record import Any
from untilgreen.hosts.reading import END, Form, event_of, is_over, objects_in, path_of, table_in, text_in, tool_use

NAME = "claude-code"
CLIENT = "CLAUDE_PID"  # the variable that names its process

_USED = {"PostToolUse": True, "PostToolUseFailure": False}  # a tool's call is over, and whether it did its work
_FORM = Form("Stop", by_code=True)
EDIT_TOOLS = ("Edit", "Write", "MultiEdit", "NotebookEdit")
# how the host answers for a user or a rule that kept a tool from its work
_REFUSED = ("doesn't want to", "permission to use", "requested permissions", "denied this tool", "hook error")

# The labels are the host's, after them its internal names, which unlabelled types fall back to. A teammate idles
# for hours, a monitor for ever, a cloud session works elsewhere: none of them is waited for.
_KINDS = {
    "subagent": "agent",
    "agent": "agent",
    "local_agent": "agent",
    "workflow": "agent",
    "local_workflow": "agent",
    "shell": "shell",
    "bash": "shell",
    "local_bash": "shell",
}
_ENDED = {
    *("completed", "complete", "done", "finished", "succeeded", "success", "exited"),
    *("failed", "failure", "error", "errored", "timeout", "timed_out"),
    *("killed", "cancelled", "canceled", "stopped", "terminated", "aborted"),
}
_NOTIFICATION = "<task-notification>"  # opens a prompt of the host's own (recorded with 2.1.330)
_CONTEXT_SINCE = (2, 1, 214)  # the first version that holds the agent by additionalContext without a hook error
_ANSWERS_SINCE = (2, 1, 330)  # the first that is known to show a hook's answer without a terminal, too


def read(payload: dict[str, Any], env: Mapping[str, str], default_event: str = "other") -> Event:
    edits = _edits(payload) if is_over(payload, "PostToolUse", default_event) else ()
    event = event_of(payload, NAME, default_event, edits, _used(payload))
    # 2.1.330 shows what a hook answers on the screen and as the result of `-p`; 2.1.150 on the screen alone, and by
    # `continue` as if its user had said it
    on_screen = "block" if env.get("CLAUDE_CODE_ENTRYPOINT") == "cli" else ""
    answers = "stop" if _version(env) >= _ANSWERS_SINCE else on_screen
    return event._replace(
        messages=_messages(payload.get("messages")),
        client=well_formed(env.get(CLIENT, "")),
        tasks=_tasks(payload),
        quiet=_version(env) >= _CONTEXT_SINCE,
        answers=answers if event.name == "prompt" else "",
        notification=event.prompt.lstrip().startswith(_NOTIFICATION),
        teammate=text_in(payload, "teammate_name"),
        team=text_in(payload, "team_name"),
        task=text_in(payload, "task_id"),
    )


def write(event: Event, verdict: Kind, message: Message) -> Reply:
    text = well_formed(message.text)
    if verdict == "context" and not message.notice and event.name != "edit":  # after a tool plain text reaches nobody
        return Reply(stdout=f"{text}\n")
    if verdict == "answer":
        more = {"hookEventName": "UserPromptSubmit", "suppressOriginalPrompt": True}
        shown = {"decision": "block", "reason": text, "hookSpecificOutput": more}
        return Reply(stdout=json.dumps({"continue": False, "stopReason": text} if event.answers == "stop" else shown))
    if verdict == "continue" and message.quiet and event.quiet:
        return _FORM.write(event, "context", message)
    return _FORM.write(event, verdict, message)


def _edits(payload: dict[str, Any]) -> tuple[Edit, ...]:
    """The file that a tool wrote: `file_path` or `notebook_path` in, `originalFile` or `original_file` out.

    `originalFile` is null where there was no file (recorded with 2.1.330).
    """
    done = table_in(payload, "tool_response")
    path = text_in(done, "filePath") or path_of(payload)
    if text_in(payload, "tool_name") not in EDIT_TOOLS or not path:
        return ()
    before = next((done[key] for key in ("originalFile", "original_file") if key in done), False)
    return (Edit(path, "" if before is None else before if isinstance(before, str) else None),)


def _used(payload: dict[str, Any]) -> ToolUse | None:
    """The call of a tool that is over; `duration_ms` is the tool's own time (recorded with 2.1.330)."""
    ok = _USED.get(text_in(payload, "hook_event_name"))
    if ok is None:
        return None
    used = tool_use(payload, EDIT_TOOLS, ok=ok)
    return _succeeded(used, payload) if ok else _failed(used, payload)


def _succeeded(used: ToolUse, payload: dict[str, Any]) -> ToolUse:
    """Of a shell there is no exit code: 0, but for commands whose other codes the host takes for an answer, too."""
    if not used.command:
        return used
    done = table_in(payload, "tool_response")
    aside = table_in(payload, "tool_input").get("run_in_background") is True or done.get("backgroundTaskId")
    ended = isinstance(payload.get("tool_response"), dict) and not (aside or done.get("interrupted"))
    printed = "\n".join(text_in(done, name)[-END:] for name in ("stderr", "stdout"))
    code = 0 if ended and not done.get("returnCodeInterpretation") else None
    return used._replace(exit_code=code, output=printed, open_end=not ended)


def _failed(used: ToolUse, payload: dict[str, Any]) -> ToolUse:
    """`Exit code 3`, then what was printed; of other tools their own words."""
    error = text_in(payload, "error")
    code = re.match(r"Exit code (\d{1,9})\b", error, re.ASCII)
    interrupted = payload.get("is_interrupt") is True
    refused = interrupted or (not code and any(word in error[:400].lower() for word in _REFUSED))
    printed = error if len(error) <= END else f"{error[:500]}\n{error[-END:]}"
    exit_code = int(code[1]) if code and not interrupted else None
    return used._replace(exit_code=exit_code, output=printed, open_end=interrupted, refused=refused)


def _version(env: Mapping[str, str]) -> tuple[int, ...]:
    """The client that AI_AGENT (`claude-code_2-1-330_harness`) names; () where it names none."""
    told = env.get("AI_AGENT", "")
    version = re.match(r"claude-code_(\d+)-(\d+)-(\d+)(?!\d)", told, re.ASCII) if told else None
    return tuple(int(part) for part in version.groups()) if version else ()


def _messages(value: object) -> tuple[str, ...] | None:
    """The assistant's texts of `messages[]`: `{"role", "content": text or [{"type": "text", "text"}]}`."""
    said = [item for item in objects_in(value) if item.get("role") == "assistant"]
    blocks = ([one for one in objects_in(item.get("content")) if one.get("type") == "text"] for item in said)
    texts = ("\n".join(text_in(one, "text") for one in theirs) for theirs in blocks)
    told = tuple(text or text_in(item, "content") for text, item in zip(texts, said, strict=True))
    return told if isinstance(value, list) else None


def _tasks(payload: dict[str, Any]) -> tuple[Task, ...]:
    """What still runs in the background, and the one-shot timers that will wake the session."""
    running = [
        Task(_id(task, "description"), kind, text_in(task, "command") if kind == "shell" else "")
        for task in objects_in(payload.get("background_tasks"))
        if (kind := _KINDS.get(text_in(task, "type"))) and text_in(task, "status").lower() not in _ENDED
    ]
    wakeups = [
        Task(_id(cron, "schedule"), "wakeup")
        for cron in objects_in(payload.get("session_crons"))
        if cron.get("recurring") is False
    ]
    return (*running, *wakeups)


def _id(task: dict[str, Any], otherwise: str) -> str:
    return text_in(task, "id") or text_in(task, otherwise)
