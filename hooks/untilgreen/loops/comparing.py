"""Two work trees of a loop side by side, as git prints them."""

import time

from untilgreen.core.errors import UserError, unwritten
from untilgreen.core.model.event import Place
from untilgreen.core.model.loop import Loop
from untilgreen.loops import rollback
from untilgreen.project.tree import worktree
from untilgreen.state import locks, snapshots
from untilgreen.state.trees import Late, Missing, TreeStore

NOW = "now"
_WAIT, _LONGEST = 30.0, 300.0  # seconds for the lock, and to read the tree that is there now
_GIT = ("diff", "--no-ext-diff", "--no-textconv", "--no-color", "--no-renames")


def diff(place: Place, loop: Loop, one: str, other: str) -> bytes:
    """The unified diff. `one`, `other`: words of `rollback.tree`, or "now". Raises UserError."""
    try:
        with TreeStore(place.base, place.root) as trees, locks.locked(trees.lock, _WAIT):
            before, after = (_tree(trees, place, loop, word) for word in (one, other))
            return _diff(trees, before, after, _LONGEST)
    except FileNotFoundError:
        raise UserError("nothing was kept here yet", "begin a loop: untilgreen start") from None
    except locks.Busy as error:
        raise UserError(str(error), "try again") from None
    except Late:
        raise UserError("the work tree is too large to be read", "name two rounds") from None
    except Missing as error:
        raise UserError(f"{error.filename} {error.strerror}", "name other rounds") from None
    except OSError as error:
        raise unwritten(error) from None


def between(place: Place, one: str, other: str, seconds: float) -> bytes:
    """The same of two commits that are kept. `seconds`: for git. Raises UserError."""
    try:
        with TreeStore(place.base, place.root) as trees:
            return _diff(trees, one, other, seconds)
    except Late:
        raise UserError("the two trees are too large to be compared in time", "begin another loop") from None
    except Missing as error:
        raise UserError(f"{error.filename} {error.strerror}", "begin another loop") from None
    except OSError as error:
        raise unwritten(error) from None


def _diff(trees: TreeStore, before: str, after: str, seconds: float) -> bytes:
    return trees.ask(*_GIT, before, after, until=time.monotonic() + seconds, reading=before)


def _tree(trees: TreeStore, place: Place, loop: Loop, word: str) -> str:
    if word != NOW:
        return rollback.tree(trees, loop, word)[1]
    reading = worktree.read(place.root, place.base)
    return snapshots.tree_of(trees, reading, time.monotonic() + _LONGEST)[0]
