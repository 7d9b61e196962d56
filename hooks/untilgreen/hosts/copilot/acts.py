"""What the agent and its sub-agents did, by the host's own record of a session; see `transcript` for its lines."""

from typing import Any

from untilgreen.core.model.act import Act, Tokens
from untilgreen.hosts.copilot import usage
from untilgreen.hosts.copilot.transcript import entries
from untilgreen.hosts.reading import objects_in, table_in, text_in
from untilgreen.hosts.records import lines_with

_TOLD_IN = (b'"assistant.message"', b'"session.usage_record"', b'"tool.execution_complete"')
_EDIT_TOOLS = ("create", "edit")


def acts(transcript: str) -> tuple[Act, ...]:
    """What was done, in its order. Raises OSError."""
    called: dict[str, Act] = {}
    answered: list[Act] = []
    for entry in entries(lines_with(transcript, *_TOLD_IN)):
        at, data = text_in(entry, "timestamp"), entry["data"]
        if entry["type"] == "assistant.message":
            called |= {text_in(one, "toolCallId"): _called(at, one) for one in objects_in(data.get("toolRequests"))}
        elif entry["type"] == "session.usage_record":
            used = usage.used(table_in(data, "usage"))
            answered.append(Act(at, tokens=Tokens(used.input + used.cache_write, used.cache_read, used.output)))
        elif data.get("success") is False and called.get(text_in(data, "toolCallId"), _NONE).edited:
            del called[text_in(data, "toolCallId")]  # a command did run, whatever came of it
    return (*(act for act in called.values() if act.edited or act.command), *answered)


_NONE = Act("")


def _called(at: str, call: dict[str, Any]) -> Act:
    given = table_in(call, "arguments")
    if call.get("name") in _EDIT_TOOLS:
        return Act(at, edited=text_in(given, "path"))
    return Act(at, command=text_in(given, "command")) if call.get("name") == "bash" else _NONE
