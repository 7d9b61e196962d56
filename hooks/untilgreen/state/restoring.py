"""A work tree made another one, file by file: each is the old or the new one at any moment.

No link is followed, on the way or at the end: folders are opened one in the other. What is new goes first, with the
folders that become empty by that; what git ignores is never looked at. What is replaced or deleted is moved into our
own folder in one step, and goes at the end, if it is what was kept before: a file that somebody wrote meanwhile stays.
"""

import errno
import os
import stat
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress

from untilgreen.core.record import Any, NamedTuple
from untilgreen.core.trees import Difference, Entry, above
from untilgreen.project import files
from untilgreen.project.tree import git
from untilgreen.state.trees import TreeStore

_FOLDER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
# no file after this one would fare better
_HOPELESS = (errno.ENOSPC, errno.EDQUOT, errno.EROFS)
_TEMPORARY = ".untilgreen-restored"
_NO_REPLACE, _EXCHANGE = 1, 2  # of Linux
_LARGEST = 256 * 1024 * 1024  # bytes of a file that may be what was kept
_BESIDE = ".untilgreen-kept"  # where our folder lies in another file system

# a path, and why it is still the old one
Failure = tuple[str, str]


class Restored(NamedTuple):
    """What did not come back; and where that lies which was no more what was kept before."""

    failed: tuple[Failure, ...]
    aside: tuple[str, ...]


class _Moving(NamedTuple):
    """The project's folder and ours for what it had, and what that was; the permissions of folders; what was moved:
    its path, and where it lies."""

    root: str
    aside: str
    top: int
    ours: int
    before: Mapping[str, Entry | None]
    folders: Mapping[str, str]
    moved: list[tuple[str, str]]


def restore(
    store: TreeStore, root: str, wanted: Sequence[Difference], aside: str, folders: Mapping[str, str] = {}
) -> Restored:
    """Make these paths what they are to be. `aside`: our folder for what was there, made and gone again where nothing
    stays in it; `folders`: the permissions of those that it makes. Raises OSError where there is no `root`, or no such
    folder."""
    os.makedirs(aside, mode=0o700, exist_ok=True)
    top, ours = os.open(root, _FOLDER), os.open(aside, _FOLDER)
    work = _Moving(root, aside, top, ours, {one.path: one.before for one in wanted}, folders, [])
    try:
        gone = [one.path for one in wanted if one.after is None]
        new = [(one.path, one.after) for one in wanted if one.after is not None]
        failed = (*_delete(work, gone), *_write(store, work, new))
    finally:
        os.close(top)
        os.close(ours)
    left = tuple(_settled(work))
    for folder, _, _ in os.walk(aside, topdown=False):
        with suppress(OSError):
            os.rmdir(folder)
    return Restored(failed, left)


def _settled(work: _Moving) -> Iterator[str]:
    """Remove what was kept before; where the rest of what was moved lies."""
    for path, full in work.moved:
        kept, data = work.before[path], None
        with suppress(OSError, ValueError):
            data = os.fsencode(os.readlink(full)) if os.path.islink(full) else files.read(full, _LARGEST)
        if kept is not None and data is not None and git.is_blob(data, kept.name):
            with suppress(OSError):
                os.unlink(full)
        else:
            yield full


def _delete(work: _Moving, paths: Sequence[str]) -> Iterator[Failure]:
    for path in paths:
        try:
            with suppress(FileNotFoundError, NotADirectoryError), _opened(work.top, path) as (fd, name):
                _no_folder(fd, name)
                _take(work, path, fd, name)
        except OSError as error:
            yield path, _reason(error)
    for folder in sorted({folder for path in paths for folder in above(path)}, key=len, reverse=True):
        with suppress(OSError), _opened(work.top, folder) as (fd, name):  # it is not empty, or gone
            os.rmdir(name, dir_fd=fd)


def _write(store: TreeStore, work: _Moving, wanted: Sequence[tuple[str, Entry]]) -> Iterator[Failure]:
    hopeless = False
    for path, entry in wanted:
        if hopeless:
            yield path, "it was not tried any more"
            continue
        try:
            data = store.read(entry.name)
            with _opened(work.top, path, work.folders) as (fd, name):
                try:
                    there, inner = _replace(work.ours, fd, name, entry.mode, data), work.ours
                except OSError as error:
                    if error.errno != errno.EXDEV:
                        raise
                    there, inner = _replace(fd, fd, name, entry.mode, data), fd
                if there:
                    _take(work, path, inner, there)
        except OSError as error:
            yield path, _reason(error)
            hopeless = error.errno in _HOPELESS


def _reason(error: OSError) -> str:
    if isinstance(error, IsADirectoryError):
        return "a folder with ignored files has its place"
    return error.strerror or str(error)


def _no_folder(fd: int, name: str) -> None:
    """Raises IsADirectoryError where a folder has this name in an open one."""
    if stat.S_ISDIR(os.stat(name, dir_fd=fd, follow_symlinks=False).st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))


def _take(work: _Moving, path: str, fd: int, name: str) -> None:
    """Move what has this name in an open folder, and lay at that path, into ours; in another file system, beside it."""
    beside = path + _BESIDE
    try:
        with _opened(work.ours, path, {}) as (inner, last):
            os.rename(name, last, src_dir_fd=fd, dst_dir_fd=inner)
        work.moved.append((path, os.path.join(work.aside, path)))
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
        os.rename(name, os.path.basename(beside), src_dir_fd=fd, dst_dir_fd=fd)
        one = (path, os.path.join(work.root, beside))
        work.moved.extend([one] if [*_settled(work._replace(moved=[one]))] else [])  # there may be no room for more


def _replace(ours: int, fd: int, name: str, mode: str, data: bytes) -> str:
    """Put a file or a link into an open folder, in place of what has its name. That has the name in `ours` that is
    given back, "" for nothing."""
    temporary = f"{_TEMPORARY}-{os.getpid()}"
    with suppress(FileNotFoundError):
        os.unlink(temporary, dir_fd=ours)
    try:
        before = os.stat(name, dir_fd=fd, follow_symlinks=False)
    except FileNotFoundError:
        before = os.fstat(fd)
    try:
        if mode == "120000":
            os.symlink(os.fsdecode(data), temporary, dir_fd=ours)
        else:
            permissions = _permissions(before, mode)
            with open(os.open(temporary, _NEW, 0o600, dir_fd=ours), "wb") as file:
                file.write(data)
                os.fchmod(file.fileno(), permissions)
        _give(ours, temporary, before)
        with suppress(OSError):  # an empty folder may have its name
            os.rmdir(name, dir_fd=fd)
        with suppress(FileNotFoundError):
            _no_folder(fd, name)
        return temporary if _swap(ours, temporary, fd, name) else ""
    except OSError:
        with suppress(FileNotFoundError):
            os.unlink(temporary, dir_fd=ours)
        raise


def _swap(ours: int, temporary: str, fd: int, name: str) -> bool:
    """Give a file of ours this name in an open folder; whether another had it, which then has the file's old one."""
    import ctypes

    rename: Any = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
    for flag in (_EXCHANGE, _NO_REPLACE, _EXCHANGE) if rename else ():
        if rename(ours, os.fsencode(temporary), fd, os.fsencode(name), flag) == 0:
            return flag == _EXCHANGE
        number = ctypes.get_errno()
        if number in (errno.ENOSYS, errno.EINVAL):  # a file system, or a system, that cannot
            break
        if number not in (errno.ENOENT, errno.EEXIST):
            raise OSError(number, os.strerror(number))
    old = f"{temporary}-old"
    with suppress(OSError):  # nothing is there; or a file system without hard links
        os.link(name, old, src_dir_fd=fd, dst_dir_fd=ours, follow_symlinks=False)
    os.rename(temporary, name, src_dir_fd=ours, dst_dir_fd=fd)
    with suppress(FileNotFoundError):
        os.rename(old, temporary, src_dir_fd=ours, dst_dir_fd=ours)
        return True
    return False


def _give(fd: int, name: str, before: os.stat_result) -> None:
    """What root makes is theirs who had what was there, or who have the folder."""
    if os.geteuid() == 0:
        with suppress(OSError):
            os.chown(name, before.st_uid, before.st_gid, dir_fd=fd, follow_symlinks=False)


def _permissions(before: os.stat_result, mode: str) -> int:
    """Those of the file that is replaced, but for the executable bit; all of them where they are known."""
    if mode not in ("100644", "100755"):
        return int(mode[-3:], 8)
    executable = mode == "100755"
    found = stat.S_IMODE(before.st_mode) if stat.S_ISREG(before.st_mode) else 0
    found = found or files.usual_mode()
    return found | (found & 0o444) >> 2 if executable else found & ~0o111


@contextmanager
def _opened(top: int, path: str, making: Mapping[str, str] | None = None) -> Iterator[tuple[int, str]]:
    """A path's folder below an open one, as a descriptor, and its name there. Raises OSError: a link is on the way."""
    *parts, name = path.split("/")
    fd = os.dup(top)
    try:
        for number, part in enumerate(parts, 1):
            if making is not None:
                with suppress(FileExistsError):
                    os.mkdir(part, dir_fd=fd)
                    if mode := making.get("/".join(parts[:number])):
                        os.chmod(part, int(mode, 8) | 0o700, dir_fd=fd)
                    _give(fd, part, os.fstat(fd))
            inner = os.open(part, _FOLDER, dir_fd=fd)
            os.close(fd)
            fd = inner
        yield fd, name
    finally:
        os.close(fd)
