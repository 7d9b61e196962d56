"""The work tree as it is at a moment, kept as a commit in our own store.

A start and each counted stop keep one. What costs is what changed. A failure is told and never stands in the way.
"""

import errno
import json
import os
import stat
import time
from collections.abc import Collection, Iterable
from contextlib import suppress

from untilgreen.core.model.event import Place
from untilgreen.core.record import Any, NamedTuple
from untilgreen.core.trees import Entry, Tree, above, folders
from untilgreen.project import files
from untilgreen.project.tree import worktree
from untilgreen.project.tree.contents import LARGE
from untilgreen.project.tree.git import is_blob
from untilgreen.project.tree.worktree import WorkTree
from untilgreen.state import clock, locks, log
from untilgreen.state.index import Index, Skipped
from untilgreen.state.place import GIT
from untilgreen.state.trees import Late, Missing, TreeStore

AT_START, AT_STOP = 2.0, 5.0  # seconds that a start, and a stop, waits for it at most
START = "start"
# lines of a commit's message, with JSON behind each
_SKIPPED, _IGNORED, _MODE = "Skipped: ", "Ignored: ", "Mode: "


class Taken(NamedTuple):
    ref: str = ""  #: the commit, "" where it could not be kept
    skipped: Skipped = ()
    why: str = ""  #: why it was not kept


class TreeNotes(NamedTuple):
    """What is known of a tree beside its files."""

    skipped: Skipped = ()
    ignored: tuple[str, ...] = ()  #: the files and folders that were there and are in no tree; of no round
    modes: tuple[tuple[str, str], ...] = ()  #: paths with permissions, `600`; that of "" is a file's that is not named


def keep(place: Place, reading: WorkTree, loop_id: str, number: str, seconds: float, last: str = "") -> Taken:
    """Keep a reading's tree as `number` of a loop; `last`: the commit before, for an equal tree. Never raises."""
    until = time.monotonic() + seconds
    try:
        with TreeStore(place.base, reading.root) as trees:
            trees.make()
            with locks.locked(trees.lock, seconds):
                try:
                    return _kept(trees, place, reading, f"{loop_id} {number}", last, until)
                except OSError:
                    trees.discard()  # on a full disk the state of the loop needs the room
                    raise
    except Late:
        why = f"there was no time for it ({seconds:g} s)"
    except locks.Busy as error:
        why = str(error)
    except OSError as error:
        why = f"{error.filename or 'the store'}: {error.strerror or error}"
    log.write(place.base, f"the work tree was not kept ({loop_id} {number}): {why}")
    return Taken(why=why)


def _kept(trees: TreeStore, place: Place, reading: WorkTree, title: str, last: str, until: float) -> Taken:
    """Raises Late, OSError."""
    index = Index(trees, reading, until)
    before = index.remembered()
    now = index.settle(before)
    then = None
    with suppress(Missing):
        if before.ref == last:
            then = before.tree, before.skipped
        elif last:
            then = trees.tree_of(last), notes_in(trees, last).skipped
    if last and then == (now.tree, now.skipped):
        ref = last
    else:
        notes = noted(reading, now.skipped) if title.endswith(f" {START}") else TreeNotes(now.skipped)
        ref = commit(trees, now.tree, notes, title)
    index.remember(now._replace(ref=ref))
    trees.name_it(ref_of(place, *title.split(" ")), ref)  # last: what could not be kept has no name
    return Taken(ref, now.skipped)


def path_of(place: Place, ref: str) -> str:
    """The store's folder where a tree was kept, else ""."""
    return os.path.join(place.base, GIT) if ref else ""


def tree_of(trees: TreeStore, reading: WorkTree, until: float, then: Collection[str] = ()) -> tuple[str, Skipped]:
    """A reading's tree, with all at paths of `then`, and what was skipped. Under the lock. Raises Late, OSError."""
    index = Index(trees, reading, until)
    now = index.settle(index.remembered())
    if then:
        there = trees.tree(now.tree).keys()
        known = {path.casefold(): path for path in there}

        def is_other(path: str) -> bool:  # and not one that is listed, by a name of other letter case
            listed = known.get(path.casefold())
            return listed is None or not _is_same(*(os.path.join(reading.root, one) for one in (path, listed)))

        # something else may lie there, or on the way there
        places = {place for path in then if path not in there for place in (*above(path), path)}
        if more := {*filter(is_other, places - there)}:
            return index.also(more), now.skipped
    return now.tree, now.skipped


def as_it_lies(trees: TreeStore, root: str, tree: Tree, since: str) -> Tree:
    """A tree with what lies at its paths now, where something was written since: git goes by an index, in which anybody
    may write that a file did not change. `since`: as in a loop, by the time that nobody can set. Raises OSError."""
    found = dict(tree)
    for path, entry in tree.items():
        full = os.path.join(root, path)
        try:
            info = os.lstat(full)
            if clock.iso(info.st_ctime) < since or info.st_size > LARGE or not stat.S_ISREG(info.st_mode):
                continue
            data = files.read(full, LARGE)
        except (FileNotFoundError, NotADirectoryError):
            del found[path]
        except (OSError, ValueError):
            continue  # the tree says what it was
        else:
            mode = "100755" if info.st_mode & stat.S_IXUSR else "100644"
            found[path] = Entry(mode, entry.name if is_blob(data, entry.name) else trees.write(data))
    return found


def _is_same(one: str, other: str) -> bool:
    with suppress(OSError, ValueError):
        return os.path.samefile(one, other)
    return False


def noted(reading: WorkTree, skipped: Skipped) -> TreeNotes:
    """What is to be known of a reading's tree."""
    ignored, over = worktree.ignored(reading.root), list[str]()
    if ignored is None:  # without git, what the walk passes over
        ignored = (*over,) if [*worktree.walk(reading.root, "", "", over)] else ()
    listed = reading.listing().files
    found = permissions(reading.root, (*listed, *folders(listed)))
    plain = [mode for mode in found.values() if mode and not int(mode, 8) & 0o111]
    usual = max(sorted({*plain}), key=plain.count, default="644")
    others = (one for one in found.items() if one[1] not in (usual, _runs(usual)))
    return TreeNotes(skipped, ignored, (("", usual), *others))


def permissions(root: str, paths: Iterable[str]) -> dict[str, str]:
    """Those of the files and folders that lie there; "" where they cannot be known."""
    found = dict[str, str]()
    for path in paths:
        mode = 0
        with suppress(OSError, ValueError):
            mode = os.lstat(os.path.join(root, path)).st_mode
        if not stat.S_ISLNK(mode):
            found[path] = f"{mode & 0o777:03o}" if mode else ""
    return found


def modes_of(notes: TreeNotes, tree: Tree) -> dict[str, str]:
    """The permissions that the files of a tree had, and the folders of these, as far as they were noted."""
    named = dict(notes.modes)
    if not (usual := named.get("")):
        return {}
    runs = _runs(usual)
    there = dict.fromkeys(folders(tree), runs)
    there |= {path: usual if one.mode == "100644" else runs for path, one in tree.items()}
    return {path: mode for path in there if (mode := named.get(path, there[path]))}


def _runs(mode: str) -> str:
    """The permissions of a program, or a folder, beside those of a usual file."""
    return f"{int(mode, 8) | (int(mode, 8) & 0o444) >> 2:03o}"


def commit(trees: TreeStore, tree: str, notes: TreeNotes, title: str) -> str:
    """A commit of a tree. Raises Late, OSError."""
    kinds = ((_SKIPPED, notes.skipped), (_IGNORED, notes.ignored), (_MODE, notes.modes))
    lines = [f"{kind}{json.dumps(one)}\n" for kind, those in kinds for one in those]
    return trees.commit(tree, "".join([f"{title}\n", "\n" if lines else "", *lines]))


def ref_of(place: Place, loop_id: str, number: str) -> str:
    return f"refs/untilgreen/{place.session}/{loop_id}/{number}"


def skipped(folder: str, root: str, commit: str) -> Skipped:
    """What was skipped when a commit of the store `folder` was kept, and why; nothing where it cannot be read."""
    with TreeStore(os.path.dirname(folder), root) as trees, suppress(Missing):
        return notes_in(trees, commit).skipped
    return ()


def changed(folder: str, root: str, one: str, other: str) -> tuple[str, ...]:
    """The files that differ between two commits of the store `folder`, by path; () where they cannot be read."""
    if one == other:  # the tree is that of the round before: no git to start
        return ()
    with TreeStore(os.path.dirname(folder), root) as trees, suppress(Late, OSError):
        return tuple(sorted(trees.changed(one, other)))
    return ()


def notes_in(trees: TreeStore, commit: str) -> TreeNotes:
    """What was noted when a commit was kept. Raises Missing."""
    lines = trees.read(commit).decode("ascii", "replace").partition("\n\n")[2].splitlines()

    def said(kind: str) -> list[Any]:
        return [json.loads(line[len(kind) :]) for line in lines if line.startswith(kind)]

    try:
        skipped, modes = (tuple((str(path), str(what)) for path, what in said(kind)) for kind in (_SKIPPED, _MODE))
        return TreeNotes(skipped, tuple(map(str, said(_IGNORED))), modes)
    except (ValueError, TypeError):
        raise Missing(errno.EINVAL, "is no snapshot of ours", commit) from None
