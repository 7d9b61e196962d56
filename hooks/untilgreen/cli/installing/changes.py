"""Files that are to be other than they are: all of them or none. Every step leaves its way back in an ExitStack."""

import os
import stat
from collections.abc import Callable, Iterable
from contextlib import ExitStack, suppress
from typing import NamedTuple, TypeVar

from untilgreen.cli.installing import scopes, turn
from untilgreen.core.errors import UserError

T = TypeVar("T")
_TRIES = 3


class Change(NamedTuple):
    """What a file holds and what it shall hold, None: there is no such file. `path` as people know it: what a link
    leads to is what changes. `mode`: of a new file, before the umask."""

    path: str
    before: bytes | None
    after: bytes | None
    mode: int = 0o666


class Meanwhile(UserError):
    """Somebody else changed a file after it was read."""

    def __init__(self, path: str) -> None:
        super().__init__(f"{path} was changed meanwhile; nothing was changed; try again")


def settled(attempt: Callable[[], T]) -> T:
    """Plan and perform, and do both again where a file changed in between: the host, too, writes its settings, when
    somebody grants a permission. Raises Meanwhile in the end."""
    for _ in range(_TRIES - 1):
        with suppress(Meanwhile):
            return attempt()
    return attempt()


class Blocked(NamedTuple):
    """A path that cannot be written, and why."""

    path: str
    why: str


def planned(path: str, after: bytes | None, mode: int = 0o666) -> Change:
    """The change from what the file holds now. Raises UserError where that cannot be read."""
    return Change(path, content(path), after, mode)


def content(path: str) -> bytes | None:
    """What the file holds, None where there is none. Raises UserError where it cannot be read."""
    return scopes.content(path)


def real(wanted: Iterable[Change]) -> list[Change]:
    """Those that change anything."""
    return [change for change in wanted if change.before != change.after]


def blocked(paths: Iterable[str]) -> Blocked | None:
    """The first of these paths that could not be written or removed, seen without trying.

    A file without any write permission is meant to stay as it is, though its folder (or being root) would let us
    put another one in its place.
    """
    for path in map(os.path.realpath, paths):
        folder = os.path.dirname(path)
        while not os.path.lexists(folder):
            folder = os.path.dirname(folder)
        if not os.path.isdir(folder):
            return Blocked(folder, "it is not a folder")
        if os.path.isdir(path):
            return Blocked(path, "it is a folder")
        if os.path.exists(path) and not os.path.isfile(path):
            return Blocked(path, "it is no regular file")
        for one in (path, folder):
            if os.path.exists(one) and not (os.access(one, os.W_OK) and os.stat(one).st_mode & 0o222):
                return Blocked(one, "it is read-only")
    return None


def missing_folders(paths: Iterable[str]) -> list[str]:
    """The folders that must be made for these files, outer ones first."""
    found: dict[str, None] = {}
    for path in map(os.path.realpath, paths):
        above = []
        folder = os.path.dirname(path)
        while not os.path.lexists(folder):
            above.append(folder)
            folder = os.path.dirname(folder)
        found |= dict.fromkeys(reversed(above))
    return list(found)


class Ready(NamedTuple):
    """A change that is on the disk already, under another name ("": the file is to go), with the way back: what was
    there, and whose it was in which mode."""

    path: str
    temporary: str
    before: bytes | None
    after: bytes | None
    status: os.stat_result | None


def prepare(changes: Iterable[Change], undo: ExitStack) -> list[Ready]:
    """Write what the files shall hold beside them: what needs room, or a permission, fails here. Raises OSError;
    `undo` then knows the way back, and has to be closed."""
    ready = []
    for change in real(changes):
        path = os.path.realpath(change.path)
        make_folders(missing_folders([path]), undo)
        status = os.stat(path) if os.path.exists(path) else None
        temporary = "" if change.after is None else f"{path}.{os.getpid()}.tmp"
        if change.after is not None:
            undo.callback(remove, temporary)
            _fill(temporary, change.after, status, change.mode)
        ready.append(Ready(path, temporary, change.before, change.after, status))
    return ready


def commit(ready: Iterable[Ready], undo: ExitStack) -> None:
    """Put it in place, in this order. Raises OSError, Meanwhile, and the same holds."""
    for one in ready:
        if content(one.path) != one.before:
            raise Meanwhile(one.path)
        undo.callback(_restore, one)
        if one.temporary:
            os.replace(one.temporary, one.path)
        else:
            remove(one.path)


def make_folders(folders: Iterable[str], undo: ExitStack, mode: int = 0o777) -> None:
    """Make these folders, outer ones first. Raises OSError."""
    for folder in folders:
        # another process may be quicker, and then it is not ours to remove
        with turn.unbroken(), suppress(FileExistsError):
            os.mkdir(folder, mode)
            undo.callback(remove_folder, folder)


def remove(path: str) -> None:
    """Remove a file, if it is there. Raises OSError."""
    with suppress(FileNotFoundError):
        os.unlink(path)


def remove_folder(folder: str) -> bool:
    """Remove a folder where it is empty; whether it went."""
    try:
        os.rmdir(folder)
    except OSError:
        return False
    return True


def _restore(one: Ready) -> None:
    if content(one.path) != one.after:
        return  # it was not put in place yet, or somebody wrote it since
    if one.before is None:
        remove(one.path)
        return
    temporary = f"{one.path}.{os.getpid()}.tmp"
    _fill(temporary, one.before, one.status)
    os.replace(temporary, one.path)


def _fill(path: str, data: bytes, like: os.stat_result | None, new_mode: int = 0o666) -> None:
    """Write a file: with the owner and the mode of this one, or (None) with what the umask leaves of `new_mode`."""
    remove(path)  # what somebody's killed process left there
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, new_mode)
    with os.fdopen(descriptor, "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(descriptor)
    if like is not None:
        with suppress(PermissionError):  # only root gives a file away, and it may work in somebody's project
            os.chown(path, like.st_uid, like.st_gid)
        os.chmod(path, stat.S_IMODE(like.st_mode))
