"""What a host prints at the end of a process that answered one prompt: what the adapters share when they read it."""

import json
from collections.abc import Iterator
from typing import Any

from untilgreen.core.record import NamedTuple
from untilgreen.hosts.reading import table_in, text_in
from untilgreen.hosts.records import number


class Closing(NamedTuple):
    """What came of it, in one form for all hosts."""

    #: the agent's last message
    text: str = ""
    #: why it could not work, "" where it could, or the host does not say
    error: str = ""
    failed: bool = False
    #: the HTTP status of the model's API, 0 where the host does not say
    status: int = 0
    #: it came to a limit of turns that its user gave: what it left is judged
    used_up: bool = False
    #: what its models used: tokens, and USD (None: not told)
    tokens: int = 0
    cost: float | None = None


def objects(stdout: str) -> Iterator[dict[str, Any]]:
    """The JSON objects that stand on a line each, or in a list on a line, in their order; all else is skipped."""
    for line in stdout.splitlines():
        try:
            found = json.loads(line) if line.strip() else None
        except (ValueError, RecursionError):
            continue
        yield from (one for one in (found if isinstance(found, list) else [found]) if isinstance(one, dict))


def document(stdout: str) -> dict[str, Any]:
    """The JSON object that begins a line and goes on to the end, an empty one where there is none."""
    start = stdout.find("{") if stdout.startswith("{") else stdout.find("\n{")
    try:
        found = json.loads(stdout[start:]) if start >= 0 else None
    except (ValueError, RecursionError):
        found = None
    return found if isinstance(found, dict) else {}


def result(stdout: str) -> dict[str, Any] | None:
    """The document with `type` "result" by which some hosts close, the last one; None where there is none."""
    return next((one for one in reversed([*objects(stdout)]) if one.get("type") == "result"), None)


def failure(record: dict[str, Any]) -> tuple[str, int]:
    """`{"message", "statusCode"?}`, or a text: why it failed, and the status of the model's API."""
    told = table_in(record, "error")
    return text_in(told, "message") or text_in(record, "error"), number(told, "statusCode")
