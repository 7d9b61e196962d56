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
from untilgreen.hosts.reading import table_in, text_in

SHELL = "run_shell_command"
_END = 30_000  # characters of what a tool printed: summaries come last
# what follows the output, from the end: a command may print such lines itself
_TAIL = re.compile(
    r"(?:\nError: .*)?(?:\nExit Code: (?P<code>\d{1,9}|\(none\)))?(?:\nSignal: (?P<signal>.*))?"
    r"(?:\nBackground PIDs: .*)?(?:\nProcess Group PGID: .*)\s*(?:</untrusted_context>)?\s*\Z",
)
# what tools are called on, the most telling key first
_ABOUT = ("file_path", "path", "dir_path", "url", "pattern", "query", "skill", "subagent_type", "description", "prompt")


def edits(payload: dict[str, Any], tools: tuple[str, ...]) -> tuple[Edit, ...]:
    """The file that one of these tools wrote, and its text before: "" where there was none."""
    response = table_in(payload, "tool_response")
    if text_in(payload, "tool_name") not in tools or response.get("error"):
        return ()
    shown = table_in(response, "returnDisplay")
    path = text_in(shown, "filePath") or text_in(table_in(payload, "tool_input"), "file_path")
    before = shown.get("originalContent")
    return (Edit(path, before if isinstance(before, str) else None),) if path else ()


def used(payload: dict[str, Any], tools: tuple[str, ...]) -> ToolUse:
    """The call of a tool that did its work, as far as its result tells. `tools`: those that edit."""
    asked, response = table_in(payload, "tool_input"), table_in(payload, "tool_response")
    told = _called(payload, tools)
    error = response.get("error")
    if error:
        return told._replace(ok=False, output=_end(text_in(table_in(response, "error"), "message") or str(error)))
    return of_shell(told, asked, text_in(response, "llmContent")) if told.name == SHELL else told


def failed(payload: dict[str, Any], tools: tuple[str, ...]) -> ToolUse:
    """The call of a tool that failed, where the host has an event for that: `error` is what the model gets."""
    told, error = _called(payload, tools), text_in(payload, "error")
    if told.name == SHELL:
        told = of_shell(told, table_in(payload, "tool_input"), error)
    interrupted = payload.get("is_interrupt") is True
    return told._replace(ok=False, output=told.output or _end(error), open_end=interrupted, refused=interrupted)


def of_shell(told: ToolUse, asked: dict[str, Any], text: str) -> ToolUse:
    """What the lines about a command say. One that was sent to the background, or was cut off, has no end yet."""
    found = _TAIL.search(text)
    if asked.get("is_background") is True or not found:
        return told._replace(output=_end(text), open_end=True)
    code, killed = found["code"], (found["signal"] or "(none)") != "(none)"
    number = None if killed else int(code or 0) if code != "(none)" else None
    printed = text[: found.start()].partition("Output: ")[2]
    return told._replace(ok=number == 0, exit_code=number, output=_end(printed))


def _called(payload: dict[str, Any], tools: tuple[str, ...]) -> ToolUse:
    asked, took = table_in(payload, "tool_input"), payload.get("duration_ms")
    name = text_in(payload, "tool_name")
    seconds = took / 1_000 if isinstance(took, int | float) and type(took) is not bool and took > 0 else 0.0
    told = ToolUse(name, True, text_in(asked, "command"), seconds=seconds, id=text_in(payload, "tool_use_id"))
    if name in tools:
        told = told._replace(path=text_in(asked, "file_path"))
    if not (told.command or told.path):
        told = told._replace(about=next(filter(None, (text_in(asked, key) for key in _ABOUT)), ""))
    return told


def _end(text: str) -> str:
    return text[-_END:]
