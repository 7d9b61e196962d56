"""Locks between processes: files that the system unlocks when their holder dies, however it dies."""

import errno
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager

from untilgreen.project import files


class Busy(Exception):
    """The lock was not to be had in time."""


@contextmanager
def locked(path: str, seconds: float) -> Iterator[None]:
    """Hold the lock file `path`, waiting at most `seconds`. Raises Busy, OSError."""
    fd = acquire(path, seconds)
    try:
        yield
    finally:
        os.close(fd)


def acquire(path: str, seconds: float) -> int:
    """Take the lock for as long as the returned file descriptor is open; the system frees it when a process dies."""
    try:
        fd = files.opened(path, os.O_RDWR | os.O_CREAT)
    except OSError as error:
        if error.errno not in (errno.EROFS, errno.EACCES):
            raise
        try:
            fd = files.opened(path)  # a lock needs no write permission
        except FileNotFoundError:
            raise error from None
    return hold(fd, path, seconds)


def hold(fd: int, path: str, seconds: float) -> int:
    """Lock what is open there, the file or folder `path`; without success it is closed. Raises Busy, OSError."""
    import fcntl

    until = time.monotonic() + seconds
    while True:
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return fd
        except BlockingIOError:
            if time.monotonic() >= until:
                os.close(fd)
                raise Busy(f"another process holds {path}") from None
            time.sleep(0.01)
        except OSError:
            os.close(fd)
            raise
