"""State on disk: reading it, replacing it, one writer at a time.

A document is either the old or the new one, whatever happens in between: temporary file, fsync, `os.replace`, fsync of
the folder. What cannot be read is put aside under another name and said, never deleted.
"""

import errno
import json
import os
import time
from collections.abc import Callable
from contextlib import suppress
from functools import lru_cache

from untilgreen.core import document
from untilgreen.core.model.event import Place, Session
from untilgreen.core.model.loop import Edits, Known, Loop, Newer, dump_edits, dump_loop, load_edits, load_loop
from untilgreen.core.record import Any, TypeVar
from untilgreen.project import files
from untilgreen.state import locks
from untilgreen.state.place import EDITS, SESSION, STATE, link_in

T = TypeVar("T")
LOCK = "state.lock"  # of a session
_WAIT = 10.0  # seconds for a lock
_KEPT = 90 * 86_400.0  # seconds after which nobody comes back to a session, or goes on with a run
_LARGEST = 32 * 1024 * 1024  # bytes of a document; ours are bounded far below


class Unreadable(Exception):
    """A document that is no state of ours (now put aside), or one that must not be touched; the text is for people."""


class Corrupt(Unreadable):
    """A document that is no state of ours, and `why`; it is still at `path`."""

    def __init__(self, message: str, path: str, why: str) -> None:
        super().__init__(message)
        self.path, self.why = path, why


def make_base(base: str) -> None:
    """Create the state folder, for its owner alone and ignored by git. Raises OSError."""
    if link := link_in(base):
        raise OSError(errno.ELOOP, "is a symbolic link; use state_dir to keep the state elsewhere", link)
    os.makedirs(base, mode=0o700, exist_ok=True)
    ignore = os.path.join(base, ".gitignore")
    if not os.path.exists(ignore):
        write_text(ignore, "*\n")


def write_text(path: str, text: str, durable: bool = True) -> None:
    """Replace a file as a whole. Raises OSError: the old one is there; where the new text is, it is saved."""
    write_bytes(path, text.encode("utf-8", "replace"), durable)


def write_bytes(path: str, data: bytes, durable: bool = True) -> None:
    """As `write_text`."""
    temporary = f"{path}.{os.getpid()}.tmp"  # a name of this process: not every file has a lock
    try:
        _fill(temporary, data, durable)
        os.replace(temporary, path)
        if durable:
            _sync_folder(os.path.dirname(path))
    except OSError:
        with suppress(OSError):
            os.unlink(temporary)  # on a full disk the next try needs the room
        with suppress(OSError, ValueError):
            if files.read(path, len(data)) == data:
                return
        raise


def _fill(path: str, data: bytes, durable: bool) -> None:
    fd = files.opened(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    try:
        left = memoryview(data)
        while left:
            left = left[os.write(fd, left) :]
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
        return json.loads(files.read(path, _LARGEST))
    except (FileNotFoundError, NotADirectoryError):
        return None


def read_object(path: str, most: int = _LARGEST) -> dict[str, Any]:
    """The object of a file that is only advice; an empty one where there is none that can be read."""
    try:
        found = json.loads(files.read(path, most))
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def read_record(kind: type[T], path: str, most: int = _LARGEST) -> T | None:
    """The record of such a file; None where it holds none."""
    try:
        return document.load(kind, read_object(path, most))
    except document.Mismatch:
        return None


def documents_in(folder: str) -> list[str]:
    """The paths of a folder's documents, by name; none where it cannot be read."""
    try:
        return [os.path.join(folder, name) for name in sorted(os.listdir(folder)) if name.endswith(".json")]
    except OSError:
        return []


def sweep(folder: str) -> None:
    """Remove the files that nobody touched for so long that nobody comes back to them; those that can be."""
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            with suppress(OSError):
                if entry.stat(follow_symlinks=False).st_mtime < time.time() - _KEPT:
                    os.unlink(entry)


def look_at(path: str) -> Loop | None:
    """The loop of a state file, which stays where it is; None when there is none. Raises Corrupt, Unreadable."""
    return _look_at(path, load_loop)


def look_at_edits(place: Place) -> Edits | None:
    """What the session wrote, None when nothing is known of it; its file stays where it is. Raises as `look_at`."""
    return _look_at(place.file(EDITS), load_edits)


def _look_at(path: str, parse: Callable[[object], T]) -> T | None:
    try:
        found: T = _parsed(files.read(path, _LARGEST), parse)
        return found
    except (FileNotFoundError, NotADirectoryError):
        return None
    except Newer as error:
        raise Unreadable(f"{path} was written by a newer untilgreen (schema {error}); it is left alone") from None
    except (ValueError, OverflowError, RecursionError, IsADirectoryError, files.NoFile, document.Mismatch) as error:
        why = " ".join(str(error).split())[:200] or type(error).__name__
        raise Corrupt(f"{path} is not readable ({why})", path, why) from error
    except OSError as error:
        raise Unreadable(f"{path} cannot be read: {error.strerror}") from error


@lru_cache(maxsize=4)
def _parsed(text: bytes, parse: Callable[[object], T]) -> T:
    """The document of a text; of the same text the same one: a stop looks again and again whether anybody wrote."""
    return parse(json.loads(text))


def read_loop(path: str) -> Loop | None:
    """The loop of a state file, if any. Raises Unreadable: corrupt state is first put aside as `….corrupt-<n>`."""
    return _read(path, load_loop)


def read_edits(place: Place) -> Edits | None:
    """What the session wrote, None when nothing is known of it. Raises as `read_loop`."""
    return _read(place.file(EDITS), load_edits)


def _read(path: str, parse: Callable[[object], T]) -> T | None:
    try:
        return _look_at(path, parse)
    except Corrupt as error:
        raise Unreadable(_put_aside(path, error.why)) from error


def known(place: Place) -> Known:
    """What is kept of the session, whatever project it is of. Raises as `read_loop`."""
    return Known(read_loop(place.file(STATE)), read_edits(place))


def is_ours(kept: Loop | Edits, place: Place, session: str = "") -> bool:
    """Whether it is of this project, and of the session (the host's id) if named: state folders may be shared."""
    return kept.project in ("", place.root) and (not session or kept.session_id in ("", session))


def known_here(place: Place, session: str) -> Known:
    """What is known of the session (the host's id) in this project. Raises as `read_loop`."""
    loop, edits = known(place)
    ours = loop if loop and is_ours(loop, place, session) else None
    return Known(ours, edits if edits and is_ours(edits, place, session) else None)


def is_foreign(place: Place, found: Known) -> bool:
    """Whether something is kept of such a session that is another session's or another project's."""
    missing = (name for name, one in ((STATE, found.loop), (EDITS, found.edits)) if one is None)
    return any(os.path.exists(place.file(name)) for name in missing)


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
    """Write a loop, bounded, into any file. Raises OSError."""
    write_text(path, json.dumps(dump_loop(loop)), durable)


def save(place: Place, loop: Loop, durable: bool = True) -> None:
    """Write a session's newest loop. Only under the session's lock. Raises OSError."""
    save_loop(place.file(STATE), loop, durable)


def save_edits(place: Place, edits: Edits, durable: bool = True) -> None:
    """Write what is known of the session's edits. Only under the session's lock. Raises OSError."""
    write_text(place.file(EDITS), json.dumps(dump_edits(edits)), durable)


def fresh_id(base: str, now: float) -> str:
    """A new name for a loop, `loop-<unix seconds>`, or the next free number. Raises OSError, Busy."""
    path = os.path.join(base, "last_id")
    with locks.locked(os.path.join(base, "last_id.lock"), _WAIT):
        try:
            last = int(files.read(path, 64))
        except (FileNotFoundError, ValueError):
            last = 0
        number = max(int(now), last + 1)
        write_text(path, str(number), durable=False)
    return f"loop-{number}"


def read_session(place: Place) -> Session:
    """What is known of the session; nothing, when the file is missing or not readable (it is only advice)."""
    try:
        return _session(place)
    except OSError:
        return Session()


def _session(place: Place) -> Session:
    """As `read_session`, but raises OSError: what cannot be read now is not replaced."""
    try:
        doc = read_json(place.file(SESSION))
        return document.load(Session, doc) if doc is not None else Session()
    except (ValueError, RecursionError, files.NoFile, document.Mismatch):
        return Session()


def change_session(place: Place, change: Callable[[Session], Session]) -> Session:
    """Change `session.json`, alone under the session's lock; the folder is made. Raises locks.Busy, OSError."""
    os.makedirs(place.folder, mode=0o700, exist_ok=True)
    with locks.locked(place.file(LOCK), _WAIT):
        session = change(_session(place))
        write_text(place.file(SESSION), json.dumps(document.dump(session)), durable=False)
    return session
