"""`journal.jsonl`, a session's history: one line for all that happened, append only. Every writer makes a line in one
write, so that any number of processes at once lose none.

What the agent did (`OBSERVED`) can be much, and is let go of in time. A full journal becomes `journal.jsonl.1`; of the
one that lay there what was observed goes, and the rest stays for good, in `journal.jsonl.2`.
"""

import json
import os
from contextlib import suppress

from untilgreen.core import document
from untilgreen.core.model.event import Place
from untilgreen.core.record import Any
from untilgreen.project import files
from untilgreen.state import log

OBSERVED = ("edit", "shell")
_FILE = "journal.jsonl"
_PARTS = ("", ".1", ".2")  # the newest first
_FULL = 4 * 1024 * 1024  # bytes
_NEWEST = 256 * 1024  # bytes in which a round that has just ended is looked for
_LONGEST = 64 * 1024 * 1024  # bytes of a line
_SEEN = tuple(f'{{"event": "{name}"'.encode() for name in OBSERVED)


def append(place: Place, what: str, when: str, **facts: Any) -> None:
    """Add one line. What it tells has happened already: a fault here is logged, and changes no answer."""
    entry = {"event": what, "timestamp": when} | {name: document.dump(value) for name, value in facts.items()}
    path = place.file(_FILE)
    try:
        _make_room(path)
        with open(path, "ab", 0, opener=files.opened) as file:
            file.write((json.dumps(entry) + "\n").encode())
    except OSError as error:
        log.write(place.base, f"{what} not written to the history: {error}")


def lines(place: Place, *, observed: bool = False) -> list[bytes]:
    """The lines of all parts, the oldest first; `observed`: those that tell what the agent did, too. Raises OSError."""
    # a part may move on while they are read: its lines are then there twice, and never missing
    parts = [_lines(place.file(_FILE) + end) for end in _PARTS]
    found = dict.fromkeys(line for part in reversed(parts) for line in part)
    return [line for line in found if observed or not line.startswith(_SEEN)]


def observed(place: Place) -> list[bytes]:
    """The lines that tell what the agent did, the oldest first. Raises OSError."""
    return [line for line in lines(place, observed=True) if line.startswith(_SEEN)]


def newest(place: Place) -> list[bytes]:
    """The newest of the lines that tell what the agent did, the oldest first. Raises OSError."""
    try:
        with open(place.file(_FILE), "rb", opener=files.opened) as file:
            file.seek(max(0, file.seek(0, os.SEEK_END) - _NEWEST))
            return [line for line in file.read(_NEWEST).split(b"\n") if line.startswith(_SEEN)]
    except FileNotFoundError:
        return []


def _lines(path: str) -> list[bytes]:
    try:
        with open(path, "rb", opener=files.opened) as file:
            return list(iter(lambda: file.readline(_LONGEST), b""))
    except (FileNotFoundError, NotADirectoryError):
        return []


def _make_room(path: str) -> None:
    """Begin a new part where this one is full; of several processes one does. Raises OSError."""
    if not _is_full(path):
        return
    from untilgreen.state import locks  # most lines have room

    with suppress(locks.Busy), locks.locked(f"{path}.lock", 0):
        if not _is_full(path):
            return
        if kept := [line for line in _lines(path + ".1") if not line.startswith(_SEEN)]:
            with open(path + ".2", "ab+", opener=files.opened) as file:
                end = file.seek(0, os.SEEK_END)
                is_torn = end > 0 and os.pread(file.fileno(), 1, end - 1) != b"\n"  # by who was killed here
                file.write(b"".join((b"\n" if is_torn else b"", *kept)))
        os.replace(path, path + ".1")


def _is_full(path: str) -> bool:
    try:
        return os.stat(path).st_size > _FULL
    except FileNotFoundError:
        return False
