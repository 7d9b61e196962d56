"""Snapshots that nobody goes back to any more: old ones, and the oldest where all of them are too large.

What is left is marked and the rest of our own objects goes; those that the project lends are never touched.
"""

import os
import time
from collections.abc import Collection, Iterator
from contextlib import suppress

from untilgreen.core import objects
from untilgreen.core.record import NamedTuple
from untilgreen.project import files
from untilgreen.state import locks, snapshots
from untilgreen.state.objects import Missing, Objects
from untilgreen.state.sizes import Sizes

DAYS = 14  # a snapshot is kept for so long
MOST = 1024 * 1024 * 1024  # bytes of all snapshots
_DAY = 86_400.0  # seconds; at starts it is done once a day
_STAMP = "pruned"
_REF = 5  # parts of a ref's name: refs/untilgreen/SESSION/LOOP/NUMBER


class Pruned(NamedTuple):
    """What went, and what is left: snapshots and bytes."""

    gone: int = 0
    freed: int = 0
    left: int = 0
    size: int = 0


class _Ref(NamedTuple):
    #: seconds since the epoch
    time: float
    name: str
    commit: str

    @property
    def loop(self) -> str:
        return self.name.split("/")[-2]


def due(store: Objects) -> bool:
    """Whether a day has passed since it was done last."""
    try:
        return abs(time.time() - os.stat(os.path.join(store.folder, _STAMP)).st_mtime) > _DAY
    except OSError:
        return os.path.isdir(store.folder)


def prune(store: Objects, root: str, running: Collection[str], seconds: float, most: int = MOST) -> Pruned:
    """Drop snapshots of other loops than the `running` ones, the old ones and then the oldest until all take at most
    `most` bytes, and what only they held; within `seconds`, else nothing or a part. Raises OSError, locks.Busy."""
    until = time.monotonic() + seconds
    with locks.locked(snapshots.lock_of(store), seconds):
        refs = sorted(_refs(store))
        before, size = len(refs), sum(_sizes(store).values())
        free = [ref for ref in refs if ref.loop not in running]
        too_old = [ref for ref in free if ref.time < time.time() - DAYS * _DAY]
        left = _dropped(store, refs, too_old)
        found = _swept(store, root, left, until)
        while found > most and (free := [ref for ref in left if ref.loop not in running]):
            left = _dropped(store, left, [ref for ref in left if ref.loop == free[0].loop])
            found = _swept(store, root, left, until)
        with open(os.path.join(store.folder, _STAMP), "wb", opener=files.opened):
            os.utime(os.path.join(store.folder, _STAMP))
        return Pruned(before - len(left), size - found, len(left), found)


def _refs(store: Objects) -> Iterator[_Ref]:
    for name, commit in store.refs():
        with suppress(OSError):
            if len(name.split("/")) == _REF:
                yield _Ref(os.stat(os.path.join(store.folder, name)).st_mtime, name, commit)


def _dropped(store: Objects, refs: list[_Ref], gone: list[_Ref]) -> list[_Ref]:
    for ref in gone:
        path = os.path.join(store.folder, ref.name)
        os.unlink(path)
        for _ in range(2):  # the loop's folder, and the session's
            path = os.path.dirname(path)
            with suppress(OSError):
                os.rmdir(path)
    return [ref for ref in refs if ref not in gone]


def _swept(store: Objects, root: str, refs: list[_Ref], until: float) -> int:
    """Delete what no ref leads to; the bytes that are left."""
    sizes = _sizes(store)
    marked = _marked(store, {ref.commit for ref in refs}, sizes, until)
    if marked is None or marked.issuperset(sizes):
        return sum(sizes.values())
    remembered = Sizes(store.folder, root)
    remembered.forget(marked)
    remembered.save()
    for name in [name for name in sizes if name not in marked]:
        if time.monotonic() > until:
            break
        os.unlink(store.path(name))
        del sizes[name]
    return sum(sizes.values())


def _marked(store: Objects, names: set[str], own: Collection[str], until: float) -> set[str] | None:
    """Our own objects that these lead to; None where there was no time."""
    found, left = set[str](), list(names)
    while left:
        name = left.pop()
        if name in found or name not in own:  # what the project lends leads to nothing of ours
            continue
        if time.monotonic() > until:
            return None
        found.add(name)
        with suppress(Missing, ValueError):
            kind, data = store.object(name)
            if kind == "commit":
                left.append(store.tree_of(name))
            elif kind == "tree":
                for _, entry in objects.listed(data):
                    if entry.mode == objects.FOLDER:
                        left.append(entry.name)
                    elif entry.name in own:
                        found.add(entry.name)
    return found


def _sizes(store: Objects) -> dict[str, int]:
    """Our own objects, each with the bytes that it takes."""
    found = {}
    top = os.path.join(store.folder, "objects")
    for folder in os.listdir(top) if os.path.isdir(top) else ():
        if len(folder) == len("00"):
            with os.scandir(os.path.join(top, folder)) as entries:
                found.update({folder + entry.name: entry.stat(follow_symlinks=False).st_size for entry in entries})
    return found
