"""Files that were written since a moment, by the time of the last change (ctime): nobody can set it.

What was linked, moved or given other rights since then is among them, so whoever asks compares what is in it.
"""

import os
from collections.abc import Container, Iterator

from untilgreen.core.record import NamedTuple

#: what a program may load; what a tool leaves there is mostly none
SOURCES = (
    *(".py", ".pyi", ".pyc", ".pth", ".so", ".pyd", ".typed", "entry_points.txt"),
    *(".js", ".cjs", ".mjs", ".jsx", ".ts", ".cts", ".mts", ".tsx", ".json", ".go", ".rs"),
)


class Touched(NamedTuple):
    """A file or a link, or a folder in which names came or went."""

    path: str
    kind: str  #: "file", "link" or "folder"; "stored" for a file that is old, and has a new name elsewhere


def since(root: str, moment: float, passed_over: Container[str] = ()) -> Iterator[Touched]:
    """What lies in a folder and was written after `moment`, in seconds since the epoch; nothing of Python's caches."""
    folders = [root]
    while folders:
        folder = folders.pop()
        try:
            info = os.stat(folder)  # Python makes its cache there
            if info.st_ctime > moment and not is_newer(f"{folder}/__pycache__", info.st_mtime - 0.01):
                yield Touched(folder, "folder")
            with os.scandir(folder) as entries:
                for entry in entries:
                    if entry.is_dir(follow_symlinks=False):
                        if entry.name != "__pycache__" and entry.name not in passed_over:
                            folders.append(entry.path)
                    elif (info := entry.stat(follow_symlinks=False)).st_ctime > moment:
                        old = info.st_nlink > 1 and info.st_mtime < moment
                        yield Touched(entry.path, "link" if entry.is_symlink() else "stored" if old else "file")
        except OSError:  # not ours to read, or gone by now
            continue


def is_newer(path: str, moment: float) -> bool:
    """Whether it, or what it leads to, was written after `moment`."""
    try:
        return max(os.lstat(path).st_ctime, os.stat(path).st_ctime) > moment
    except OSError:
        return False
