"""Two work trees of a loop side by side, as git prints them: by git where it is, else by Python."""

import difflib
import os
import time
from collections.abc import Iterator

from untilgreen.core.errors import UserError, unwritten
from untilgreen.core.model.event import Place
from untilgreen.core.model.loop import Loop
from untilgreen.core.model.tree import Entry
from untilgreen.core.trees import differences
from untilgreen.loops import rollback
from untilgreen.project.tree import git, worktree
from untilgreen.state import locks, snapshots
from untilgreen.state.objects import Missing, Objects

NOW = "now"
_WAIT, _LONGEST = 30.0, 300.0  # seconds for the lock, and to read the tree that is there now
_GIT = ("diff", "--no-ext-diff", "--no-textconv", "--no-color", "--no-renames")


def diff(place: Place, loop: Loop, one: str, other: str) -> bytes:
    """The unified diff. `one`, `other`: words of `rollback.tree`, or "now". Raises UserError."""
    try:
        with Objects(place.base, place.root) as store, locks.locked(snapshots.lock_of(store), _WAIT):
            before, after = (_tree(store, place, loop, word) for word in (one, other))
            return _diff(store, place.root, before, after, _LONGEST)
    except FileNotFoundError:
        raise UserError("nothing was kept here yet", "begin a loop: untilgreen start") from None
    except locks.Busy as error:
        raise UserError(str(error), "try again") from None
    except snapshots.Late:
        raise UserError("the work tree is too large to be read", "name two rounds") from None
    except Missing as error:
        raise UserError(f"{error.filename} {error.strerror}", "name other rounds") from None
    except OSError as error:
        raise unwritten(error) from None


def between(place: Place, one: str, other: str, seconds: float) -> bytes:
    """The same of two commits that are kept. `seconds`: for git. Raises UserError."""
    try:
        with Objects(place.base, place.root) as store:
            return _diff(store, place.root, store.tree_of(one), store.tree_of(other), seconds)
    except Missing as error:
        raise UserError(f"{error.filename} {error.strerror}", "begin another loop") from None
    except OSError as error:
        raise unwritten(error) from None


def _diff(store: Objects, root: str, before: str, after: str, seconds: float) -> bytes:
    code, text = git.end(git.start(root, f"--git-dir={store.folder}", *_GIT, before, after), seconds)
    return text if code == 0 else b"".join(_by_python(store, before, after))


def _tree(store: Objects, place: Place, loop: Loop, word: str) -> str:
    if word != NOW:
        return store.tree_of(rollback.tree(store, loop, word)[1])
    reading = worktree.read(place.root, place.base)
    return snapshots.tree_of(store, reading, time.monotonic() + _LONGEST)[0]


def _by_python(store: Objects, before: str, after: str) -> Iterator[bytes]:
    for one in differences(store.tree(before), store.tree(after), lambda _: False):
        path = os.fsencode(one.path)
        names = [b"a/" + path if one.before else b"/dev/null", b"b/" + path if one.after else b"/dev/null"]
        yield b"diff --git a/%s b/%s\n" % (path, path)
        yield from _modes(one.before, one.after)
        texts = [store.read(entry.name) if entry else b"" for entry in (one.before, one.after)]
        if texts[0] == texts[1]:
            continue
        if any(b"\0" in text for text in texts):
            yield b"Binary files %s and %s differ\n" % (names[0], names[1])
            continue
        old, new = (text.splitlines(keepends=True) for text in texts)
        for line in difflib.diff_bytes(difflib.unified_diff, old, new, names[0], names[1]):
            yield line if line.endswith(b"\n") else line + b"\n\\ No newline at end of file\n"


def _modes(before: Entry | None, after: Entry | None) -> Iterator[bytes]:
    if before and after and before.mode != after.mode:
        yield f"old mode {before.mode}\nnew mode {after.mode}\n".encode()
    elif not before and after:
        yield f"new file mode {after.mode}\n".encode()
    elif before and not after:
        yield f"deleted file mode {before.mode}\n".encode()
