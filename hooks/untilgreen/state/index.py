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

from untilgreen.core.record import NamedTuple
from untilgreen.core.trees import above
from untilgreen.core.verdict.identity import blake2b
from untilgreen.project import files
from untilgreen.project.tree import worktree
from untilgreen.project.tree.worktree import WorkTree
from untilgreen.state import store
from untilgreen.state.trees import Late, Missing, TreeStore

_LARGEST = 64 * 1024 * 1024  # bytes of what is remembered
_AT_ONCE = 4096  # files that one git is told of: where time runs out, what was done is kept
_SHA1 = 40  # digits of a name
_UNREADABLE = "it cannot be read"
_TOO_LARGE = f"it is larger than {worktree.LARGE // 1024 // 1024} MB"
# how a path lies there: to be kept, not at all, though it counts as gone, as something that is no file
_KEPT, _GONE, _AWAY, _OTHER = "kept", "gone", "away", "other"

# paths, each with why
Skipped = tuple[tuple[str, str], ...]


class Settled(NamedTuple):
    """What is remembered of a tree."""

    head: str | None = None  #: the name of HEAD's tree then, as in `WorkTree`
    found: frozenset[str] = frozenset()  #: what differed from it
    large: frozenset[str] = frozenset()  #: files of HEAD that did not change and are too large to be looked into
    skipped: Skipped = ()
    tree: str = ""
    ref: str = ""  #: the commit, "" where there is nothing to go on from


class Index:
    """The index of a reading's project, in our store. Only under the store's lock.

    `until`: of time.monotonic.
    """

    def __init__(self, trees: TreeStore, reading: WorkTree, until: float) -> None:
        self._trees, self._reading, self._until = trees, reading, until
        self._path = _path(trees, reading.root)
        self._memory = f"{self._path}.json"
        self._folders: dict[str, bool] = {}
        self._seed = reading.plain

    def settle(self, before: Settled) -> Settled:
        """Make it the reading's; its tree, and what was skipped. `before`: `remembered`. Raises Late, OSError."""
        with suppress(FileNotFoundError):
            os.unlink(f"{self._path}.lock")  # of a git that was killed: the store is ours
        try:
            return self._settled(before)
        except OSError:  # it is of a store that lost something, or torn: begin afresh
            with suppress(FileNotFoundError):
                os.unlink(self._path)
            self._seed = ""
            return self._settled(Settled())

    def _settled(self, before: Settled) -> Settled:
        head, kinds = self._reading.head, {os.fsdecode(one[1]): one[0] for one in self._reading.records}
        if head is not None:
            del kinds[head]  # the first record's
        found = frozenset(path for path, kind in kinds.items() if path and kind != b"walk")
        away = {path for path, kind in kinds.items() if path and kind in (b"gone", b"walk")}
        if before.ref and before.head == head and found.issuperset(before.found):
            # where nothing is converted, the reading says of each file whether it is another
            touched = found if self._reading.plain else frozenset(self._listed("-m", "-d"))
            large = before.large - found
            looked_at = found.union(touched, (path for path, _ in before.skipped))
        else:
            looked_at, touched, large = self._all(head, found, before.large - found)
            before = Settled(large=before.large)
        self._tell("--force-remove", before.large & found)  # git was told to take them for unchanged
        taken, dropped, skipped = self._looked(looked_at | touched, touched, away)
        unknown = dict(before.skipped)
        dropped = [path for path in dropped if path not in unknown]
        self._tell("--force-remove", dropped)
        self._tell("--add --remove --replace", taken)
        tree = before.tree
        if dropped or taken or not tree:
            tree = self._ask("write-tree", reading="a file").decode().strip()
        return Settled(head, found, large, tuple(sorted(skipped.items())), tree)

    def _all(
        self, head: str | None, found: frozenset[str], large: frozenset[str]
    ) -> tuple[frozenset[str], frozenset[str], frozenset[str]]:
        """All paths to look at, those that may be in the index and are others there, and HEAD's that stay for their
        size: git has them, and calls them unchanged."""
        if head and len(head) == _SHA1:
            self._trees.borrow()
            is_known = self._begins()
            with suppress(Missing):
                self._ask("read-tree", "--reset", head, reading=head)
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
        """Take over what the project's index knows of its files, where we know nothing, so that none of them is read;
        whether something is known now. Raises OSError."""
        if os.path.exists(self._path) or not self._seed:
            return os.path.exists(self._path)
        with suppress(FileNotFoundError, ValueError):
            written = os.stat(self._seed).st_mtime_ns
            store.write_bytes(self._path, files.read(self._seed, _LARGEST), durable=False)
            os.utime(self._path, ns=(written, written))  # a file that is not older is looked into
            return True
        return False

    def _is_large(self, path: str) -> bool:
        try:
            return os.lstat(os.path.join(self._reading.root, path)).st_size > worktree.LARGE
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
        """The paths that git is to look at, those that it is to forget, and what is skipped, with why.

        It is told of nothing that it does not know (`touched`): it would make trees anew that the project has.
        """
        taken, dropped, skipped = [], [], {}
        for path in sorted(paths):
            if worktree.left_out(path, self._reading.aside):
                continue
            how = self._how(path, away)
            if how == _KEPT or (how == _GONE and path in touched):
                taken.append(path)
            elif path in touched or how == _AWAY:
                dropped.append(path)
            if how not in (_KEPT, _GONE, _AWAY, _OTHER):
                skipped[path] = how
        return taken, dropped, skipped

    def _how(self, path: str, away: set[str]) -> str:
        if time.monotonic() > self._until:
            raise Late
        full = os.path.join(self._reading.root, path)
        try:
            if not worktree.in_place(self._reading.root, path, self._folders):
                return _GONE if self._folders[path.rpartition("/")[0]] else _OTHER
            info = os.lstat(full)
        except (OSError, ValueError):
            return _UNREADABLE
        if path in away and not stat.S_ISDIR(info.st_mode):
            return _AWAY
        if stat.S_ISLNK(info.st_mode):
            return _KEPT
        if not stat.S_ISREG(info.st_mode):
            return _OTHER
        if info.st_size > worktree.LARGE:
            return _TOO_LARGE
        return _KEPT if os.access(full, os.R_OK) else _UNREADABLE

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
        with suppress(OSError, ValueError, KeyError, TypeError, RecursionError):
            kept = json.loads(files.read(self._memory, _LARGEST))
            if kept["stamp"] != self._stamp():
                return Settled()
            skipped = tuple((str(path), str(why)) for path, why in kept["skipped"])
            found, large = frozenset(kept["found"]), frozenset(kept["large"])
            return Settled(kept["head"], found, large, skipped, kept["tree"], kept["ref"])
        return Settled()

    def remember(self, memory: Settled) -> None:
        """Go on from this tree the next time. Raises OSError."""
        kept = memory._asdict() | {"stamp": self._stamp(), "found": sorted(memory.found), "large": sorted(memory.large)}
        store.write_text(self._memory, json.dumps(kept, separators=(",", ":")), durable=False)

    def _stamp(self) -> list[int]:
        """What is remembered stands for the index that was there then alone. Raises OSError."""
        info = os.stat(self._path)
        return [info.st_ino, info.st_size, info.st_mtime_ns]


def _path(trees: TreeStore, root: str) -> str:
    return trees.path(f"index-{blake2b(os.fsencode(root), digest_size=8).hexdigest()}")


def keep_one(trees: TreeStore) -> str:
    """The path of the index of the store's own project; those of others are deleted. Raises OSError."""
    path = _path(trees, os.path.realpath(trees.root))
    for name in os.listdir(trees.folder):
        if name.startswith("index") and not trees.path(name).startswith(path):
            os.unlink(trees.path(name))
    return path


def in_the_way(paths: Iterable[str]) -> set[str]:
    """The paths, and the folders on the way to them, where something else may lie."""
    return {path for one in paths for path in (*above(one), one)}
