"""An index of our own for a project's files: what did not change since the last tree is not read again.

It holds each file as it lies on the disk. The reading that the fingerprint is made of says what differs from the
project's newest commit; what differs though the project's git calls it unchanged (line ends, keywords) git finds here.
"""

import json
import os
import stat
import time
from collections.abc import Collection, Iterable
from contextlib import suppress

from untilgreen.core import document
from untilgreen.core.record import NamedTuple
from untilgreen.project import files
from untilgreen.project.tree import worktree
from untilgreen.project.tree.contents import LARGE
from untilgreen.project.tree.worktree import WorkTree
from untilgreen.state import noted, store
from untilgreen.state.trees import Late, Missing, TreeStore

_LARGEST = 64 * 1024 * 1024  # bytes of what is remembered
_AT_ONCE = 1024  # files that one git is told of: where time runs out, what was done is kept
_SHA1 = 40  # digits of a name
_UNREADABLE = "it cannot be read"
_TOO_LARGE = f"it is larger than {LARGE // 1024 // 1024} MB"
# why a path is not kept, that nobody is told: no file lies there; one does, and counts as gone
_NO_FILE, _AWAY = "no file", "away"

# paths, each with why
Skipped = tuple[tuple[str, str], ...]


class Settled(NamedTuple):
    """What is remembered of a tree."""

    head: str | None = None  #: the name of HEAD's tree then, as in `WorkTree`
    found: str = ""  #: what differed from it, NULs between
    large: tuple[str, ...] = ()  #: files of HEAD that did not change and are too large to be looked into
    skipped: Skipped = ()
    tree: str = ""
    ref: str = ""  #: the commit, "" where there is nothing to go on from
    stamp: str = ""  #: of the index that was there then: this stands for it alone


class Index:
    """The index of a reading's project, in our store, `until` that monotonic time. Only under the store's lock."""

    def __init__(self, trees: TreeStore, reading: WorkTree, until: float) -> None:
        self._trees, self._reading, self._until = trees, reading, until
        self._path = noted.index_of(os.path.dirname(trees.folder), reading.root)
        self._memory, self._based = f"{self._path}.json", f"{self._path}.based"
        self._folders: dict[str, bool] = {}
        self._seed = reading.plain

    def settle(self, before: Settled) -> Settled:
        """Make it the reading's; its tree, and what was skipped. `before`: `remembered`. Raises Late, OSError."""
        with suppress(FileNotFoundError):
            os.unlink(f"{self._path}.lock")  # of a git that was killed: the store is ours
        try:
            return self._settled(before)
        except OSError:  # it is of a store that lost something, or torn: begin afresh
            for path in (self._based, self._path):
                with suppress(FileNotFoundError):
                    os.unlink(path)
            self._seed = ""
            return self._settled(Settled())

    def _settled(self, before: Settled) -> Settled:
        head = self._reading.head
        records = self._reading.records[head is not None :]  # the first is HEAD
        names = b"\0".join([one[1] for one in records if one[0] != b"walk"])  # decoded at once: there may be many
        found = frozenset(filter(None, os.fsdecode(names).split("\0")))
        away = {os.fsdecode(one[1]) for one in records if one[0] in (b"gone", b"walk")}
        vanished = frozenset(before.found.split("\0") if before.found else ()) - found
        if before.ref and before.head == head and vanished.isdisjoint(self._reading.tracked() if vanished else ()):
            away |= vanished  # none is as in HEAD again
            is_noted = self._reading.before.get(b"", b"").decode() == before.stamp
            others = vanished | (found - self._reading.same if is_noted else found)
            # where nothing is converted, the reading says of each file whether it is another
            touched = others if self._reading.plain else frozenset(self._listed("-m", "-d"))
            large = frozenset(before.large) - found
            looked_at, tree = others.union(touched, (path for path, _ in before.skipped)), before.tree
        else:
            looked_at, touched, large = self._all(head, found, frozenset(before.large) - found)
            tree = ""
        self._tell("--force-remove", found.intersection(before.large))  # git was told to take them for unchanged
        taken, dropped, skipped = self._looked(looked_at | touched, touched, away)
        self._tell("--force-remove", dropped)
        self._tell("--add --remove --replace", taken)
        if dropped or taken or not tree:
            tree = self._ask("write-tree", reading="a file").decode().strip()
        return Settled(head, "\0".join(sorted(found)), tuple(sorted(large)), tuple(sorted(skipped.items())), tree)

    def _all(
        self, head: str | None, found: frozenset[str], large: frozenset[str]
    ) -> tuple[frozenset[str], frozenset[str], frozenset[str]]:
        """All paths to look at; those that may be others in the index; those of HEAD that are too large."""
        if head and len(head) == _SHA1:
            self._trees.borrow()
            is_known = self._begins()
            with suppress(Missing):
                if not (is_known and self._goes_on(head, found)):
                    self._ask("read-tree", "--reset", head, reading=head)
                    store.write_text(self._based, head, durable=False)
                if not is_known:
                    large = frozenset(path for path in self._listed() if path not in found and self._is_large(path))
                    self._tell("--assume-unchanged", large)
                if self._reading.plain:
                    return found, found, large
                self._ask("update-index", "-q", "--refresh")
                return found, frozenset(self._listed("-m", "-d")), large
        there = found.union(worktree.files(self._reading.root) if head else ())
        listed = frozenset(self._listed())
        self._tell("--force-remove", listed - there)
        return there, listed & there, frozenset()

    def _begins(self) -> bool:
        """Know what the project's index knows, where we know nothing; whether we know anything. Raises OSError."""
        if os.path.exists(self._path) or not self._seed:
            return os.path.exists(self._path)
        with suppress(FileNotFoundError, ValueError):
            written = os.stat(self._seed).st_mtime_ns
            store.write_bytes(self._path, files.read(self._seed, _LARGEST), durable=False)
            os.utime(self._path, ns=(written, written))  # a file that is not older is looked into
            return True
        return False

    def _goes_on(self, head: str, found: frozenset[str]) -> bool:
        """Whether the index is this tree with some of what differs from it: time ran out, and what was done is kept."""
        with suppress(OSError, ValueError):
            if files.read(self._based, _SHA1) == head.encode():
                changed = self._ask("diff-index", "--cached", "--name-only", "--no-renames", "-z", head)
                return found.issuperset(map(os.fsdecode, filter(None, changed.split(b"\0"))))
        return False

    def _is_large(self, path: str) -> bool:
        try:
            return os.lstat(os.path.join(self._reading.root, path)).st_size > LARGE
        except (OSError, ValueError):
            return False

    def _ask(self, *words: str, reading: str = "") -> bytes:
        return self._trees.ask(*words, index=self._path, until=self._until, reading=reading)

    def also(self, paths: Iterable[str]) -> str:
        """The name of the tree with all that lies at these paths, too. Raises Late, OSError."""
        self._tell("--add --remove --replace", self._looked(paths, frozenset(), set())[0])
        return self._ask("write-tree").decode().strip()

    def _looked(
        self, paths: Iterable[str], touched: Collection[str], away: set[str]
    ) -> tuple[list[str], list[str], dict[str, str]]:
        """Paths to look at, those to forget (of `touched`: of others git makes trees anew), and what is skipped."""
        taken, dropped, skipped = [], [], {}
        for path in sorted(paths):
            if worktree.left_out(path, self._reading.aside):
                continue
            why = self._why_not(path, away)
            if not why:
                taken.append(path)
            elif path in touched or why == _AWAY:
                dropped.append(path)
            if why not in ("", _NO_FILE, _AWAY):
                skipped[path] = why
        return taken, dropped, skipped

    def _why_not(self, path: str, away: set[str]) -> str:
        """Why what lies at a path is not kept; "" where it is."""
        if time.monotonic() > self._until:
            raise Late
        full = os.path.join(self._reading.root, path)
        try:
            if not worktree.in_place(self._reading.root, path, self._folders):
                return _NO_FILE
            info = os.lstat(full)
        except (OSError, ValueError):
            return _UNREADABLE
        if path in away and not stat.S_ISDIR(info.st_mode):
            return _AWAY
        if stat.S_ISLNK(info.st_mode):
            return ""
        if not stat.S_ISREG(info.st_mode):
            return _NO_FILE
        if info.st_size > LARGE:
            return _TOO_LARGE
        return "" if os.access(full, os.R_OK) else _UNREADABLE

    def _listed(self, *words: str) -> list[str]:
        return self._trees.paths(*words, index=self._path, until=self._until)

    def _tell(self, words: str, paths: Iterable[str]) -> None:
        """Let `update-index` do it with these paths. Raises Late, OSError."""
        ordered = sorted(paths)
        for start in range(0, len(ordered), _AT_ONCE):
            told = b"".join(os.fsencode(path) + b"\0" for path in ordered[start : start + _AT_ONCE])
            words_ = ("update-index", *words.split(), "-z", "--stdin")
            self._trees.ask(*words_, told=told, index=self._path, until=self._until)

    def remembered(self) -> Settled:
        """What was remembered last; nothing where that cannot be read."""
        kept = store.read_record(Settled, self._memory, _LARGEST)
        return kept if kept and kept.stamp == noted.stamp(self._path) else Settled()

    def remember(self, memory: Settled) -> None:
        """Go on from this tree the next time. Raises OSError."""
        kept = document.dump(memory._replace(stamp=noted.stamp(self._path)))
        store.write_text(self._memory, json.dumps(kept, separators=(",", ":")), durable=False)
        noted.keep(self._path, self._reading)


def keep_one(trees: TreeStore) -> str:
    """The path of the index of the store's own project; those of others are deleted. Raises OSError."""
    path = noted.index_of(os.path.dirname(trees.folder), os.path.realpath(trees.root))
    for name in os.listdir(trees.folder):
        if name.startswith("index") and not trees.path(name).startswith(path):
            os.unlink(trees.path(name))
    return path
