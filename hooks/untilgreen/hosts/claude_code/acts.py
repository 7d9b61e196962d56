"""What the agent did, by the host's transcript: `PROJECT/SESSION.jsonl`, and that of each sub-agent in
`PROJECT/SESSION/subagents/` (recorded with 2.1.330; before, sub-agents stood among the rest).

Each block of a message is a line of its own, and each of them repeats the tokens of the whole message as they were when
it was written: of a message the last line counts.
"""

import os
from collections.abc import Iterator
from typing import Any

from untilgreen.core.model.act import Act, Tokens
from untilgreen.hosts.claude_code.transcript import entries
from untilgreen.hosts.claude_code.wire import EDIT_TOOLS, records, text_in
from untilgreen.project import files

_LARGEST = 256 * 1024 * 1024  # bytes of a transcript; nothing is told of a larger one
_TOLD_IN = (b'"assistant"', b'"is_error"')  # all other lines are passed over unparsed


def of(transcript: str) -> tuple[Act, ...]:
    """What was done, file by file in its order. Raises OSError."""
    folder = os.path.join(transcript.removesuffix(".jsonl"), "subagents")
    try:
        theirs = sorted(name for name in os.listdir(folder) if name.endswith(".jsonl"))
    except OSError:
        theirs = []
    return tuple(act for path in (transcript, *(os.path.join(folder, name) for name in theirs)) for act in _in(path))


def _in(path: str) -> Iterator[Act]:
    called: dict[str, Act] = {}
    answered: dict[str, Act] = {}
    with open(path, "rb", opener=files.followed) as file:
        if os.fstat(file.fileno()).st_size > _LARGEST:
            return
        for entry in entries(line for line in file if any(word in line for word in _TOLD_IN)):
            at, message = entry.get("timestamp"), entry["message"]
            blocks = records(message.get("content"))
            if entry["type"] == "user":
                for block in blocks:
                    if block.get("is_error") and called.get(text_in(block, "tool_use_id"), _NONE).edited:
                        del called[text_in(block, "tool_use_id")]  # a command did run, whatever came of it
            elif isinstance(at, str):
                called |= {text_in(block, "id"): act for block in blocks if (act := _called(at, block)) != _NONE}
                if isinstance(message.get("usage"), dict):
                    answered[text_in(message, "id")] = Act(at, tokens=_tokens(message["usage"]))
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


def _tokens(usage: dict[str, Any]) -> Tokens:
    def number(name: str) -> int:
        found = usage.get(name)
        return found if type(found) is int and found > 0 else 0

    read = number("input_tokens") + number("cache_creation_input_tokens")
    return Tokens(read, number("cache_read_input_tokens"), number("output_tokens"))
