"""The tools of Gemini CLI, and of Qwen Code, which began as a copy of it: what their results tell (0.61.0, 0.24.4).

A result is `{"llmContent", "returnDisplay", "error"?}`: the text for the model, and for the screen a text or, of an
edit, `{"filePath", "originalContent", "newContent", …}`. That of a shell is lines:

    Output: what it printed, both streams
    Error: (none)
    Exit Code: 3
    Signal: (none)
    Background PIDs: 12
    Process Group PGID: 48

Gemini CLI leaves out what is not so (also `Exit Code: 0`), and puts a tag round it.
"""

import re

from untilgreen.core.model.event import Edit, ToolUse
from untilgreen.core.record import Any
from untilgreen.hosts.reading import ABOUT, END, path_of, table_in, text_in, tool_use

_ABOUT = (*ABOUT, "prompt")
SHELL = "run_shell_command"
# what follows the output, from the end: a command may print such lines itself
_TAIL = re.compile(
    r"(?:\nError: .*)?(?:\nExit Code: (?P<code>\d{1,9}|\(none\)))?(?:\nSignal: (?P<signal>.*))?"
    r"(?:\nBackground PIDs: .*)?(?:\nProcess Group PGID: .*)\s*(?:</untrusted_context>)?\s*\Z",
)


def edits(payload: dict[str, Any], tools: tuple[str, ...]) -> tuple[Edit, ...]:
    """The file that one of these tools wrote, and its text before: "" where there was none."""
    response = table_in(payload, "tool_response")
    if text_in(payload, "tool_name") not in tools or response.get("error"):
        return ()
    shown = table_in(response, "returnDisplay")
    path = text_in(shown, "filePath") or path_of(payload)
    before = shown.get("originalContent")
    return (Edit(path, before if isinstance(before, str) else None),) if path else ()


def used(payload: dict[str, Any], tools: tuple[str, ...]) -> ToolUse:
    """The call of a tool that did its work, as far as its result tells. `tools`: those that edit."""
    asked, response = table_in(payload, "tool_input"), table_in(payload, "tool_response")
    told = tool_use(payload, tools, about=_ABOUT)
    error = response.get("error")
    if error:
        return told._replace(ok=False, output=(text_in(table_in(response, "error"), "message") or str(error))[-END:])
    return of_shell(told, asked, text_in(response, "llmContent")) if told.name == SHELL else told


def failed(payload: dict[str, Any], tools: tuple[str, ...]) -> ToolUse:
    """The call of a tool that failed, where the host has an event for that: `error` is what the model gets."""
    told, error = tool_use(payload, tools, about=_ABOUT), text_in(payload, "error")
    if told.name == SHELL:
        told = of_shell(told, table_in(payload, "tool_input"), error)
    interrupted = payload.get("is_interrupt") is True
    return told._replace(ok=False, output=told.output or error[-END:], open_end=interrupted, refused=interrupted)


def of_shell(told: ToolUse, asked: dict[str, Any], text: str) -> ToolUse:
    """What the lines about a command say. One that was sent to the background, or was cut off, has no end yet."""
    found = _TAIL.search(text)
    if asked.get("is_background") is True or not found:
        return told._replace(output=text[-END:], open_end=True)
    code, killed = found["code"], found["signal"] not in (None, "(none)", "0")  # 0: no signal, in 0.20.0
    number = None if killed else int(code or 0) if code != "(none)" else None
    printed = text[: found.start()].partition("Output: ")[2]
    return told._replace(ok=number == 0, exit_code=number, output=printed[-END:])
