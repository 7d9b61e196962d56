"""Paths that led into the project, or into an environment of it, lead into their copies."""

import os
import re
from collections.abc import Sequence

from untilgreen.core.record import NamedTuple

# a path begins here, not in the middle of another: "file:///…" and "-I/…" are two that do; and no longer name goes on
_BEFORE, _BEHIND = rb"(?:(?<![\w.~/-])|(?<=://)|(?<=-[IL]))", rb"(?![\w-]|\.\w)"
NODE_MODULES = "node_modules"
SMALL = 256 * 1024  # bytes; a script, a starter that pnpm writes, a list of paths are smaller
# what tools keep there for the next run: it would be written in the real one
_KEPT = (".cache", ".vite", ".vitest", ".vite-temp", ".tmp")


class Move(NamedTuple):
    """Old folder and new one, both absolute, the inner ones before those that they lie in."""

    pairs: tuple[tuple[str, str], ...]

    def path(self, path: str) -> str:
        """Where a path leads now."""
        fitting = [(old, new) for old, new in self.pairs if path == old or path.startswith(old + os.sep)]
        return fitting[0][1] + path[len(fitting[0][0]) :] if fitting else path

    def text(self, data: bytes) -> bytes:
        """A text with such paths in it."""
        for old, new in self.pairs:
            pattern = _BEFORE + re.escape(os.fsencode(old)) + _BEHIND
            data = re.sub(pattern, os.fsencode(new).replace(b"\\", b"\\\\"), data)
        return data

    def word(self, word: str) -> str:
        """A word of a command line, or the value of a variable."""
        return os.fsdecode(self.text(os.fsencode(word)))

    def words(self, words: Sequence[str]) -> tuple[str, ...]:
        """Words of a command line."""
        return tuple(map(self.word, words))

    def back(self, text: str) -> str:
        """What was said of the copies, as said of what they are copies of."""
        for old, new in self.pairs:
            text = text.replace(new, old)
        return text


def link(old: str, new: str, move: Move) -> None:
    """Make at `new` what lies at `old`: a link to it, or, where that is one itself, a link as it is, moved. Raises
    OSError."""
    target = os.readlink(old) if os.path.islink(old) else ""
    if target and not os.path.isabs(target):
        full = os.path.normpath(os.path.join(os.path.dirname(old), target))
        # what lies beside it lies beside the copy, too, or will
        target = target if move.path(full) != full else full
    os.symlink(move.path(target) if target else old, new)


def mirror(old: str, new: str, move: Move) -> None:
    """Make a folder `node_modules` at `old` again at `new`, which is not there yet, of links to what is in it:
    workspaces, links into the project, are the copy's. Raises OSError."""
    os.mkdir(new, 0o700)
    for name in os.listdir(old):
        one, there = os.path.join(old, name), os.path.join(new, name)
        if name in _KEPT:
            continue
        if os.path.islink(one) or not os.path.isdir(one):
            link(one, there, move)
        elif name == ".bin":
            os.mkdir(there)
            for program in os.listdir(one):
                _starter(os.path.join(one, program), os.path.join(there, program), move)
        elif name.startswith("@"):
            mirror(one, there, move)
        else:
            os.symlink(one, there)


def _starter(old: str, new: str, move: Move) -> None:
    """A link as npm and yarn make it, or a script as pnpm writes it, by its own place."""
    if os.path.islink(old) or os.path.getsize(old) > SMALL:
        link(old, new, move)
        return
    put(new, move.text(read_small(old)), 0o700)


def read_small(path: str) -> bytes:
    """What a small file holds. Raises OSError."""
    with open(path, "rb") as stream:
        return stream.read(SMALL)


def put(path: str, data: bytes, mode: int = 0o600) -> None:
    """Make a file, which is not there yet. Raises OSError."""
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb") as stream:
        stream.write(data)
