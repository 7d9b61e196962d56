"""What hosts write down of a session: JSON Lines that grow while we read them; and what they print at the end of a
process that answered one prompt."""

import json
import os
from collections.abc import Iterable, Iterator, Mapping

from untilgreen.core.model.snapshot import ReadSoFar
from untilgreen.core.record import Any, NamedTuple
from untilgreen.hosts.reading import table_in, text_in
from untilgreen.project import files

LARGEST = 256 * 1024 * 1024  # bytes that are read at a time
_MOST = 10**12  # tokens


def tail(path: str, limit: int) -> list[bytes]:
    """The lines in the last `limit` bytes of a record; the first of them may be cut. Raises OSError."""
    with open(path, "rb", opener=files.followed) as file:
        file.seek(max(0, file.seek(0, os.SEEK_END) - limit))
        return file.read(limit).split(b"\n")


def lines_with(path: str, *words: bytes) -> Iterator[bytes]:
    """The lines of a whole record in which one of these words stands; none of a record that is too large. Raises
    OSError."""
    with open(path, "rb", opener=files.followed) as file:
        if os.fstat(file.fileno()).st_size <= LARGEST:
            yield from (line for line in file if any(word in line for word in words))


def read_on(path: str, before: ReadSoFar) -> tuple[ReadSoFar, list[bytes]]:
    """Where reading began (at the start of what is another file by now), and the whole lines that came since. Raises
    OSError, ValueError."""
    with open(path, "rb", opener=files.followed) as file:
        size = os.fstat(file.fileno()).st_size
        before = ReadSoFar() if size < before.offset else before
        if size - before.offset > LARGEST:
            raise ValueError(f"it grew by more than {LARGEST // 2**20} MB")
        file.seek(before.offset)
        found = file.read(size - before.offset)
    return before, found[: found.rfind(b"\n") + 1].splitlines(keepends=True)  # the rest is being written


def objects(lines: Iterable[bytes] | Iterable[str]) -> Iterator[dict[str, Any]]:
    """The objects that stand on a line each, or in a list on a line; all else is skipped. A line that is cut never
    parses: its brackets do not match."""
    for line in lines:
        try:
            found = json.loads(line if isinstance(line, str) else line.decode(errors="replace"))
        except (ValueError, RecursionError):
            continue
        yield from (one for one in (found if isinstance(found, list) else [found]) if isinstance(one, dict))


def number(record: Mapping[str, Any], key: str) -> int:
    """The whole number under this key, from 0 up; 0 where there is none."""
    value = record.get(key)
    return min(value, _MOST) if type(value) is int and value > 0 else 0


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
    return next((one for one in reversed([*objects(stdout.splitlines())]) if one.get("type") == "result"), None)


def failure(record: dict[str, Any]) -> tuple[str, int]:
    """`{"message", "statusCode"?}`, or a text: why it failed, and the status of the model's API."""
    told = table_in(record, "error")
    return text_in(told, "message") or text_in(record, "error"), number(told, "statusCode")
