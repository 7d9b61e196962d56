"""Objects out of a git folder, one after another, all read by one process of git."""

import os
import select
import time
from collections.abc import Mapping

from untilgreen.project.tree import git

_SECONDS = 5.0  # for each object
_LONGEST = 200  # bytes of the line before an object


class Batch:
    """What `git cat-file --batch` reads from a git folder; the process begins with the first question.

    `root`: the project in which git works; `env`: variables that name the folder. `close` ends it.
    """

    def __init__(self, root: str, env: Mapping[str, str]) -> None:
        self._root, self._env = root, env
        self._asked: git.Asked | None = None
        self._begun = False
        self._left = b""

    def read(self, name: str) -> tuple[str, bytes] | None:
        """An object's kind and data; None where git does not have it, or is not there."""
        if not self._begun:
            self._begun = True
            self._asked = git.start(self._root, "cat-file", "--batch", telling=True, more=self._env)
        if self._asked is None:
            return None
        until = time.monotonic() + _SECONDS
        try:
            os.write(self._asked.told, f"{name}\n".encode())
            words = self._line(until).split()
            if len(words) != 3:  # "NAME missing"
                return None
            data = self._bytes(int(words[2]) + 1, until)[:-1]
        except (OSError, ValueError):  # it died, or takes too long: what it says now may belong to another question
            self.close()
            return None
        return words[1].decode("ascii", "replace"), data

    def close(self) -> None:
        """End the process; nothing is read any more."""
        asked, self._asked = self._asked, None
        if asked is not None:
            git.abandon(asked)

    def _line(self, until: float) -> bytes:
        while b"\n" not in self._left:
            if len(self._left) > _LONGEST:
                raise ValueError("no line of git's")
            self._left += self._more(65_536, until)
        line, _, self._left = self._left.partition(b"\n")
        return line

    def _bytes(self, count: int, until: float) -> bytes:
        parts, found = [self._left], len(self._left)
        while found < count:
            parts.append(self._more(count - found, until))
            found += len(parts[-1])
        data = b"".join(parts)
        self._left = data[count:]
        return data[:count]

    def _more(self, most: int, until: float) -> bytes:
        """Raises OSError where nothing comes."""
        fd = self._asked.printed if self._asked else -1
        poll = select.poll()
        poll.register(fd, select.POLLIN | select.POLLHUP)
        if not poll.poll(max(0.0, until - time.monotonic()) * 1000) or not (part := os.read(fd, min(most, 1 << 20))):
            raise OSError("git does not answer")
        return part
