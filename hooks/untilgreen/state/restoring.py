"""A work tree made another one, file by file: each is the old or the new one at any moment.

No link is followed, on the way or at the end: folders are opened one in the other. What is new goes first, with the
folders that become empty by that; what git ignores is never looked at.
"""

import errno
import os
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress

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
    """Make these paths what they are to be; those that are not, and why. Raises OSError where there is no `root`."""
    top = os.open(root, _FOLDER)
    try:
        gone = [one.path for one in wanted if one.after is None]
        new = [(one.path, one.after) for one in wanted if one.after is not None]
        return [*_delete(top, gone), *_write(store, top, new)]
    finally:
        os.close(top)


def _delete(top: int, paths: Sequence[str]) -> Iterator[Failure]:
    for path in paths:
        try:
            with suppress(FileNotFoundError, NotADirectoryError), _opened(top, path) as (fd, name):
                os.unlink(name, dir_fd=fd)
        except OSError as error:
            yield path, _reason(error)
    for folder in sorted({folder for path in paths for folder in above(path)}, key=len, reverse=True):
        with suppress(OSError), _opened(top, folder) as (fd, name):  # it is not empty, or gone
            os.rmdir(name, dir_fd=fd)


def _write(store: TreeStore, top: int, wanted: Sequence[tuple[str, Entry]]) -> Iterator[Failure]:
    hopeless = False
    for path, entry in wanted:
        if hopeless:
            yield path, "it was not tried any more"
            continue
        try:
            data = store.read(entry.name)
            with _opened(top, path, make=True) as (fd, name):
                _replace(fd, name, entry.mode, data)
        except OSError as error:
            yield path, _reason(error)
            hopeless = error.errno in _HOPELESS


def _reason(error: OSError) -> str:
    if isinstance(error, IsADirectoryError):
        return "a folder with ignored files has its place"
    return error.strerror or str(error)


def _replace(fd: int, name: str, mode: str, data: bytes) -> None:
    """Put a file or a link into an open folder, in place of what has its name."""
    temporary = f"{_TEMPORARY}-{os.getpid()}"
    with suppress(FileNotFoundError):
        os.unlink(temporary, dir_fd=fd)
    try:
        if mode == "120000":
            os.symlink(os.fsdecode(data), temporary, dir_fd=fd)
        else:
            permissions = _permissions(fd, name, executable=mode == "100755")
            with open(os.open(temporary, _NEW, 0o600, dir_fd=fd), "wb") as file:
                file.write(data)
                os.fchmod(file.fileno(), permissions)
        with suppress(OSError):  # an empty folder may have its name
            os.rmdir(name, dir_fd=fd)
        os.rename(temporary, name, src_dir_fd=fd, dst_dir_fd=fd)
    except OSError:
        with suppress(FileNotFoundError):
            os.unlink(temporary, dir_fd=fd)
        raise


def _permissions(fd: int, name: str, *, executable: bool) -> int:
    """Those of the file that is replaced, but for the executable bit."""
    try:
        before = os.stat(name, dir_fd=fd, follow_symlinks=False)
        mode = stat.S_IMODE(before.st_mode) if stat.S_ISREG(before.st_mode) else 0
    except FileNotFoundError:
        mode = 0
    if not mode:
        os.umask(umask := os.umask(0o077))
        mode = 0o666 & ~umask
    return mode | (mode & 0o444) >> 2 if executable else mode & ~0o111


@contextmanager
def _opened(top: int, path: str, *, make: bool = False) -> Iterator[tuple[int, str]]:
    """A path's folder below an open one, as a descriptor, and its name there. Raises OSError: a link is on the way."""
    folder, _, name = path.rpartition("/")
    fd = os.dup(top)
    try:
        for part in filter(None, folder.split("/")):
            if make:
                with suppress(FileExistsError):
                    os.mkdir(part, dir_fd=fd)
            inner = os.open(part, _FOLDER, dir_fd=fd)
            os.close(fd)
            fd = inner
        yield fd, name
    finally:
        os.close(fd)
