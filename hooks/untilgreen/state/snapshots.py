"""The work tree as it is at a moment, kept as a commit in our own store of git objects.

A start and each counted stop keep one. What costs is what changed: the reading that the fingerprint is made of holds
it, and what it does not hold is remembered by size and time. A failure is told and never stands in the way.
"""

import errno
import json
import os
import stat
import time
from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress

from untilgreen.core.model.event import Place
from untilgreen.core.model.tree import Entry, Tree
from untilgreen.core.record import NamedTuple
from untilgreen.core.trees import above
from untilgreen.project import files
from untilgreen.project.tree import converted, worktree
from untilgreen.project.tree.worktree import Record, WorkTree
from untilgreen.state import locks, log
from untilgreen.state.objects import Missing, Objects
from untilgreen.state.place import GIT
from untilgreen.state.sizes import Sizes

AT_START, AT_STOP = 2.0, 5.0  # seconds that a start, and a stop, waits for it at most
START = "start"
_SKIPPED = "Skipped: "
_UNREADABLE = "it cannot be read"
_SHA1 = 40  # digits of a name


# paths, each with why
Skipped = tuple[tuple[str, str], ...]


class Taken(NamedTuple):
    """What was kept of a tree."""

    #: the commit, "" where it could not be kept
    ref: str = ""
    skipped: Skipped = ()
    #: why it was not kept
    why: str = ""


class Late(Exception):
    """There was no time to keep it."""


class _Blobs(NamedTuple):
    """Contents on their way into the store."""

    store: Objects
    sizes: Sizes
    root: str
    until: float

    def of(self, record: Record) -> Entry | str | None:
        """The entry of what was read; why it is skipped; None where there is nothing to keep. Raises OSError, Late."""
        if time.monotonic() > self.until:
            raise Late
        kind = record[0]
        if kind == b"file":
            return Entry("100755" if record[2] else "100644", self.store.write("blob", record[3]))
        if kind == b"link":
            return Entry("120000", self.store.write("blob", record[2]))
        if kind == b"size":
            return self.on_disk(os.fsdecode(record[1]))
        return _UNREADABLE if kind == b"unreadable" else None

    def on_disk(self, path: str) -> Entry | str | None:
        """As `of`, of a file by its path: its content as it lies there."""
        if time.monotonic() > self.until:
            raise Late
        full = os.path.join(self.root, path)
        try:
            info = os.lstat(full)
            if stat.S_ISLNK(info.st_mode):
                mode, name, content = "120000", "", os.fsencode(os.readlink(full))
            elif not stat.S_ISREG(info.st_mode):
                return None
            elif info.st_size > worktree.LARGE:
                return f"it is larger than {worktree.LARGE // 1024 // 1024} MB"
            else:
                mode = "100755" if info.st_mode & stat.S_IXUSR else "100644"
                name = self.sizes.known(path, info)
                content = b"" if name else files.read(full, worktree.LARGE)
        except (FileNotFoundError, NotADirectoryError):
            return None
        except (OSError, ValueError):
            return _UNREADABLE
        if not name:
            name = self.store.write("blob", content)
            self.sizes.note(path, info, name)  # of a link: the target is read each time
        return Entry(mode, name)


def keep(place: Place, reading: WorkTree, loop_id: str, number: str, seconds: float, last: str = "") -> Taken:
    """Keep the tree of a reading as `number` ("start", or a round's) of a loop; `last`: the commit before it, which
    stands for an equal tree. Never raises: what failed is in the log, too."""
    until = time.monotonic() + seconds
    try:
        with Objects(place.base, reading.root) as store:
            store.make(borrow=len(reading.head or "") == _SHA1)
            with locks.locked(lock_of(store), seconds):
                try:
                    tree, skipped = tree_of(store, reading, until)
                    ref = last if last and _same(store, last, tree, skipped) else ""
                    ref = named(
                        store, place, loop_id, number, ref or commit(store, tree, skipped, f"{loop_id} {number}")
                    )
                except OSError:
                    store.discard()
                    raise
                return Taken(ref, skipped)
    except Late:
        why = f"there was no time for it ({seconds:g} s)"
    except locks.Busy as error:
        why = str(error)
    except OSError as error:
        why = f"{error.filename or 'the store'}: {error.strerror or error}"
    log.write(place.base, f"the work tree was not kept ({loop_id} {number}): {why}")
    return Taken(why=why)


def path_of(place: Place, ref: str) -> str:
    """The store's folder where a tree was kept, else ""."""
    return os.path.join(place.base, GIT) if ref else ""


def lock_of(store: Objects) -> str:
    """The lock of those who write into a store."""
    return os.path.join(store.folder, "lock")


def tree_of(store: Objects, reading: WorkTree, until: float, then: Collection[str] = ()) -> tuple[str, Skipped]:
    """The name of a reading's tree, and what was skipped. `then`: paths of which all that lies there now is kept,
    ignored or not, and what lies in their way. Only under the lock. Raises OSError, Late."""
    sizes = Sizes(store.folder, reading.root)
    skipped: dict[str, str] = {}
    changes: dict[str, Entry | None] = {}
    base, from_git = _base(store, reading)
    blobs = _Blobs(store, sizes, reading.root, until)

    def take(found: Iterable[tuple[str, Entry | str | None]]) -> None:
        for path, entry in found:
            changes[path] = None if isinstance(entry, str) else entry
            skipped.pop(path, None)
            if isinstance(entry, str):
                skipped[path] = entry

    try:
        take(_entries(reading, blobs, every=not from_git))
        tree = store.edited(base, changes)
        if then:
            changes.clear()
            take(_in_the_way(store.tree(tree), then, blobs))
            tree = store.edited(tree, changes)
    finally:
        sizes.save()  # the next one begins where this one may have had to end
    return tree, tuple(sorted(skipped.items()))


def _in_the_way(now: Tree, then: Collection[str], blobs: _Blobs) -> Iterator[tuple[str, Entry | str | None]]:
    """What git ignores, and lies where something else is to lie."""
    folders: dict[str, bool] = {}
    missing = [path for path in then if path not in now]
    for path in sorted({path for one in missing for path in (*above(one), one)} - now.keys()):
        if worktree.in_place(blobs.root, path, folders) and (entry := blobs.on_disk(path)):
            yield path, entry


def commit(store: Objects, tree: str, skipped: Skipped, title: str) -> str:
    """A commit of a tree. Raises OSError."""
    who = f"untilgreen <untilgreen@localhost> {int(time.time())} +0000"
    text = f"tree {tree}\nauthor {who}\ncommitter {who}\n\n{_message(title, skipped)}"
    return store.write("commit", text.encode("ascii", "backslashreplace"))


def named(store: Objects, place: Place, loop_id: str, number: str, ref: str) -> str:
    """The commit, now of this name. Raises OSError."""
    store.name_it(f"refs/untilgreen/{place.session}/{loop_id}/{number}", ref)
    return ref


def _base(store: Objects, reading: WorkTree) -> tuple[str, bool]:
    """The tree from which the reading's records differ, and whether it is the project's newest commit's."""
    head = reading.head
    if head == "":
        return "", True
    if head is None or len(head) != _SHA1:
        return "", False
    try:
        return store.tree_of(head), True
    except Missing:
        return "", False


def _same(store: Objects, last: str, tree: str, told: Skipped) -> bool:
    try:
        return store.tree_of(last) == tree and tuple(skipped_in(store, last).items()) == told
    except Missing:
        return False


def skipped(folder: str, root: str, commit: str) -> Skipped:
    """What was skipped when a commit of the store `folder` was kept, and why; nothing where it cannot be read."""
    with Objects(os.path.dirname(folder), root) as store, suppress(Missing):
        return tuple(skipped_in(store, commit).items())
    return ()


def changed(folder: str, root: str, one: str, other: str) -> tuple[str, ...]:
    """The files that differ between two commits of the store `folder`, by path; () where they cannot be read."""
    if one == other:  # the tree is that of the round before: nothing to read, and no git to start
        return ()
    with Objects(os.path.dirname(folder), root) as store, suppress(Missing):
        return tuple(sorted(store.changed(store.tree_of(one), store.tree_of(other))))
    return ()


def skipped_in(store: Objects, commit: str) -> dict[str, str]:
    """What was skipped when a commit was kept, and why. Raises Missing."""
    lines = store.read(commit).decode("ascii", "replace").partition("\n\n")[2].splitlines()
    found = (json.loads(line[len(_SKIPPED) :]) for line in lines if line.startswith(_SKIPPED))
    try:
        return {str(path): str(why) for path, why in found}
    except ValueError:
        raise Missing(errno.EINVAL, "is no snapshot of ours", commit) from None


def _message(title: str, told: Skipped) -> str:
    lines = [f"{_SKIPPED}{json.dumps(one)}\n" for one in told]
    return "".join([f"{title}\n", "\n" if lines else "", *lines])


def _entries(reading: WorkTree, blobs: _Blobs, *, every: bool) -> Iterator[tuple[str, Entry | str | None]]:
    """What differs from the base, by path; with `every` the base is empty. The later of two holds.

    Raises OSError, Late.
    """
    known = {os.fsdecode(record[1]) for record in reading.records if record[0] != b"git"}
    if reading.head is not None:
        others = worktree.files(reading.root) if every else converted.candidates(reading.root, reading.head)
        folders: dict[str, bool] = {}
        for path in sorted(set(others) - known):
            if not worktree.left_out(path, reading.aside) and worktree.in_place(reading.root, path, folders):
                yield path, blobs.on_disk(path)
    for record in reading.records:
        kind, path = record[0], os.fsdecode(record[1])
        if kind == b"walk":
            if path:
                yield path, None
        elif kind != b"git":
            yield path, blobs.of(record)
