"""State on disk: reading it, replacing it, one writer at a time.

A document is either the old
or the new one, whatever happens in between: temporary file, fsync, `os.replace`, fsync of the folder.
What cannot be read is put aside under another name and said, never deleted.
"""

import errno
import json
import os
from collections.abc import Callable
from contextlib import suppress
from typing import Any, TypeVar

from untilgreen.core import document
from untilgreen.core.model import SCHEMA_VERSION, Loop, Place, Session, Snapshot
from untilgreen.state import locks
from untilgreen.state.place import FOLDER, SESSION

T = TypeVar("T")


class Unreadable(Exception):
    """A document that is no state of ours (now put aside), or one that must not be touched; the text is for people."""


class Corrupt(Unreadable):
    """A document that is no state of ours, and `why`; it is still at `path`."""

    def __init__(self, message: str, path: str, why: str) -> None:
        super().__init__(message)
        self.path, self.why = path, why


def make_base(base: str) -> None:
    """Create the state folder, for its owner alone and ignored by git. Raises OSError."""
    if os.path.islink(base) and os.path.basename(base) == FOLDER:
        raise OSError(errno.ELOOP, "is a symbolic link; use state_dir to keep the state elsewhere", base)
    os.makedirs(base, mode=0o700, exist_ok=True)
    ignore = os.path.join(base, ".gitignore")
    if not os.path.exists(ignore):
        write_text(ignore, "*\n")


def write_text(path: str, text: str, durable: bool = True) -> None:
    """Replace a file as a whole. Raises OSError, and then the old file is still there, or already the new one."""
    temporary = f"{path}.{os.getpid()}.tmp"  # a name of one's own: not every file has a lock
    try:
        _fill(temporary, text, durable)
        os.replace(temporary, path)
    except OSError:
        with suppress(OSError):
            os.unlink(temporary)  # on a full disk the next try needs the room
        raise
    if durable:
        _sync_folder(os.path.dirname(path))


def _fill(path: str, text: str, durable: bool) -> None:
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_NOFOLLOW", 0), 0o600)
    try:
        data = memoryview(text.encode("utf-8", "replace"))
        while data:
            data = data[os.write(fd, data) :]
        if durable:
            os.fsync(fd)
    finally:
        os.close(fd)


def _sync_folder(folder: str) -> None:
    fd = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(fd)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP):  # file systems that cannot
            raise
    finally:
        os.close(fd)


def read_json(path: str) -> Any:
    """The document of a file, None when there is no such file. Raises OSError, ValueError."""
    try:
        with open(path, "rb") as file:
            text = file.read()
    except (FileNotFoundError, NotADirectoryError):
        return None
    return json.loads(text)


def look_at(path: str) -> Loop | None:
    """The loop of a state file, which stays where it is; None when there is none. Raises Corrupt, Unreadable."""
    try:
        doc = read_json(path)
        if doc is None:
            return None
        version = doc.get("schema_version") if isinstance(doc, dict) else None
        if type(version) is int and version > SCHEMA_VERSION:
            raise Unreadable(f"{path} was written by a newer untilgreen (schema {version}); it is left alone")
        if version != SCHEMA_VERSION:
            raise document.Mismatch("not a state of untilgreen")
        return document.load(Loop, doc)
    except (ValueError, OverflowError, RecursionError, IsADirectoryError, document.Mismatch) as error:
        why = " ".join(str(error).split())[:200] or type(error).__name__
        raise Corrupt(f"{path} is not readable ({why})", path, why) from error
    except OSError as error:
        raise Unreadable(f"{path} cannot be read: {error.strerror}") from error


def read_loop(path: str) -> Loop | None:
    """The loop of a state file, None when there is none.

    Raises Unreadable: corrupt state is first put aside as `….corrupt-<n>`; state of a newer version, or of a file
    that may not be read, stays as it is.
    """
    try:
        return look_at(path)
    except Corrupt as error:
        raise Unreadable(_put_aside(path, error.why)) from error


def _put_aside(path: str, what: str) -> str:
    number = 1
    while os.path.lexists(f"{path}.corrupt-{number}"):
        number += 1
    try:
        os.rename(path, f"{path}.corrupt-{number}")
    except OSError as failed:
        return f"{path} is not readable ({what}) and cannot be put aside: {failed.strerror}"
    return f"{path} was not readable ({what}); it is kept as {os.path.basename(path)}.corrupt-{number}"


def save_loop(path: str, loop: Loop, durable: bool = True) -> None:
    """Write the loop, bounded. Only under the session's lock. Raises OSError."""
    write_text(path, json.dumps(document.dump(_bounded(loop))), durable)


def _bounded(loop: Loop) -> Loop:
    """The loop with full detail for its newest snapshots only; the journal holds the rest."""
    kept = loop.snapshots[-100:]
    full = len(kept) - 2
    snapshots = tuple(_thinned(s, i >= full) for i, s in enumerate(kept))
    current = _thinned(loop.current, True) if loop.current else None
    initial = _thinned(loop.initial, True) if loop.initial else None
    first = {name: f._replace(items=f.items[:20_000]) for name, f in loop.first.items()}
    return loop._replace(snapshots=snapshots, current=current, initial=initial, first=first)


def _thinned(snapshot: Snapshot, full: bool) -> Snapshot:
    if not full:
        return snapshot._replace(items=(), file_details=())
    # what is beyond that is not shown, but must not be called new in the next round
    items = tuple(i._replace(text=i.text[:3_000] if n < 1_000 else "") for n, i in enumerate(snapshot.items[:5_000]))
    return snapshot._replace(items=items, file_details=snapshot.file_details[:500])


def read_session(place: Place) -> Session:
    """What is known of the session; nothing, when the file is missing or not readable (it is only advice)."""
    try:
        doc = read_json(place.file(SESSION))
        return document.load(Session, doc) if doc is not None else Session()
    except (OSError, ValueError, RecursionError, document.Mismatch):
        return Session()


def change_session(place: Place, change: Callable[[Session], Session], seconds: float = 10.0) -> Session:
    """Read `session.json`, change it and write it, alone under the session's lock; the folder is made.

    Raises locks.Busy, OSError.
    """
    os.makedirs(place.folder, mode=0o700, exist_ok=True)
    with locks.locked(place.file("state.lock"), seconds):
        session = change(read_session(place))
        write_text(place.file(SESSION), json.dumps(document.dump(session)), durable=False)
    return session
