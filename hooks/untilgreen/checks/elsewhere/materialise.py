"""A tree of git's as files in a private folder: nothing of it is written anywhere else, whatever its paths say. What
stands there from before is not written again.

A file whose content is the work tree's own is taken from there, with its time (never by a hard link, through which a
test would write into the user's file), any other from where it is kept.
"""

import os
import re
import time
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress

from untilgreen.checks.elsewhere.laid import NOTHING, Laid, StartTree
from untilgreen.checks.run.report_folder import empty, remove
from untilgreen.core.record import NamedTuple
from untilgreen.core.trees import Entry, Tree
from untilgreen.project import files
from untilgreen.project.tree import git

_LARGEST = 256 * 1024 * 1024  # bytes of one file
# in nanoseconds. What is not as in the work tree is newer than whatever was made of that: `make` goes by it. Not so
# Python, for which our checks would have to wait until the second is over; nothing was made of it there
_OLD = 10**18
_LINK, _PROGRAM, _FILES = "120000", "100755", ("100644", "100755", "100664")
_POINTER = b"version https://git-lfs.github.com/spec/v1\n"
# a path begins here, not in the middle of another: "file:///…" and "-I/…" are two that do; and no longer name goes on
_BEFORE, _BEHIND = rb"(?:(?<![\w.~/-])|(?<=://)|(?<=-[IL]))", rb"(?![\w-]|\.\w)"
NODE_MODULES = "node_modules"
SMALL = 256 * 1024  # bytes; a script, a starter that pnpm writes, a list of paths are smaller
# what tools keep there for the next run: it would be written in the real one
_KEPT = (".cache", ".vite", ".vitest", ".vite-temp", ".tmp")

Read = Callable[[Entry], bytes]  # what a file holds, or what a link says; raises OSError


class KeptTree(NamedTuple):
    tree: Tree
    read: Read
    start: StartTree | None = None  #: of the loop for which it runs, where its copy serves again


class Unfit(OSError):
    """The tree cannot be had as files. Its text is for people."""


def write(
    tree: Tree, read: Read, work: str, folder: str, stop: Callable[[], bool], laid: Laid = NOTHING
) -> tuple[str, ...] | None:
    """Put the tree into the folder (absolute, ours, nothing in its way). The files that are not as they are in the work
    tree, at `work`; None where `stop` said so in between. Raises Unfit, other OSErrors."""
    made, differing = {""}, list[str]()
    for path, entry in tree.items():
        if stop():
            return None
        parts = path.split("/")
        if any(part in ("", ".", "..") or part.lower() == ".git" for part in parts) or "\0" in path or os.sep != "/":
            raise Unfit(f"a path of it leads elsewhere: {path!r}")
        if entry.mode not in (*_FILES, _LINK):
            raise Unfit(f"{path} is a repository of its own")
        if (parent := os.path.dirname(path)) not in made:
            os.makedirs(f"{folder}/{parent}", exist_ok=True)
            made.add(parent)
        stands = laid.tree.get(path) == entry and laid.stands(f"{work}/{path}", f"{folder}/{path}", same=True)
        if not (stands or entry.mode == _LINK) and not _write(f"{folder}/{path}", entry, f"{work}/{path}", read):
            differing.append(path)
    for path, entry in tree.items():
        if entry.mode == _LINK:  # behind all the rest: nothing is written through one
            target = os.fsdecode(read(entry))
            inside = target == work or target.startswith(work + os.sep)
            os.symlink(folder + target[len(work) :] if inside else target, f"{folder}/{path}")
    return tuple(differing)


def _write(path: str, entry: Entry, source: str, read: Read) -> bool:
    """Write a file; whether it is the work tree's. Raises Unfit, other OSErrors."""
    data, moment = b"", -1
    with suppress(OSError), open(source, "rb", opener=files.opened) as stream:  # it may be gone, or no file by now
        found = os.fstat(stream.fileno())
        if found.st_size <= _LARGEST:
            data, moment = stream.read(found.st_size), found.st_mtime_ns
    same = moment >= 0 and git.is_blob(data, entry.name)
    if not same:
        data = read(entry)
        moment = _OLD if path.endswith((".py", ".pyi")) else time.time_ns()
        if data.startswith((_POINTER, b"\0GITCRYPT")):
            raise Unfit(f"{os.path.basename(path)} is not kept here as it is in a work tree")
    put(path, data, 0o700 if entry.mode == _PROGRAM else 0o600)
    os.utime(path, ns=(moment, moment))
    return same


# --- paths that led into the project, or into an environment of it, lead into their copies


class Move(NamedTuple):
    """Old folder and new one, both absolute, the inner ones before those that they lie in."""

    pairs: tuple[tuple[str, str], ...]
    laid: Laid = NOTHING  #: what stands in the copies

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
        return tuple(map(self.word, words))

    def back(self, text: str) -> str:
        """What was said of the copies, as said of what they are copies of."""
        for old, new in self.pairs:
            text = text.replace(new, old)
        return text


def link(old: str, new: str, move: Move) -> None:
    """Make a link at `new` to `old`; where that is a link itself, the same one, moved. Raises OSError."""
    target = os.readlink(old) if os.path.islink(old) else ""
    if target and not os.path.isabs(target):
        full = os.path.normpath(os.path.join(os.path.dirname(old), target))
        # what lies beside it lies beside the copy, too, or will
        target = target if move.path(full) != full else full
    _gone(new)
    os.symlink(move.path(target) if target else old, new)


def rewrite(
    old: str, new: str, move: Move, mode: int = 0o600, wanted: Callable[[bytes], bool] = lambda _: True
) -> None:
    """Make at `new` a small wanted file with its paths moved; a link to `old` if it is anything else."""
    if os.path.isfile(old) and not os.path.islink(old) and os.path.getsize(old) <= SMALL:
        text = read_small(old)
        if wanted(text):
            put(new, move.text(text), mode)
            return
    link(old, new, move)


def mirror(old: str, new: str, laid: Laid, make: Callable[[str, str], None], without: Collection[str] = ()) -> None:
    """Make a folder again; `make` puts to the second path what lies at the first, where that does not stand."""
    if not os.path.isdir(new) or os.path.islink(new):
        _gone(new)
        os.makedirs(new, mode=0o700)
    names = [name for name in os.listdir(old) if name not in without]
    empty(new, {*names})
    for one, there in ((os.path.join(old, name), os.path.join(new, name)) for name in names):
        if not laid.stands(one, there):
            make(one, there)


def mirror_packages(old: str, new: str, move: Move) -> None:
    """Make a `node_modules` again of links; workspaces, links into the project, are the copy's. Raises OSError."""

    def make(one: str, there: str) -> None:
        name, is_folder = os.path.basename(one), os.path.isdir(one) and not os.path.islink(one)
        if is_folder and name == ".bin":  # links as npm and yarn make them, or scripts as pnpm writes them
            mirror(one, there, move.laid, lambda program, copy: rewrite(program, copy, move, 0o700))
        elif is_folder and name.startswith("@"):
            mirror_packages(one, there, move)
        else:
            link(one, there, move)

    mirror(old, new, move.laid, make, without=_KEPT)


def read_small(path: str) -> bytes:
    """What a small file holds. Raises OSError."""
    with open(path, "rb") as stream:
        return stream.read(SMALL)


def put(path: str, data: bytes, mode: int = 0o600) -> None:
    """Make a file, in the place of whatever lies there. Raises OSError."""
    _gone(path)
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb") as stream:
        stream.write(data)


def _gone(path: str) -> None:
    if os.path.lexists(path):
        remove(path)
