"""What the agent did, by its session's rollout file (recorded with 0.169.0); sub-agents have files of their own."""

import os
import shlex
from collections.abc import Iterator
from typing import Any

from untilgreen.core.model.act import Act, Tokens
from untilgreen.hosts.codex.transcript import entries
from untilgreen.hosts.reading import table_in
from untilgreen.project import files

_LARGEST = 256 * 1024 * 1024  # bytes of a file; nothing is told of a larger one
_TOLD_IN = (b'"FileChange"', b'"CommandExecution"', b'"token_usage_record"')  # all other lines are passed over unparsed


def of(transcript: str) -> tuple[Act, ...]:
    """What was done, in its order. Raises OSError."""
    with open(transcript, "rb", opener=files.followed) as file:
        if os.fstat(file.fileno()).st_size > _LARGEST:
            return ()
        told = entries(line for line in file if any(word in line for word in _TOLD_IN))
        return tuple(act for kind, payload in told for act in _acts(kind, payload))


def _acts(kind: str, payload: dict[str, Any]) -> Iterator[Act]:
    at, item = payload["at"], table_in(payload, "item")
    if kind == "token_usage_record":
        usage = table_in(payload, "usage")
        cached, written = _number(usage, "cached_input_tokens"), _number(usage, "output_tokens")
        yield Act(at, tokens=Tokens(max(0, _number(usage, "input_tokens") - cached), cached, written))
    elif item.get("type") == "FileChange" and item.get("status") == "completed":
        yield from (Act(at, edited=path) for path in table_in(item, "changes"))
    elif item.get("type") == "CommandExecution" and isinstance(item.get("command"), list):
        yield Act(at, command=_line([str(word) for word in item["command"]]))


def _line(words: list[str]) -> str:
    """What was given to its shell."""
    return words[-1] if words[1:2] == ["-lc"] and len(words) == 3 else shlex.join(words)


def _number(found: dict[str, Any], name: str) -> int:
    value = found.get(name)
    return value if type(value) is int and value > 0 else 0
