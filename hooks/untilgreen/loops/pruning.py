"""Snapshots that nobody goes back to: old ones, and the oldest where all are too large; none of an active loop. Objects
that the project has, too, cost nothing and are not counted."""

import os
import shutil
import time
from collections.abc import Collection, Iterator
from contextlib import suppress

from untilgreen.core.model.event import Place
from untilgreen.core.record import NamedTuple
from untilgreen.loops.begin import listing
from untilgreen.project import files
from untilgreen.state import index, locks, log, store
from untilgreen.state.place import ASIDE, NEXT, STATE
from untilgreen.state.trees import Late, TreeStore

DAYS = 14  # a snapshot is kept for so long
MOST = 1024 * 1024 * 1024  # bytes of all snapshots
_AT_START = 1.0  # seconds
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
    time: float  #: seconds since the epoch
    name: str

    @property
    def loop(self) -> str:
        return self.name.split("/")[-2]


def at(place: Place, seconds: float) -> Pruned:
    """Drop old snapshots. Raises OSError, locks.Busy, store.Unreadable."""
    with TreeStore(place.base, place.root) as trees:
        return prune(trees, _running(place), seconds)


def at_start(place: Place) -> None:
    """As `at`, once a day and not for long; a fault is in the log."""
    try:
        with TreeStore(place.base, place.root) as trees:
            if _is_due(trees):
                prune(trees, _running(place), _AT_START)
    except (OSError, locks.Busy, store.Unreadable) as error:
        log.write(place.base, f"old snapshots were not dropped: {error}")


def prune(trees: TreeStore, running: Collection[str], seconds: float, most: int = MOST) -> Pruned:
    """Drop snapshots of other loops than the `running` ones, the old ones and then the oldest until all take at most
    `most` bytes, and what only they held; within `seconds`, else a part. Raises OSError, locks.Busy."""
    until = time.monotonic() + seconds
    with locks.locked(trees.lock, seconds):
        refs = sorted(_refs(trees))
        before, size = len(refs), trees.size()
        old = time.time() - DAYS * _DAY
        left = _dropped(trees, refs, [ref for ref in refs if ref.time < old and ref.loop not in running])
        found = _swept(trees, until)
        while found > most and (free := [ref for ref in left if ref.loop not in running]):
            left = _dropped(trees, left, [ref for ref in left if ref.loop == free[0].loop])
            found = _swept(trees, until)
        for folder in _listed(os.path.join(os.path.dirname(trees.folder), ASIDE)):
            if os.lstat(folder).st_mtime < old:
                shutil.rmtree(folder, ignore_errors=True)
        with open(trees.path(_STAMP), "wb", opener=files.opened):
            os.utime(trees.path(_STAMP))
        return Pruned(before - len(left), size - found, len(left), found)


def _running(place: Place) -> frozenset[str]:
    """The loops of every project that keeps its state there. Raises store.Unreadable: that one may run, too."""
    paths = [one.file(STATE) for one in listing.sessions_of(place.base, place.root)]
    paths += store.documents_in(os.path.join(place.base, NEXT))
    return frozenset(loop.loop_id for loop in map(store.look_at, paths) if loop is not None and loop.active)


def _listed(folder: str) -> list[str]:
    return [os.path.join(folder, name) for name in os.listdir(folder)] if os.path.isdir(folder) else []


def _is_due(trees: TreeStore) -> bool:
    try:
        return abs(time.time() - os.stat(trees.path(_STAMP)).st_mtime) > _DAY
    except OSError:
        return os.path.isdir(trees.folder)


def _refs(trees: TreeStore) -> Iterator[_Ref]:
    for name, _ in trees.refs():
        with suppress(OSError):
            if len(name.split("/")) == _REF:
                yield _Ref(os.stat(trees.path(name)).st_mtime, name)


def _dropped(trees: TreeStore, refs: list[_Ref], gone: list[_Ref]) -> list[_Ref]:
    for ref in gone:
        path = trees.path(ref.name)
        os.unlink(path)
        for _ in range(2):  # the loop's folder, and the session's
            path = os.path.dirname(path)
            with suppress(OSError):
                os.rmdir(path)
    return [ref for ref in refs if ref not in gone]


def _swept(trees: TreeStore, until: float) -> int:
    """Delete what neither a ref nor the newest tree has; the bytes that are left."""
    with suppress(Late):
        trees.sweep(index.keep_one(trees), until)
    return trees.size()
