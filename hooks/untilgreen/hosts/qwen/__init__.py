"""Qwen Code (measured on 0.24.4).

In: Claude Code's form and names of events, with `timestamp`, tools of its own, and `prompt_id`. UserPromptSubmit comes
for what its user typed (`submitted_prompt` is that, where it was not fetched from an earlier session or edited;
`prompt` is what a command's file made of it), with `prompt: ""` after every result of a tool, and with our own reason
when it goes on.

Out: `{"decision": "block", "reason"}` with exit 0 makes the agent go on, and `systemMessage` beside it reaches the
user, in the terminal and on the stderr of a headless run. Exit 2 holds, too, but then stdout is dropped. Never
`continue: false`: at a stop that makes it go on. A prompt's `systemMessage` reaches nobody.
"""

from collections.abc import Mapping

from untilgreen.core.model.event import Event, Task
from untilgreen.core.record import Any
from untilgreen.hosts import gemini_tools
from untilgreen.hosts.reading import Form, event_of, is_over, objects_in, text_in

NAME = "qwen"
EDIT_TOOLS = ("edit", "write_file", "notebook_edit")
write = Form("UserPromptSubmit").write
_RUNNING = ("running", "pending", "in_progress")


def read(payload: dict[str, Any], _env: Mapping[str, str], default_event: str = "other") -> Event:
    edits = gemini_tools.edits(payload, EDIT_TOOLS) if is_over(payload, "PostToolUse", default_event) else ()
    host_event, used = payload.get("hook_event_name"), None
    if host_event in ("PostToolUse", "PostToolUseFailure"):
        used = (gemini_tools.used if host_event == "PostToolUse" else gemini_tools.failed)(payload, EDIT_TOOLS)
    event = event_of(payload, NAME, default_event, edits, used)
    return event._replace(
        prompt=text_in(payload, "submitted_prompt") or event.prompt,
        tasks=_tasks(payload),
        notification=event.name == "prompt" and not event.prompt,
    )


def _tasks(payload: dict[str, Any]) -> tuple[Task, ...]:
    """Sub-agents that still run, and the one-shot timers that will wake the session; shells are not told."""
    running = [
        Task(text_in(task, "id") or text_in(task, "description"), "agent")
        for task in objects_in(payload.get("background_tasks"))
        if text_in(task, "agent_type") and text_in(task, "status").lower() in _RUNNING
    ]
    crons = objects_in(payload.get("crons"))
    return (*running, *(Task(text_in(one, "id"), "wakeup") for one in crons if one.get("recurring") is False))
