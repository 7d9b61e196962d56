"""Pipes and devices in the place of a project's files: who reads one does so until its time, or the memory, is up."""

import os
import stat
import time
from collections.abc import Iterable
from contextlib import suppress

SECONDS = 1.0  # until it is looked for them, which most checks do not live to see; and between the looks
_MOST = 1 << 30  # bytes of the processes of a check, where it may read what has no end
_FULL = frozenset({"node_modules", "objects"})  # folders of many files, of which no tool reads all


def below(root: str) -> list[str]:
    """The pipes below a folder, as far as they are found in a second."""
    return [path for path, mode in _special(root).items() if stat.S_ISFIFO(mode)]


def _special(root: str) -> dict[str, int]:
    """What is and leads to no file, nor to `/dev/null`, and its mode: pipes, devices; as far as found in a second."""
    null = os.stat(os.devnull).st_rdev
    found, folders = dict[str, int](), [root]
    until = time.monotonic() + SECONDS
    for folder in folders:
        if time.monotonic() > until:
            break
        try:
            with os.scandir(folder) as entries:
                for one in entries:
                    if one.is_dir(follow_symlinks=False):
                        folders += [one.path] if one.name not in _FULL else []
                    elif not one.is_file(follow_symlinks=False):
                        with suppress(OSError):  # it leads nowhere
                            if (at := one.stat()).st_rdev != null and not stat.S_ISREG(at.st_mode):
                                found[one.path] = at.st_mode
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


def memory(session: int) -> int:
    """The bytes that the processes of a session have; 0 where the system does not say: V8 has a limit of its own."""
    total = 0
    for name in os.listdir("/proc") if os.path.isdir("/proc/self") else ():
        with suppress(OSError, ValueError):
            if os.getsid(int(name)) == session:
                with open(f"/proc/{name}/statm", encoding="ascii") as file:
                    total += int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    return total


class Pipes:
    """Those that were there before the checks of a stop began, and the links to devices."""

    def __init__(self) -> None:
        self._began, self._due = time.time(), time.monotonic() + SECONDS
        self._found: list[str] | None = None
        self._endless = list[str]()

    def waited_at(self, folders: Iterable[str]) -> str:
        """Why what waits at one below these folders is not judged; "" where nothing does."""
        if time.monotonic() < self._due:
            return ""
        self._due = time.monotonic() + SECONDS
        if self._found is None:
            self._found = []
            special = {path: mode for folder in {*folders} for path, mode in _special(folder).items()}
            self._endless = [path for path, mode in special.items() if stat.S_ISCHR(mode)]
            for path in (one for one, mode in special.items() if stat.S_ISFIFO(mode)):
                with suppress(OSError):
                    self._found += [path] if os.lstat(path).st_ctime < self._began else []
        waited = [path for path in self._found if frees(path)]
        return f"{waited[0]} is a pipe, and nobody writes to it" if waited else ""

    def filled(self, session: int) -> str:
        """Why a check that takes more and more memory is not judged; "" where it may have all it wants."""
        return f"{self._endless[0]} has no end" if self._endless and memory(session) > _MOST else ""
