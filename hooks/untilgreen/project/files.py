"""Opening a file that somebody else may have put there: a regular one, of a bounded size, that nobody waits for.

Imports only `os` and what that loads: every call of a hook asks.
"""

import os
import stat

_INVALID = 22  # EINVAL


class NoFile(OSError):
    """What is there under this name is no regular file, or a link to one."""


def opened(path: str, flags: int = os.O_RDONLY, *, follow: bool = False) -> int:
    """A descriptor of a regular file; one that is made is for its owner alone. An opener for `open`, too.

    `follow`: a link to one will do. Raises NoFile, other OSErrors.
    """
    # before it is opened, too: to open a device is to do something with it
    try:
        _check(path, (os.stat if follow else os.lstat)(path).st_mode)
    except FileNotFoundError:
        if not flags & os.O_CREAT:
            raise
    more = getattr(os, "O_NONBLOCK", 0) | (0 if follow else getattr(os, "O_NOFOLLOW", 0))
    fd = os.open(path, flags | more | getattr(os, "O_CLOEXEC", 0), 0o600)
    try:
        _check(path, os.fstat(fd).st_mode)
    except OSError:
        os.close(fd)
        raise
    return fd


def followed(path: str, flags: int = os.O_RDONLY) -> int:
    """As `opened`, and a link to a regular file will do: an opener for files that are not ours."""
    return opened(path, flags, follow=True)


def read(path: str, most: int, *, follow: bool = False) -> bytes:
    """What the file holds. Raises ValueError where that is more than `most` bytes; NoFile, other OSErrors."""
    with open(path, "rb", opener=followed if follow else opened) as file:
        text = file.read(most + 1)
    if len(text) > most:
        raise ValueError(f"it is larger than {most:,} bytes")
    return text


def _check(path: str, mode: int) -> None:
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(21, "Is a directory", path)
    if not stat.S_ISREG(mode):
        raise NoFile(_INVALID, "is a symbolic link" if stat.S_ISLNK(mode) else "is no regular file", path)


def usual_mode() -> int:
    """The permissions that a new file has here."""
    os.umask(umask := os.umask(0o077))
    return 0o666 & ~umask


def templates_folder() -> str:
    """The folder of the templates that lie beside our code: in the installed package, or at the top of a checkout."""
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    inside = os.path.join(package, "templates")
    return inside if os.path.isdir(inside) else os.path.join(os.path.dirname(os.path.dirname(package)), "templates")
