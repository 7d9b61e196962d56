"""Changes of files, all of them or none. Every step puts its undo into an ExitStack."""

import os
import stat
from collections.abc import Callable, Iterable
from contextlib import ExitStack, suppress
from typing import NamedTuple, TypeVar

from untilgreen.cli.installing import exclusive
from untilgreen.cli.installing.settings_file import content
from untilgreen.core.errors import UserError

T = TypeVar("T")
_TRIES = 3
_BESIDE = ".untilgreen.tmp"  # one init at a time: what lies there was left by one that was killed


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
        super().__init__(f"{path} was changed meanwhile; nothing was changed", "try again")


def settled(attempt: Callable[[], T]) -> T:
    """Plan and apply, and do both again where a file changed in between: the host, too, writes its settings, when
    somebody grants a permission. Raises Meanwhile in the end."""
    for _ in range(_TRIES - 1):
        with suppress(Meanwhile):
            return attempt()
    return attempt()


def planned(path: str, after: bytes | None, mode: int = 0o666) -> Change:
    """The change from what the file holds now. Raises UserError where that cannot be read."""
    return Change(path, content(path), after, mode)


def real(wanted: Iterable[Change]) -> list[Change]:
    """Those that change anything."""
    return [change for change in wanted if change.before != change.after]


def blocked(paths: Iterable[str]) -> tuple[str, str] | None:
    """The first of these paths that could not be written or removed, seen without trying, and why.

    A file without any write permission is meant to stay as it is, though its folder (or being root) would let us
    put another one in its place.
    """
    for path in map(os.path.realpath, paths):
        folder = os.path.dirname(path)
        while not os.path.lexists(folder):
            folder = os.path.dirname(folder)
        if not os.path.isdir(folder):
            return folder, "it is not a folder"
        if os.path.isdir(path):
            return path, "it is a folder"
        if os.path.exists(path) and not os.path.isfile(path):
            return path, "it is no regular file"
        for one in (path, folder):
            if os.path.exists(one) and not (os.access(one, os.W_OK) and os.stat(one).st_mode & 0o222):
                return one, "it is read-only"
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


def put(wanted: Iterable[Change], undo: ExitStack) -> None:
    """Write all of it beside, where a lack of room or of a permission shows; then put it in place, in this order.
    Raises OSError, Meanwhile; `undo` then knows the way back, and has to be closed."""
    ready = []
    for change in wanted:
        path = os.path.realpath(change.path)
        _remove_beside(path)
        if change.before != change.after:
            make_folders(missing_folders([path]), undo)
            status = os.stat(path) if os.path.exists(path) else None
            undo.callback(_remove_beside, path)
            if change.after is not None:
                _fill(path, change.after, status, change.mode)
            ready.append((path, change, status))
    for path, change, status in ready:
        if content(path) != change.before:
            raise Meanwhile(path)
        undo.callback(_restore, path, change, status)
        _place(path, change.after)


def make_folders(folders: Iterable[str], undo: ExitStack, mode: int = 0o777) -> None:
    """Make these folders, outer ones first. Raises OSError."""
    for folder in folders:
        # another process may be quicker, and then it is not ours to remove
        with exclusive.unbroken(), suppress(FileExistsError):
            os.mkdir(folder, mode)
            undo.callback(remove_folder, folder)


def remove_folder(folder: str) -> None:
    """Remove a folder where it is empty."""
    with suppress(OSError):
        os.rmdir(folder)


def _restore(path: str, change: Change, status: os.stat_result | None) -> None:
    if content(path) != change.after:
        return  # it was not put in place yet, or somebody wrote it since
    if change.before is not None:
        _fill(path, change.before, status)
    _place(path, change.before)


def _place(path: str, data: bytes | None) -> None:
    if data is None:
        os.unlink(path)
    else:
        os.replace(path + _BESIDE, path)


def _remove_beside(path: str) -> None:
    with suppress(FileNotFoundError, NotADirectoryError):
        os.unlink(path + _BESIDE)


def _fill(path: str, data: bytes, like: os.stat_result | None, new_mode: int = 0o666) -> None:
    """Write beside a file what it shall hold: with the owner and the mode of this one, or (None) with what the umask
    leaves of `new_mode`."""
    descriptor = os.open(path + _BESIDE, os.O_WRONLY | os.O_CREAT | os.O_EXCL, new_mode)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(descriptor)
    except OSError as error:
        error.filename = path  # the disk is full: nobody else says which file it is
        raise
    if like is not None:
        with suppress(PermissionError):  # only root gives a file away, and it may work in somebody's project
            os.chown(path + _BESIDE, like.st_uid, like.st_gid)
        os.chmod(path + _BESIDE, stat.S_IMODE(like.st_mode))
