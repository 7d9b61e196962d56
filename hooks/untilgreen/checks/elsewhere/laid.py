"""What stands in a copy from before: what nobody changed since it was laid, of what nobody changed either.

A file system says when something was last changed there (ctime), which no user can set. What was changed since, or
within the same tick of its clock, is laid anew; so is all of it where anything about it is in doubt.
"""

import json
import os
import stat
import time
from collections.abc import Collection, Sequence
from contextlib import suppress

from untilgreen.checks.run.report_folder import empty, remove
from untilgreen.core.record import NamedTuple
from untilgreen.core.trees import Tree, above

_MARK, _LINK = ".laid", "120000"
_TICKS, _TICK = 20, 0.002  # looks at the clock of a file system, and seconds between two of them
_ours: dict[str, int] = {}  # folder to when this process laid what is in it


class StartTree(NamedTuple):
    """The tree of a loop's start, of which one copy stays from stop to stop."""

    tree: Tree
    name: str  #: its commit
    held: float  #: when the last stop ended that was held, in seconds since the epoch; what was laid later is not ours


class Laid(NamedTuple):
    """When a tree was laid in a copy, in nanoseconds by the clock of its file system."""

    tree: Tree = {}
    began: int = 0  #: before the first of its sources was read
    until: int = 0  #: when all of it was there; 0: nothing stands

    def stands(self, old: str, new: str, *, same: bool = False) -> bool:
        """Whether what was made of `old` is at `new` as it would be made now: no folder. `same`: only a file that is as
        in the work tree."""
        with suppress(OSError):
            one, other = os.lstat(old), os.lstat(new)
            calm = one.st_ctime_ns < self.began and other.st_ctime_ns < self.until and one.st_dev == other.st_dev
            alike = stat.S_ISREG(one.st_mode) and (one.st_size, one.st_mtime_ns) == (other.st_size, other.st_mtime_ns)
            return calm and not stat.S_ISDIR(other.st_mode) and (alike or not same)
        return False


NOTHING = Laid()


def found(folder: str, start: StartTree | None, moved: Sequence[tuple[str, str]]) -> Laid:
    """What stands in the folder of the start's tree; nothing where that is another one, or other paths were `moved`."""
    with suppress(OSError, ValueError, TypeError):
        path = os.path.join(folder, _MARK)
        until = os.lstat(path).st_ctime_ns
        with open(path, encoding="utf-8") as stream:
            said = json.load(stream)
        is_ours = _ours.get(folder) == until or (start is not None and until < start.held * 1e9)
        if start and is_ours and said["start"] == start.name and said["moved"] == [list(pair) for pair in moved]:
            return Laid(start.tree, int(said["began"]), until)
    return NOTHING


def tick(folder: str, text: str = "") -> int:
    """The time by the clock of the folder's file system. Raises OSError."""
    path = os.path.join(folder, _MARK)
    if os.path.lexists(path):  # it may be a link by now
        remove(path)
    with open(path, "x", encoding="utf-8") as stream:
        stream.write(text)
    return os.lstat(path).st_ctime_ns


def mark(folder: str, start: StartTree, moved: Sequence[tuple[str, str]], began: int) -> Laid:
    """Note that the start's tree is there. Nothing stands where that clock does not go on. Raises OSError."""
    text, last = json.dumps({"start": start.name, "moved": moved, "began": began}), tick(folder)
    for _ in range(_TICKS):
        if (until := tick(folder, text)) > last:
            _ours[folder] = until
            return Laid(start.tree, began, until)
        time.sleep(_TICK)
    os.unlink(os.path.join(folder, _MARK))
    return NOTHING


def clear(folder: str, without: Collection[str]) -> None:
    """Take away what lies there, and links of any name, but for these folders. Raises OSError."""
    empty(folder, {_MARK, *(name for name in without if not os.path.islink(os.path.join(folder, name)))})


def clear_tree(root: str, tree: Tree, spared: Collection[str]) -> None:
    """Take away links, and what a tree has not, but for the folders `spared`, where it has nothing. Raises OSError."""
    inner, files = {path for one in tree for path in above(one)}, {path for path in tree if tree[path].mode != _LINK}
    folders = [""]
    for folder in folders:
        with os.scandir(os.path.join(root, folder)) as entries:
            for entry in entries:
                path = f"{folder}/{entry.name}" if folder else entry.name
                is_folder = entry.is_dir(follow_symlinks=False)
                if is_folder and path in inner:
                    folders.append(path)
                elif path not in spared if is_folder else entry.is_symlink() or path not in files:
                    remove(entry.path)
