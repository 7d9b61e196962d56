"""The project as files: which there are, and whether any of them changed.

Git knows what is ignored and what differs from HEAD, so a few short processes spare reading the whole tree. They run
no filter and enter no submodule: those are programs and settings of somebody else. Where git is missing, refuses
(another user owns the folder), takes too long or has no repository here, the tree is walked and size and time stand
for the content.
"""

import os
import stat
from collections.abc import Iterable, Iterator

from untilgreen.core.record import NamedTuple
from untilgreen.core.trees import Entry
from untilgreen.core.verdict.identity import blake2b
from untilgreen.project.files import opened
from untilgreen.project.toplevel import main_tree
from untilgreen.project.tree import git

LARGE = 10 * 1024 * 1024  # bytes; a larger file goes by size and time
_MOST = 256 * 1024 * 1024  # bytes read in all; what comes after goes by size and time
# what our own checks leave behind, and our own state: never a change
_LITTER = frozenset(
    {".untilgreen", "__pycache__", ".pytest_cache", ".mypy_cache", ".ruff_cache", ".coverage", ".hypothesis"}
)
_PASSED_OVER = frozenset({".git", "node_modules", ".tox", ".nox", ".direnv", ".eggs"})

_STATUS = ("status", "--porcelain=v1", "-z", "--untracked-files=all", "--no-renames", "--ignore-submodules=all")
_FILTERED = ("ls-files", "-z", "--", ":(exclude,attr:!filter)")
_HEAD = ("rev-parse", "--show-prefix", "HEAD^{tree}", "--git-path", "index")
_INDEX = ("ls-files", "-s", "-v", "-z")
_SUBMODULE = b"160000 "
# how git marks entries that it looks at; any other is of a file that it was told to take for unchanged
_LOOKED_AT = (b"H", b"M", b"R", b"C", b"K", b"")

# a kind, a name, and what there is to it:
#   git, the name of HEAD's tree (b"" without a commit)    walk, a folder of which all files follow ("" is the root)
#   file, path, b"x" or b"", content                       size, path, b"x" or b"", b"SIZE TIME": was not read
#   link, path, target                                     gone, other (no file), unreadable: path
Record = tuple[bytes, ...]


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
    said: tuple[bytes, bytes] | None = None  #: what git said of the index, and its status; None where it has no say

    def listing(self) -> Listing:
        """Which files there were, without asking git again."""
        if self.said is None:
            return Listing(files(self.root), changed(self.root))
        index, status = self.said
        names = {entry.partition(b"\t")[2] for entry in index.split(b"\0")}
        names.update(entry[3:] for entry in status.split(b"\0") if entry[:2] == b"??")
        return Listing(_there(self.root, names), _not_deleted(status))

    @property
    def head(self) -> str | None:
        """The name of HEAD's tree, from which the records differ; "" without a commit, None where git has no say."""
        first = self.records[0]
        return first[1].decode("ascii") if first[0] == b"git" else None

    @property
    def fingerprint(self) -> str:
        """A value of the content."""
        seal = blake2b(digest_size=20)
        for record in self.records:
            # lengths first: no name and no content can pass for a part of another record
            seal.update(b"%d;" % len(record))
            for field in record:
                seal.update(b"%d:" % len(field))
                seal.update(field)
        return seal.hexdigest()


def read(root: str, skip: str = "") -> WorkTree:
    """HEAD's tree, and what differs from it or is untracked.

    `skip`: a folder that does not count. A symbolic link goes by the name of its target. Files with a filter (of
    git-lfs, git-crypt), submodules and repositories in this one go by size and time. What git was told to take for
    unchanged is looked at. Never raises: a file that cannot be read counts as just that.
    """
    root = os.path.realpath(root)
    aside = os.path.relpath(os.path.realpath(skip), root).replace(os.sep, "/") if skip else ""
    records, plain, said = _by_git(root, aside) or (_by_walk(root, "", aside), "", None)
    return WorkTree(root, aside, tuple(records), plain, said)


def fingerprint(root: str, skip: str = "") -> str:
    """A value of the work tree's content, as `read` finds it: staging changes nothing, committing does."""
    return read(root, skip).fingerprint


def files(root: str) -> tuple[str, ...]:
    """The project's files: posix paths relative to the root, sorted, without ignored ones; neither other work trees and
    repositories in it nor what lies behind a link to a folder. Names that are not UTF-8 hold surrogates."""
    root = os.path.realpath(root)
    code, listed = git.end(git.start(root, "ls-files", "-z", "--cached", "--others", "--exclude-standard"))
    return _there(root, set(listed.split(b"\0"))) if code == 0 else tuple(sorted(walk(root, "", "", [])))


def ignored(root: str) -> tuple[str, ...] | None:
    """The files and, with a slash at their ends, whole folders that git ignores; None where it has no say."""
    words = ("ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory")
    code, listed = git.end(git.start(root, *words))
    return tuple(os.fsdecode(name) for name in listed.split(b"\0") if name) if code == 0 else None


def unnamed(paths: Iterable[str], words: Iterable[str], folder: str) -> tuple[str, ...]:
    """Of such paths those that no word names, nor anything in them; the words are said in this folder."""
    said = [os.path.normpath(os.path.join(folder, word.partition("::")[0])) for word in words]
    return tuple(path for path in paths if not any(f"{one}/".startswith(f"{path.rstrip('/')}/") for one in said))


def _there(root: str, names: set[bytes]) -> tuple[str, ...]:
    """The names with a file or a link in a folder that is no link: git lists what it tracked before that became one."""
    known: dict[str, bool] = {}
    found = []
    for path in sorted(os.fsdecode(name) for name in names if name):
        full = os.path.join(root, path)
        if not left_out(path, "") and in_place(root, path, known) and (os.path.islink(full) or not os.path.isdir(full)):
            found.append(path)
    return tuple(found)


def changed(root: str) -> tuple[str, ...]:
    """The files that differ from the newest commit or are new, also some that only a filter makes differ; none where
    git cannot say."""
    options, _ = git.unfiltered(root)
    code, status = git.end(git.start(root, *options, *_STATUS)) if options is not None else (-1, b"")
    return _not_deleted(status) if code == 0 else ()


def _not_deleted(status: bytes) -> tuple[str, ...]:
    return tuple(path for path, how in _entries(status).items() if not _is_deletion(how))


def _entries(status: bytes) -> dict[str, bytes]:
    """The paths that git's status lists, and how each differs."""
    return {os.fsdecode(entry[3:]): entry[:2] for entry in status.split(b"\0") if entry}


def _by_git(root: str, aside: str) -> tuple[Iterator[Record], str, tuple[bytes, bytes]] | None:
    """The records, `WorkTree.plain` and `said`; None where git cannot say."""
    # side by side: each takes longer to begin than to run
    head_of, index_of = git.start(root, *_HEAD), git.start(root, *_INDEX)
    options, converts = git.unfiltered(root)
    status_of = git.start(root, *options, *_STATUS) if options is not None else None
    (born, head), index = git.end(head_of), git.end(index_of)
    tracked = _tracked(root, index, filters=bool(options))
    code, status = git.end(status_of)
    # not git's, or in a repository that begins further up
    if code != 0 or tracked is None or not head.startswith(b"\n"):
        return None
    lines = head.split(b"\n") if born == 0 else [b"", b"", b""]  # no commit yet
    is_plain = not (converts or options or tracked.believed or b".gitattributes" in index[1] + status)
    is_plain = is_plain and not any(map(os.path.exists, git.attributes(root)))
    path = os.path.join(root, os.fsdecode(b"\n".join(lines[2:-1]))) if is_plain and lines[1] else ""
    return _changed(root, lines[1], _entries(status), tracked, aside), path, (index[1], status)


class _Tracked(NamedTuple):
    """What git's word is not enough for."""

    timed: frozenset[str]  #: goes by size and time: submodules, and files with a filter
    believed: dict[str, Entry]  #: what git was told to take for unchanged, as the index has it


def _tracked(root: str, listed: tuple[int, bytes], *, filters: bool) -> _Tracked | None:
    """None where git cannot say.

    Git compares only files whose time is new, and without its filter each of those differs: a refresh of the index,
    by whomever, would be a change.
    """
    code, index = listed
    told, filtered = git.end(git.start(root, *_FILTERED)) if filters else (0, b"")
    if code != 0 or told != 0:
        return None
    submodules, believed = [], {}
    for entry in index.split(b"\0"):
        if entry[2:9] == _SUBMODULE:
            submodules.append(entry.partition(b"\t")[2])
        elif entry[:1] not in _LOOKED_AT:
            words, _, path = entry.partition(b"\t")
            mode, name = words.split()[1:3]
            believed[os.fsdecode(path)] = Entry(mode.decode("ascii"), name.decode("ascii"))
    return _Tracked(frozenset(os.fsdecode(name) for name in (*submodules, *filtered.split(b"\0")) if name), believed)


def _changed(root: str, tree: bytes, changes: dict[str, bytes], tracked: _Tracked, aside: str) -> Iterator[Record]:
    yield b"git", tree
    left, folders = _MOST, dict[str, bool]()
    for path in sorted(tracked.timed.union(changes, tracked.believed)):
        full = os.path.join(root, path)
        if left_out(path, aside):
            continue
        if _is_deletion(changes.get(path, b"")) or not (path in changes or in_place(root, path, folders)):
            yield b"gone", os.fsencode(path)
        elif os.path.isdir(full) and not os.path.islink(full):
            if not main_tree(full):  # a linked work tree in here (hosts make them) is another session's work
                yield from _by_walk(root, path.rstrip("/"), aside)
        else:
            record = _record(root, path, -1 if path in tracked.timed else min(LARGE, left))
            if path in changes or path not in tracked.believed or not _is(record, tracked.believed[path]):
                left -= len(record[-1])
                yield record


def _is(record: Record, entry: Entry) -> bool:
    """Whether what was read is what the index has."""
    if record[0] == b"link":
        return entry.mode == "120000" and git.is_blob(record[2], entry.name)
    mode = "100755" if record[2:3] == (b"x",) else "100644"
    return record[0] == b"file" and entry.mode == mode and git.is_blob(record[3], entry.name)


def _is_deletion(code: bytes) -> bool:
    """The file is away. Of the conflicts only "both deleted": the others left a version in the tree."""
    return code in (b"D ", b"DD") or (code[1:] == b"D" and code[:1] != b"U")


def _by_walk(root: str, start: str, aside: str) -> Iterator[Record]:
    yield b"walk", os.fsencode(start)
    for path in sorted(walk(root, start, aside, [])):
        yield _record(root, path, -1)


def _record(root: str, path: str, limit: int) -> Record:
    """What one path holds; a file of more than `limit` bytes by its size and time. A link is not followed."""
    full, name = os.path.join(root, path), os.fsencode(path)
    try:
        info = os.lstat(full)
        if stat.S_ISLNK(info.st_mode):
            return b"link", name, os.fsencode(os.readlink(full))
        if not stat.S_ISREG(info.st_mode):
            return b"other", name
        mode = b"x" if info.st_mode & stat.S_IXUSR else b""
        if info.st_size > limit:
            return b"size", name, mode, b"%d %d" % (info.st_size, info.st_mtime_ns)
        with open(full, "rb", opener=opened) as stream:  # should it be a link or a pipe by now, it is unreadable
            return b"file", name, mode, stream.read(limit)
    except (FileNotFoundError, NotADirectoryError):
        return b"gone", name
    except OSError:
        return b"unreadable", name


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
    parts = path.rstrip("/").split("/")
    if not _LITTER.isdisjoint(parts) or parts[-1].endswith(".pyc") or parts[-1].startswith(".coverage."):
        return True
    return bool(aside) and f"{path}/".startswith(f"{aside}/")


def in_place(root: str, path: str, known: dict[str, bool]) -> bool:
    """Whether something lies there, in a folder that is no link. `known`: of folders, filled."""
    folder = path.rpartition("/")[0]
    if folder not in known:
        known[folder] = os.path.realpath(os.path.join(root, folder)) == os.path.normpath(os.path.join(root, folder))
    return known[folder] and os.path.lexists(os.path.join(root, path))
