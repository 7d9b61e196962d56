"""Pipes in the place of a project's files: a program that reads one waits there until its time is up."""

import os
import stat
import time
from collections.abc import Iterable
from contextlib import suppress

SECONDS = 1.0  # until it is looked for them, which most checks do not live to see; and between the looks
_FULL = frozenset({"node_modules", "objects"})  # folders of many files, of which no tool reads all


def below(root: str) -> list[str]:
    """The pipes below a folder, as far as they are found in a second."""
    found, folders = list[str](), [root]
    until = time.monotonic() + SECONDS
    for folder in folders:
        if time.monotonic() > until:
            break
        try:
            with os.scandir(folder) as entries:
                for one in entries:
                    if one.is_dir(follow_symlinks=False):
                        folders += [one.path] if one.name not in _FULL else []
                    elif not (one.is_file(follow_symlinks=False) or one.is_symlink()):
                        found += [one.path] if stat.S_ISFIFO(one.stat(follow_symlinks=False).st_mode) else []
        except OSError:  # not ours to read, or gone by now
            continue
    return found


def frees(pipe: str) -> bool:
    """Whether a program waited at the pipe; it reads an end there now."""
    try:
        os.close(os.open(pipe, os.O_WRONLY | os.O_NONBLOCK))
    except OSError:
        return False
    return True


class Pipes:
    """Those that were there before the checks of a stop began."""

    def __init__(self) -> None:
        self._began, self._due = time.time(), time.monotonic() + SECONDS
        self._found: list[str] | None = None

    def waited_at(self, folders: Iterable[str]) -> str:
        """Why what waits at one below these folders is not judged; "" where nothing does."""
        if time.monotonic() < self._due:
            return ""
        self._due = time.monotonic() + SECONDS
        if self._found is None:
            self._found = []
            for path in {path for folder in {*folders} for path in below(folder)}:
                with suppress(OSError):
                    self._found += [path] if os.lstat(path).st_ctime < self._began else []
        waited = [path for path in self._found if frees(path)]
        return f"{waited[0]} is a pipe, and nobody writes to it" if waited else ""
