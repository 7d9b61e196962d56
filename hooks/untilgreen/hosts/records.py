"""What hosts write down of a session: JSON Lines that grow while we read them, and the whole numbers in them."""

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from untilgreen.core.model.snapshot import ReadSoFar
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


def objects(lines: Iterable[bytes]) -> Iterator[dict[str, Any]]:
    """The object of each line. A line that is cut never parses: its brackets do not match."""
    for line in lines:
        try:
            found = json.loads(line.decode(errors="replace"))
        except (ValueError, RecursionError):
            continue
        if isinstance(found, dict):
            yield found


def number(record: Mapping[str, Any], key: str) -> int:
    """The whole number under this key, from 0 up; 0 where there is none."""
    value = record.get(key)
    return min(value, _MOST) if type(value) is int and value > 0 else 0
