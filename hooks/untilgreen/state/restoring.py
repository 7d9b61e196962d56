"""A work tree made another one, file by file: each is the old or the new one at any moment.

No link is followed, on the way or at the end: folders are opened one in the other. What is new goes first, with the
folders that become empty by that; what git ignores is never looked at.
"""

import errno
import os
import stat
from collections.abc import Sequence
from contextlib import suppress

from untilgreen.core.trees import Difference, Entry, above
from untilgreen.state.trees import TreeStore

_FOLDER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
# no file after this one would fare better
_HOPELESS = (errno.ENOSPC, errno.EDQUOT, errno.EROFS)
_TEMPORARY = ".untilgreen-restored"

# a path, and why it is still the old one
Failure = tuple[str, str]


def restore(store: TreeStore, root: str, wanted: Sequence[Difference]) -> list[Failure]:
    """Make these paths below `root` what they are to be; those that are not, and why. Raises OSError where there is no
    such folder."""
    top = os.open(root, _FOLDER)
    try:
        return _restored(store, top, wanted)
    finally:
        os.close(top)


def _restored(store: TreeStore, top: int, wanted: Sequence[Difference]) -> list[Failure]:
    failed: list[Failure] = []
    gone = [one.path for one in wanted if one.after is None]
    for path in gone:
        try:
            _delete(top, path)
        except OSError as error:
            failed.append((path, _reason(error)))
    for folder in sorted({folder for path in gone for folder in above(path)}, key=len, reverse=True):
        _delete_empty(top, folder)
    hopeless = False
    for path, entry in [(one.path, one.after) for one in wanted if one.after is not None]:
        try:
            if hopeless:
                failed.append((path, "it was not tried any more"))
            else:
                _write(store, top, path, entry)
        except OSError as error:
            failed.append((path, _reason(error)))
            hopeless = error.errno in _HOPELESS
    return failed


def _reason(error: OSError) -> str:
    if isinstance(error, IsADirectoryError):
        return "a folder with ignored files has its place"
    return error.strerror or str(error)


def _delete(top: int, path: str) -> None:
    folder, _, name = path.rpartition("/")
    with suppress(FileNotFoundError, NotADirectoryError):
        fd = _opened(top, folder)
        try:
            os.unlink(name, dir_fd=fd)
        finally:
            os.close(fd)


def _delete_empty(top: int, path: str) -> None:
    folder, _, name = path.rpartition("/")
    with suppress(OSError):  # it is not empty, or gone
        fd = _opened(top, folder)
        try:
            os.rmdir(name, dir_fd=fd)
        finally:
            os.close(fd)


def _write(store: TreeStore, top: int, path: str, entry: Entry) -> None:
    data = store.read(entry.name)
    folder, _, name = path.rpartition("/")
    fd = _opened(top, folder, make=True)
    try:
        _replace(fd, name, entry.mode, data)
    finally:
        os.close(fd)


def _replace(fd: int, name: str, mode: str, data: bytes) -> None:
    """Put a file or a link into an open folder, in place of what has its name."""
    temporary = f"{_TEMPORARY}-{os.getpid()}"
    with suppress(FileNotFoundError):
        os.unlink(temporary, dir_fd=fd)
    try:
        if mode == "120000":
            os.symlink(os.fsdecode(data), temporary, dir_fd=fd)
        else:
            _fill(fd, temporary, data, _permissions(fd, name, executable=mode == "100755"))
        with suppress(OSError):  # an empty folder may have its name
            os.rmdir(name, dir_fd=fd)
        os.rename(temporary, name, src_dir_fd=fd, dst_dir_fd=fd)
    except OSError:
        with suppress(FileNotFoundError):
            os.unlink(temporary, dir_fd=fd)
        raise


def _fill(fd: int, name: str, data: bytes, permissions: int) -> None:
    file = os.open(name, _NEW, 0o600, dir_fd=fd)
    try:
        left = memoryview(data)
        while left:
            left = left[os.write(file, left) :]
        os.fchmod(file, permissions)
    finally:
        os.close(file)


def _permissions(fd: int, name: str, *, executable: bool) -> int:
    """Those of the file that is replaced, but for the executable bit."""
    try:
        before = os.stat(name, dir_fd=fd, follow_symlinks=False)
        mode = stat.S_IMODE(before.st_mode) if stat.S_ISREG(before.st_mode) else 0
    except FileNotFoundError:
        mode = 0
    if not mode:
        mode = 0o666 & ~_umask()
    readable = mode & 0o444
    return mode | readable >> 2 if executable else mode & ~0o111


def _umask() -> int:
    now = os.umask(0o077)
    os.umask(now)
    return now


def _opened(top: int, folder: str, *, make: bool = False) -> int:
    """A descriptor of a folder below an open one. Raises OSError where a link or a file is on the way."""
    fd = os.dup(top)
    for part in filter(None, folder.split("/")):
        try:
            if make:
                with suppress(FileExistsError):
                    os.mkdir(part, dir_fd=fd)
            inner = os.open(part, _FOLDER, dir_fd=fd)
        finally:
            os.close(fd)
        fd = inner
    return fd
