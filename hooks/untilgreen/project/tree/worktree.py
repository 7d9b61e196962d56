"""The project as files: which there are, and whether any of them changed.

Git knows what is ignored and what differs from HEAD, so a few short processes spare reading the whole tree. They run
no filter and enter no submodule: those are programs and settings of somebody else. Where git is missing, refuses
(another user owns the folder), takes too long or has no repository here, the tree is walked and size and time stand
for the content.
"""

import os
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import chain

from untilgreen.core.record import NamedTuple
from untilgreen.core.trees import Entry
from untilgreen.core.verdict.identity import blake2b
from untilgreen.project.toplevel import main_tree
from untilgreen.project.tree import git
from untilgreen.project.tree.contents import Contents, Record, is_entry

# what our own checks leave behind, and our own state: never a change
_LITTER = frozenset(
    {".untilgreen", "__pycache__", ".pytest_cache", ".mypy_cache", ".ruff_cache", ".coverage", ".hypothesis"}
)
# what a listing with litter in it holds somewhere; most hold none
_SIGNS = (*(f"{name}{end}" for name in sorted(_LITTER) for end in ("\0", "/")), ".pyc\0", ".pyc/\0", ".coverage.")
_PASSED_OVER = frozenset({".git", "node_modules", ".tox", ".nox", ".direnv", ".eggs"})

_STATUS = ("status", "--porcelain=v1", "-z", "--untracked-files=all", "--no-renames", "--ignore-submodules=all")
_FILTERED = ("ls-files", "-z", "--", ":(exclude,attr:!filter)")
_HEAD = ("rev-parse", "--show-prefix", "HEAD^{tree}", "--git-path", "index")
_INDEX = ("ls-files", "-s", "-v", "-z")
_SUBMODULE = "160000 "
# how git marks entries that it looks at; any other is of a file that it was told to take for unchanged
_LOOKED_AT = ("H", "M", "R", "C", "K", "")


class Listing(NamedTuple):
    """The names of the project's files, as `files` and `changed` tell them."""

    files: tuple[str, ...]
    changed: tuple[str, ...]


class WorkTree(NamedTuple):
    """The work tree as it was read at one moment."""

    root: str  #: its real path
    aside: str  #: a folder in it that does not count, relative to it; "" where there is none
    records: tuple[Record, ...]
    plain: str = ""  #: the path of git's index, where it says of each file what lies there byte for byte; else ""
    said: tuple[str, Mapping[str, str]] | None = None  #: git's index, and status by path; None where it has no say
    notes: Mapping[bytes, bytes] = {}  #: of the files that were read, for the next reading: see `contents.Contents`
    before: Mapping[bytes, bytes] = {}  #: those with which it began
    same: frozenset[str] = frozenset()  #: the files of which these spoke as they are

    def listing(self) -> Listing:
        """Which files there were, without asking git again."""
        if self.said is None:
            return Listing(files(self.root), changed(self.root))
        index, entries = self.said
        sure, unsure = set[str](), set[str]()
        for entry in index.split("\0"):
            is_seen = entry[:1] in _LOOKED_AT and entry[2:9] != _SUBMODULE  # by git, which says where nothing lies
            (sure if is_seen else unsure).add(entry.partition("\t")[2])
        for path, how in entries.items():
            (sure if how == "??" and path[-1] != "/" else unsure).add(path)
        sure -= unsure
        sure.discard("")
        if _has_litter(index, entries):
            sure = {path for path in sure if not left_out(path, "")}
        return Listing(tuple(sorted(sure.union(_there(self.root, unsure)))), _not_deleted(entries))

    def tracked(self) -> set[str]:
        """The paths in git's index."""
        return {one.partition("\t")[2] for one in self.said[0].split("\0")} if self.said else set()

    @property
    def head(self) -> str | None:
        """The name of HEAD's tree, from which the records differ; "" without a commit, None where git has no say."""
        first = self.records[0]
        return first[1].decode("ascii") if first[0] == b"git" else None

    @property
    def fingerprint(self) -> str:
        """A value of the content."""
        # no field holds a NUL, and each kind has its number of fields: none can pass for a part of another record
        return blake2b(b"\0".join(chain.from_iterable(self.records)), digest_size=20).hexdigest()


def read(root: str, skip: str = "", notes: Mapping[bytes, bytes] = {}) -> WorkTree:
    """HEAD's tree, and what differs from it or is untracked.

    `skip`: a folder that does not count; `notes`: those of a reading before this one, which spare opening files. A
    symbolic link goes by the name of its target. Files with a filter (of git-lfs, git-crypt), submodules and
    repositories in this one go by size and time. What git was told to take for unchanged is looked at. Never raises: a
    file that cannot be read counts as just that.
    """
    root = os.path.realpath(root)
    aside = os.path.relpath(os.path.realpath(skip), root).replace(os.sep, "/") if skip else ""
    contents = Contents(root, notes)
    records, plain, said = _by_git(contents, aside) or (_by_walk(contents, "", aside), "", None)
    return WorkTree(root, aside, tuple(records), plain, said, contents.notes, notes, frozenset(contents.same))


def fingerprint(root: str, skip: str = "") -> str:
    """A value of the work tree's content, as `read` finds it: staging changes nothing, committing does."""
    return read(root, skip).fingerprint


def files(root: str) -> tuple[str, ...]:
    """The project's files: posix paths relative to the root, sorted, without ignored ones; neither other work trees and
    repositories in it nor what lies behind a link to a folder. Names that are not UTF-8 hold surrogates."""
    root = os.path.realpath(root)
    code, listed = git.end(git.start(root, "ls-files", "-z", "--cached", "--others", "--exclude-standard"))
    if code != 0:
        return tuple(sorted(walk(root, "", "", [])))
    return _there(root, {os.fsdecode(name) for name in listed.split(b"\0")})


def ignored(root: str) -> tuple[str, ...] | None:
    """The files and, with a slash at their ends, whole folders that git ignores; None where it has no say."""
    words = ("ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory")
    code, listed = git.end(git.start(root, *words))
    return tuple(os.fsdecode(name) for name in listed.split(b"\0") if name) if code == 0 else None


def unnamed(paths: Iterable[str], words: Iterable[str], folder: str) -> tuple[str, ...]:
    """Of such paths those that no word names, nor anything in them; the words are said in this folder."""
    said = [os.path.normpath(os.path.join(folder, word.partition("::")[0])) for word in words]
    return tuple(path for path in paths if not any(f"{one}/".startswith(f"{path.rstrip('/')}/") for one in said))


def _there(root: str, names: set[str]) -> tuple[str, ...]:
    """The names with a file or a link in a folder that is no link: git lists what it tracked before that became one."""
    known: dict[str, bool] = {}
    found = []
    for path in sorted(filter(None, names)):
        full = os.path.join(root, path)
        if not left_out(path, "") and in_place(root, path, known) and (os.path.islink(full) or not os.path.isdir(full)):
            found.append(path)
    return tuple(found)


def changed(root: str) -> tuple[str, ...]:
    """The files that differ from the newest commit (also by a filter alone) or are new; none where git cannot say."""
    options, _ = git.unfiltered(root)
    code, status = git.end(git.start(root, *options, *_STATUS)) if options is not None else (-1, b"")
    return _not_deleted(_entries(status)) if code == 0 else ()


def _not_deleted(entries: Mapping[str, str]) -> tuple[str, ...]:
    away = {how for how in {*entries.values()} if _is_deletion(how)}
    return tuple(path for path, how in entries.items() if how not in away)


def _entries(status: bytes) -> dict[str, str]:
    """The paths that git's status lists, and how each differs."""
    return {entry[3:]: entry[:2] for entry in os.fsdecode(status).split("\0") if entry}


def _by_git(contents: Contents, aside: str) -> tuple[Iterator[Record], str, tuple[str, dict[str, str]]] | None:
    """The records, `WorkTree.plain` and `said`; None where git cannot say."""
    root = contents.root
    # side by side: each takes longer to begin than to run
    head_of, index_of = git.start(root, *_HEAD), git.start(root, *_INDEX)
    options, converts = git.unfiltered(root)
    status_of = git.start(root, *options, *_STATUS) if options is not None else None
    (born, head), (listed, index) = git.end(head_of), git.end(index_of)
    indexed = os.fsdecode(index)
    tracked = _tracked(root, indexed, filters=bool(options)) if listed == 0 else None
    code, status = git.end(status_of)
    # not git's, or in a repository that begins further up
    if code != 0 or tracked is None or not head.startswith(b"\n"):
        return None
    lines = head.split(b"\n") if born == 0 else [b"", b"", b""]  # no commit yet
    is_plain = not (converts or options or tracked.believed or b".gitattributes" in index + status)
    is_plain = is_plain and not any(map(os.path.exists, git.attributes(root)))
    path = os.path.join(root, os.fsdecode(b"\n".join(lines[2:-1]))) if is_plain and lines[1] else ""
    entries = _entries(status)
    return _changed(contents, lines[1], entries, tracked, aside), path, (indexed, entries)


class _Tracked(NamedTuple):
    """What git's word is not enough for."""

    timed: frozenset[str]  #: goes by size and time: submodules, and files with a filter
    believed: dict[str, Entry]  #: what git was told to take for unchanged, as the index has it


def _tracked(root: str, index: str, *, filters: bool) -> _Tracked | None:
    """None where git cannot say.

    Git compares only files whose time is new, and without its filter each of those differs: a refresh of the index,
    by whomever, would be a change.
    """
    told, filtered = git.end(git.start(root, *_FILTERED)) if filters else (0, b"")
    if told != 0:
        return None
    submodules, believed = [], {}
    for entry in index.split("\0"):
        if entry[2:9] == _SUBMODULE:
            submodules.append(entry.partition("\t")[2])
        elif entry[:1] not in _LOOKED_AT:
            words, _, path = entry.partition("\t")
            believed[path] = Entry(*words.split()[1:3])
    return _Tracked(frozenset(filter(None, (*submodules, *os.fsdecode(filtered).split("\0")))), believed)


def _changed(
    contents: Contents, tree: bytes, changes: dict[str, str], tracked: _Tracked, aside: str
) -> Iterator[Record]:
    yield b"git", tree
    root, folders = contents.root, dict[str, bool]()
    away = {how for how in {*changes.values()} if _is_deletion(how)}
    paths = tracked.timed.union(changes, tracked.believed)
    may_be_out = aside not in ("", ".untilgreen") or _has_litter("", paths)
    ordered = sorted(paths)
    for path, name in zip(ordered, os.fsencode("\0".join(ordered)).split(b"\0"), strict=False):
        if may_be_out and left_out(path, aside):
            continue
        if changes[path] in away if path in changes else not in_place(root, path, folders):
            yield b"gone", name
        elif (record := contents.of(path, name, timed=path in tracked.timed))[0] == b"folder":
            if not main_tree(os.path.join(root, path)):  # a linked work tree here is another session's
                yield from _by_walk(contents, path.rstrip("/"), aside)
        elif path in changes or path in tracked.timed or not is_entry(root, path, tracked.believed[path]):
            yield record


def _is_deletion(code: str) -> bool:
    """The file is away. Of the conflicts only "both deleted": the others left a version in the tree."""
    return code in ("D ", "DD") or (code[1:] == "D" and code[:1] != "U")


def _by_walk(contents: Contents, start: str, aside: str) -> Iterator[Record]:
    yield b"walk", os.fsencode(start)
    for path in sorted(walk(contents.root, start, aside, [])):
        yield contents.of(path, os.fsencode(path), timed=True)


def walk(root: str, start: str, aside: str, over: list[str]) -> Iterator[str]:
    """The files below a folder, without caches, virtual environments and installed packages, which `over` gets."""
    folders = [start]
    while folders:
        folder = folders.pop()
        try:
            with os.scandir(os.path.join(root, folder)) as entries:
                found = list(entries)
        except OSError:  # not ours to read, or gone by now
            continue
        # an environment, or another work tree: of a submodule, or linked
        marks = ((one.name == ".git" and not one.is_dir()) or one.name in ("pyvenv.cfg", "conda-meta") for one in found)
        if folder != start and any(marks):
            over.append(folder)
            continue
        for entry in found:
            path = f"{folder}/{entry.name}" if folder else entry.name
            if entry.name in _PASSED_OVER or left_out(path, aside):
                over.append(path)
                continue
            if not entry.is_dir(follow_symlinks=False):
                yield path
            elif not (entry.name.startswith(".") and entry.name.endswith("cache")):
                folders.append(path)


def left_out(path: str, aside: str) -> bool:
    """Whether it is litter, or lies in the folder `aside`: never a change, and never kept."""
    folder, _, name = path.rstrip("/").rpartition("/")
    if name in _LITTER or name.endswith(".pyc") or name.startswith(".coverage.") or _is_litter(folder):
        return True
    return bool(aside) and f"{path}/".startswith(f"{aside}/")


def _has_litter(index: str, paths: Iterable[str]) -> bool:
    """Whether something may be litter in git's listing of its index, or of these."""
    listed = index + "\0".join(("", *paths, ""))
    return any(sign in listed for sign in _SIGNS)


@lru_cache(maxsize=10_000)
def _is_litter(folder: str) -> bool:
    return not _LITTER.isdisjoint(folder.split("/"))


def in_place(root: str, path: str, known: dict[str, bool]) -> bool:
    """Whether something lies there, in a folder that is no link. `known`: of folders, filled."""
    folder = path.rpartition("/")[0]
    if folder not in known:
        known[folder] = os.path.realpath(os.path.join(root, folder)) == os.path.normpath(os.path.join(root, folder))
    return known[folder] and os.path.lexists(os.path.join(root, path))
