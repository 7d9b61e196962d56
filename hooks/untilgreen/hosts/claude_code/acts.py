"""What the agent did, by the host's transcript and those of its sub-agents; see `usage` for what they hold."""

from collections.abc import Iterator
from typing import Any

from untilgreen.core.model.act import Act, Tokens
from untilgreen.hosts.claude_code import usage
from untilgreen.hosts.claude_code.transcript import entries
from untilgreen.hosts.claude_code.wire import EDIT_TOOLS
from untilgreen.hosts.reading import objects_in, text_in
from untilgreen.hosts.records import lines_with

_TOLD_IN = (b'"assistant"', b'"is_error"')  # all other lines are passed over unparsed


def acts(transcript: str) -> tuple[Act, ...]:
    """What was done, file by file in its order. Raises OSError."""
    return tuple(act for path in usage.of_files(transcript) for act in _in(path))


def _in(path: str) -> Iterator[Act]:
    called: dict[str, Act] = {}
    answered: dict[str, Act] = {}
    for entry in entries(lines_with(path, *_TOLD_IN)):
        at, message = entry.get("timestamp"), entry["message"]
        blocks = objects_in(message.get("content"))
        if entry["type"] == "user":
            for block in blocks:
                if block.get("is_error") and called.get(text_in(block, "tool_use_id"), _NONE).edited:
                    del called[text_in(block, "tool_use_id")]  # a command did run, whatever came of it
        elif isinstance(at, str):
            called |= {text_in(block, "id"): act for block in blocks if (act := _called(at, block)) != _NONE}
            if answer := usage.answered(entry):
                used = answer[1].used
                read = used.input + used.cache_write + used.cache_write_1h
                answered[answer[0]] = Act(at, tokens=Tokens(read, used.cache_read, used.output))
    yield from (*called.values(), *answered.values())


_NONE = Act("")


def _called(at: str, block: dict[str, Any]) -> Act:
    """What a call of a tool does, none where that is neither an edit nor a command."""
    given = block.get("input")
    if block.get("type") != "tool_use" or not isinstance(given, dict):
        return _NONE
    path, command = text_in(given, "file_path") or text_in(given, "notebook_path"), text_in(given, "command")
    if block.get("name") in EDIT_TOOLS and path:
        return Act(at, edited=path)
    return Act(at, command=command) if block.get("name") == "Bash" and command else _NONE
