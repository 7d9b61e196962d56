"""The way back: the work tree of a loop's start or of a round, put in place of today's, or compared with another."""

import json
import os
import re
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress

from untilgreen.core import foreign
from untilgreen.core.errors import UserError, unwritten
from untilgreen.core.model.event import Place
from untilgreen.core.model.loop import Loop
from untilgreen.core.record import NamedTuple
from untilgreen.core.trees import Difference, Entry, Tree, above, below, differences, folders, with_modes
from untilgreen.core.verdict import attempts, progress
from untilgreen.core.words import brief
from untilgreen.project.tree import worktree
from untilgreen.state import locks, restoring, snapshots
from untilgreen.state.index import Skipped
from untilgreen.state.place import ASIDE
from untilgreen.state.trees import Late, Missing, TreeStore

NOW = "now"
_UNKEPT = Entry("100644", "")
_WAIT, _LONGEST = 30.0, 300.0  # seconds for the lock, and to read or keep the tree that is there now
_DIFF = ("diff", "--no-ext-diff", "--no-textconv", "--no-color", "--no-renames")
_COMMIT = re.compile(r"[0-9a-f]{40}\Z")
_BEFORE = "before-"  # a number follows: the tree that a rollback found


class Way(NamedTuple):
    """What a rollback is about to do, or did."""

    target: str  #: as it is told: "the start", "round 2", "before-1"
    differences: tuple[Difference, ...]
    left_alone: tuple[str, ...] = ()  #: not kept on one of the two sides, and so left alone
    before: str = ""  #: the name of the tree that was there, "" where nothing was done
    failed: tuple[restoring.Failure, ...] = ()
    aside: tuple[str, ...] = ()  #: where that lies which was there and is not in `before`


def diff(place: Place, loop: Loop, one: str, other: str) -> bytes:
    """The unified diff of two trees. `one`, `other`: words as of `go`, or "now". Raises UserError."""
    late = UserError("the work tree is too large to be read", "name two rounds")

    def tree(word: str) -> str:
        if word != NOW:
            return _named(store, loop, word)[1]
        return snapshots.tree_of(store, worktree.read(place.root, place.base), time.monotonic() + _LONGEST)[0]

    with _store(place, late, "name other rounds") as store:
        if not os.path.isdir(os.path.dirname(store.lock)):
            raise UserError("nothing was kept here yet", "begin a loop: untilgreen start")
        with locks.locked(store.lock, _WAIT):
            return _diff(store, tree(one), tree(other), _LONGEST)


def between(place: Place, one: str, other: str, seconds: float) -> bytes:
    """The same of two commits that are kept. `seconds`: for git. Raises UserError."""
    late = UserError("the two trees are too large to be compared in time", "begin another loop")
    with _store(place, late, "begin another loop") as store:
        return _diff(store, one, other, seconds)


def _diff(store: TreeStore, before: str, after: str, seconds: float) -> bytes:
    """The diff, which git makes of what it believes: what is in it is first read by its name. Raises Missing, Late."""
    for one in differences(store.tree(before), store.tree(after), lambda _: False):
        for entry in filter(None, (one.before, one.after)):
            store.read(entry.name)
    return store.ask(*_DIFF, before, after, until=time.monotonic() + seconds, reading=before)


def told(loop: Loop, way: Way) -> list[str]:
    """What was done, a line each."""
    if not way.differences:
        return [f"untilgreen: nothing differs from {way.target} of {loop.loop_id}", *alone(way)]
    done = brief.plural(len(way.differences) - len(way.failed), "file")
    lines = [f"untilgreen: {done} put back as in {way.target} of {loop.loop_id}", *alone(way)]
    lines += [f"was not kept before, and lies apart now: {', '.join(map(shown, way.aside))}"] if way.aside else []
    return [*lines, f"the files before that are kept: {attempts.rollback_command(loop, way.before)}"]


def alone(way: Way) -> list[str]:
    """What is left alone, as it was not kept."""
    return [f"left alone, as it was never kept: {', '.join(map(shown, way.left_alone))}"] if way.left_alone else []


def unfinished(way: Way) -> UserError:
    """The error of a rollback that did not get to its end."""
    path, why = way.failed[0]
    more = f", and {len(way.failed) - 1} more" if len(way.failed) > 1 else ""
    reason = f"{shown(path)} is not back yet{more}: {why}; every file is either the old one or the new one"
    return UserError(reason, "solve that, then run the same command again")


def shown(path: str) -> str:
    """A path on one line, as git quotes it where it must."""
    plain = foreign.one_line(path)
    return path if plain == path and not path.startswith('"') else json.dumps(path)


def typed(place: Place, loop: Loop, text: str) -> str:
    """Go back to what a slash command names, "" is the start; what was done. Raises UserError."""
    if len(text.split()) > 1:
        raise UserError("rollback takes start, best or the number of a round", "type one word, or none")
    way = go(place, loop, text.strip() or "start")
    failed = [str(unfinished(way))] if way.failed else []
    return "\n".join([*map(foreign.one_line, told(loop, way)), *failed])


def _named(store: TreeStore, loop: Loop, word: str) -> tuple[str, str]:
    """What a word names, as it is told, and its commit. Raises UserError."""
    known = {str(one.iteration): one.ref for one in loop.history.snapshots} | {"start": loop.start.start_ref}
    if word == "best":
        best = progress.best_round(loop)
        if not best:
            raise UserError(f"no round of {loop.loop_id} has a score", "give --to start, or the number of a round")
        word = str(best)
    if word.startswith(_BEFORE):
        names = {ref.rpartition("/")[2]: commit for ref, commit in _refs(store, loop)}
        known |= {name: commit for name, commit in names.items() if name.startswith(_BEFORE)}
    if word not in known:
        there = ", ".join(["start", *(str(one.iteration) for one in loop.history.snapshots if one.ref)])
        raise UserError(f"{loop.loop_id} has no round {foreign.one_line(word)}", f"give one of {there}, best")
    shown = "the start" if word == "start" else f"round {word}" if word.isdecimal() else word
    if not _COMMIT.match(known[word]):
        raise UserError(f"{shown} of {loop.loop_id} was not kept", "read untilgreen.log, it says why")
    return shown, known[word]


def _refs(store: TreeStore, loop: Loop) -> list[tuple[str, str]]:
    return [(ref, commit) for ref, commit in store.refs() if ref.split("/")[-2] == loop.loop_id]


@contextmanager
def _store(place: Place, late: UserError, fix: str, undone: str = "") -> Iterator[TreeStore]:
    """The kept trees. Faults become a UserError: `late` when time is up, `fix` where one is missing, with `undone`."""
    try:
        with TreeStore(place.base, place.root) as store:
            yield store
    except locks.Busy as error:
        raise UserError(f"{error}{undone}", "try again") from None
    except Late:
        raise late from None
    except Missing as error:
        raise UserError(f"{error.filename} {error.strerror}{undone}", fix) from None
    except OSError as error:
        raise unwritten(error) from None


def _known(store: TreeStore, loop: Loop, commit: str, then: Tree) -> tuple[snapshots.TreeNotes, dict[str, str]]:
    """What was noted of a tree, with what was ignored at the start; and its permissions, of a round's those of then.
    Raises Missing."""
    notes, begun, first = snapshots.notes_in(store, commit), snapshots.TreeNotes(), dict[str, Entry]()
    with suppress(Missing):
        begun, first = snapshots.notes_in(store, loop.start.start_ref), store.tree(loop.start.start_ref)
    same = {path: one for path, one in first.items() if then.get(path, one).mode == one.mode}
    modes = snapshots.modes_of(begun, same) | snapshots.modes_of(notes, then)
    return notes._replace(ignored=(*begun.ignored, *notes.ignored)), modes


def _unkept(root: str, skipped: Skipped, then: Tree, now: Tree) -> Iterator[str]:
    """What lies there, or on the way there, and is not kept now."""
    yield from (path for path, _ in skipped if path in then)
    for path in folders(then) - now.keys():
        if not os.path.isdir(full := os.path.join(root, path)) and os.path.lexists(full):
            yield path


def go(place: Place, loop: Loop, word: str, paths: Sequence[str] = (), *, act: bool = True) -> Way:
    """Do it, or say what would be done. `word`: "start", "best", a round's number, or "before-N"; `paths`: only these
    and what is below them, relative to the project. Raises UserError, and then nothing was done."""
    late = UserError("the work tree is too large to be kept first; nothing was changed", "name fewer files")
    with _store(place, late, "go back to another round", "; nothing was changed") as store:
        target, commit = _named(store, loop, word)
        with locks.locked(store.lock, _WAIT):
            reading = worktree.read(place.root, place.base)
            then = store.tree(commit)
            found, skipped = snapshots.tree_of(store, reading, time.monotonic() + _LONGEST, then)
            now = store.tree(found)
            now |= dict.fromkeys(_unkept(reading.root, skipped, then, now), _UNKEPT)
            notes, modes = _known(store, loop, commit, then)
            alone = {path for path, _ in skipped if path not in now}.union(path for path, _ in notes.skipped)
            ignored = frozenset(name.rstrip("/") for name in notes.ignored).difference(then)

            def left_alone(path: str) -> bool:
                was_ignored = path not in then and not ignored.isdisjoint((*above(path), path))
                there = path in alone or was_ignored or worktree.left_out(path, reading.aside)
                return there or not below(path, paths)

            modes_now = snapshots.permissions(reading.root, modes)
            wanted = differences(with_modes(now, modes_now), with_modes(then, modes), left_alone)
            way = Way(target, wanted, tuple(sorted(path for path in alone if below(path, paths))))
            if not act or not way.differences:
                return way
            numbers = [ref.rpartition(_BEFORE)[2] for ref, _ in _refs(store, loop) if f"/{_BEFORE}" in ref]
            name = f"{_BEFORE}{1 + max((int(number) for number in numbers if number.isdecimal()), default=0)}"
            notes = snapshots.noted(reading, skipped)
            kept = snapshots.commit(store, found, notes, f"{loop.loop_id} {name}")
            store.name_it(snapshots.ref_of(place, loop.loop_id, name), kept)
            aside = os.path.join(place.base, ASIDE, f"{loop.loop_id}-{name}")
            done = restoring.restore(store, reading.root, wanted, aside, modes)
            # git may ignore less than before that
            more = {path for path in worktree.files(reading.root) if path not in then and not left_alone(path)}
            left = tuple(sorted({*way.left_alone, *more}.difference(path for path, _ in done.failed)))
            return way._replace(before=name, left_alone=left, failed=done.failed, aside=done.aside)


def relative(root: str, path: str, folder: str) -> str:
    """A path that was given in a folder, relative to the project. Raises UserError where it is outside."""
    full = os.path.normpath(os.path.join(folder, path))
    real = os.path.join(os.path.realpath(os.path.dirname(full)), os.path.basename(full))
    inner = os.path.relpath(real, os.path.realpath(root))
    if inner == os.pardir or inner.startswith(os.pardir + os.sep):
        raise UserError(f"{path} is outside of {root}", "name a file of the project")
    return "" if inner == os.curdir else inner.replace(os.sep, "/")
