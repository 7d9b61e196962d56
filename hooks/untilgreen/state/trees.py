"""Our own store of work trees, `git/` in the state folder: a git folder of its own, which git alone writes.

Nothing of the project reaches it: its configuration, attributes and index are ours, and so are the variables. What
the project's git has already is there by hard link, so nothing that happens to the project takes it away; across file
systems it is copied, or borrowed where it is too large. `git --git-dir=.untilgreen/git log --all` and its kin read it.
"""

import errno
import os
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress

from untilgreen.core.record import Self
from untilgreen.core.trees import Entry
from untilgreen.project import files, toplevel
from untilgreen.project.tree import git
from untilgreen.state import store
from untilgreen.state.place import GIT

_SECONDS = 60.0  # for each process, where nobody says less
_DIGEST, _FOLDER, _COMMIT = 20, "40000", "160000"  # bytes of a name in a tree; the modes of what is no file there
_COPIED = 200_000_000  # bytes of objects that are copied at most, where no hard link can be
_LENDERS = 8  # folders of objects that are looked into: the project's, and those from which that one borrows
# no line end, keyword, filter or encoding: what lies here is what lay on the disk
_ATTRIBUTES = "* -text -eol -crlf -ident -filter -working-tree-encoding\n"
# names are those of this file system, and files are for their owner alone
_CONFIG = (
    "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tsymlinks = true\n\tignorecase = false\n\tbare = true\n"
    "\tprotectHFS = false\n\tprotectNTFS = false\n\tsharedRepository = 0600\n\tcompression = 1\n"
    "[gc]\n\tauto = 0\n[index]\n\tversion = 2\n"
)
_APART = "written"
_HEAD = "ref: refs/heads/none\n"
_WHO = {"NAME": "untilgreen", "EMAIL": "untilgreen@localhost"}
_NOWHERE = ("HOME", "XDG_CONFIG_HOME", "GIT_CONFIG_GLOBAL", "GIT_GRAFT_FILE")
_ENV = dict.fromkeys(_NOWHERE, os.devnull) | {
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_COUNT": "0",
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_SHALLOW_FILE": "",
    **{f"GIT_{who}_{what}": value for who in ("AUTHOR", "COMMITTER") for what, value in _WHO.items()},
}


class Missing(OSError):
    """An object that is not in our store."""


class Late(Exception):
    """There was no time for it."""


class TreeStore:
    """The store in the state folder `base` of the project `root`; in a `with`, which ends the git that it may start."""

    def __init__(self, base: str, root: str) -> None:
        self.root, self.folder = root, os.path.join(base, GIT)
        self.lock = self.path("lock")  # of those who write
        self._env = {**_ENV, "GIT_DIR": self.folder, "GIT_INDEX_FILE": self.path("index")}
        self._batch, self._room = git.Batch(root, self._env), _COPIED

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._batch.close()

    def path(self, *names: str) -> str:
        return os.path.join(self.folder, *names)

    def make(self) -> None:
        """Make the store where there is none. Raises OSError."""
        for folder in ("objects/info", "objects/pack", "info", "refs"):
            self._make_folder(*folder.split("/"))
        for text, *names in ((_CONFIG, "config"), (_ATTRIBUTES, "info", "attributes"), (_HEAD, "HEAD")):
            with suppress(OSError, ValueError):
                if files.read(self.path(*names), len(text)) == text.encode():
                    continue
            store.write_text(self.path(*names), text, durable=False)  # or somebody wrote another one: git obeys it

    def ask(
        self, *words: str, told: bytes | None = None, index: str = "", until: float = 0.0, reading: str = ""
    ) -> bytes:
        """What git prints in this store. `told`: what it reads; `until`: of time.monotonic; `reading`: what it needs.

        Contents are written apart: git gives a new time to an object that it finds, which may be the project's. Raises
        Late, Missing, other OSErrors.
        """
        heard = self.path(f"told-{os.getpid()}") if told is not None else os.devnull
        more = {**self._env, "GIT_INDEX_FILE": index or self.path("index")}
        apart = "--add" in words or "-w" in words
        if apart:
            more["GIT_OBJECT_DIRECTORY"] = self._make_folder(_APART)
        try:
            if told is not None:
                store.write_bytes(heard, told, durable=False)
            left = until - time.monotonic() if until else _SECONDS
            if left <= 0:
                raise Late
            asked = git.start(self.root, *words, more=more, heard=heard)
            if asked is None:
                raise OSError(errno.ENOSYS, "git is not there", self.folder)
            code, printed = git.end(asked, left, hurried=True)
        finally:
            if told is not None:
                with suppress(FileNotFoundError):
                    os.unlink(heard)
        if code == 0:
            if apart:
                self._bring_in()
            return printed
        if until and time.monotonic() >= until:
            raise Late
        if code > 0 and reading:
            raise Missing(errno.EIO, "is in no store of git objects any more", reading)
        raise OSError(errno.EIO, f"git {words[0]} failed" if code != -1 else "git does not answer", self.folder)

    def read(self, name: str) -> bytes:
        """The content of a blob, the data of any object, which has this name by what it says. Raises Missing."""
        found = self._batch.read(name)
        if found is None:
            raise Missing(errno.EIO, "is in no store of git objects any more", name)
        return found

    def content(self, entry: Entry) -> bytes:
        """What lies at a path of a tree that is kept. Raises Missing."""
        return self.read(entry.name)

    def write(self, data: bytes) -> str:
        """Keep the content of a file; its name. Raises Late, OSError."""
        return self.ask("hash-object", "-w", "--stdin", "--no-filters", told=data).decode("ascii").strip()

    def commit(self, tree: str, message: str) -> str:
        """Keep a commit of a tree, of what is kept there. Raises Late, OSError."""
        told = message.encode("ascii", "backslashreplace")
        return self.ask("commit-tree", tree, "-F", "-", told=told, reading=tree).decode("ascii").strip()

    def tree(self, name: str) -> dict[str, Entry]:
        """All files of a tree, or of a commit's: by path, in no order. Raises Missing."""
        found, folders = dict[str, Entry](), [("", self.tree_of(name))]
        for folder, one in folders:
            data, at = self.read(one), 0
            while (end := data.find(b"\0", at)) >= 0:
                mode, _, path = data[at:end].partition(b" ")
                at = end + 1 + _DIGEST
                entry = Entry(mode.decode("ascii", "replace"), data[end + 1 : at].hex())
                if entry.mode == _FOLDER:
                    folders.append((f"{folder}{os.fsdecode(path)}/", entry.name))
                elif entry.mode != _COMMIT:
                    found[folder + os.fsdecode(path)] = entry
        return found

    def tree_of(self, name: str) -> str:
        """The name of the tree of a commit, or of this tree. Raises Missing."""
        data = self.read(name)
        return data[5:45].decode("ascii", "replace") if data.startswith(b"tree ") else name

    def changed(self, one: str, other: str) -> list[str]:
        """The paths of files that differ between two trees, or commits. Raises Missing."""
        return _lines(self.ask("diff-tree", "-r", "-z", "--name-only", "--no-renames", one, other, reading=one))

    def paths(self, *words: str, index: str, until: float) -> list[str]:
        """The paths that `ls-files` lists of an index. Raises Late, OSError."""
        return _lines(self.ask("ls-files", "-z", *words, index=index, until=until))

    def size(self) -> int:
        """The bytes of what is ours alone."""
        found = 0
        for folder, _, names in os.walk(self.path("objects")):
            for name in names:
                with suppress(FileNotFoundError):
                    info = os.lstat(os.path.join(folder, name))
                    found += info.st_size if info.st_nlink == 1 else 0
        return found

    def sweep(self, index: str, until: float) -> None:
        """Delete what neither a ref nor this index leads to. Raises Late, OSError.

        A pack that is the project's, too, stays; one that the project has dropped is left with what we need of it.
        """
        packs = [name for name in os.listdir(self.path("objects", "pack")) if name.endswith(".pack")]
        shared = [name for name in packs if os.stat(self.path("objects", "pack", name)).st_nlink > 1]
        if len(packs) > max(len(shared), 1) or (packs and not shared):
            kept = [f"--keep-pack={name}" for name in shared]
            self.ask("repack", "-a", "-d", "-l", "-q", *kept, index=index, until=until)
        self.ask("prune", "--expire=now", index=index, until=until)

    def discard(self) -> None:
        """Take away what was on its way in, where it could not be kept as a whole; what lay here before stays."""
        with suppress(Late, OSError):
            for folder, _, names in os.walk(self.folder):
                for name in names:
                    if _APART in folder or name.startswith("told") or name.endswith(".lock"):
                        os.unlink(os.path.join(folder, name))

    def refs(self) -> Iterator[tuple[str, str]]:
        """The refs, each with the commit that it names."""
        for folder, _, names in os.walk(self.path("refs", "untilgreen")):
            for name in names:
                path = os.path.join(folder, name)
                with suppress(OSError, ValueError):
                    yield os.path.relpath(path, self.folder), files.read(path, 100).decode("ascii").strip()

    def name_it(self, ref: str, commit: str) -> None:
        """Let a ref, `refs/untilgreen/…`, name a commit. Raises OSError."""
        *above, name = ref.split("/")
        self._make_folder(*above)
        store.write_text(self.path(*above, name), f"{commit}\n", durable=False)

    def _make_folder(self, *names: str) -> str:
        """The path of a folder below the store's, for its owner alone, as are those on the way. Raises OSError."""
        for number in range(len(names) + 1):
            with suppress(FileExistsError):
                os.mkdir(self.path(*names[:number]), 0o700)
        return self.path(*names)

    def _bring_in(self) -> None:
        """What was written apart, put where it belongs. Raises OSError."""
        for folder in os.listdir(self.path(_APART)):
            if len(folder) == len("00"):
                self._make_folder("objects", folder)
                for name in os.listdir(self.path(_APART, folder)):
                    there = self.path("objects", folder, name)
                    if os.path.exists(there):
                        os.unlink(self.path(_APART, folder, name))
                    else:
                        os.rename(self.path(_APART, folder, name), there)
                with suppress(OSError):  # else all of them are looked into at every stop
                    os.rmdir(self.path(_APART, folder))

    def borrow(self) -> None:
        """Have what the project's git has: by hard link, or where that cannot be by its name. Raises OSError."""
        borrowed = []
        for lender in _lenders(toplevel.objects(self.root)):
            try:
                self._link(lender, "pack")
                for folder in os.listdir(lender):
                    if len(folder) == len("00"):
                        self._link(lender, folder)
            except OSError:  # another file system, or the files of somebody else
                borrowed.append(_quoted(lender))
        path = self.path("objects", "info", "alternates")
        before = os.fsdecode(files.read(path, 1_000_000)).splitlines() if os.path.exists(path) else []
        there = [old for old in before if old.startswith('"') or os.path.isdir(old)]
        wanted = [*there, *(line for line in borrowed if line not in there)]
        if wanted != before:
            store.write_bytes(path, os.fsencode("".join(f"{one}\n" for one in wanted)), durable=False)

    def _link(self, lender: str, folder: str) -> None:
        """Have the files of a folder of objects. Raises OSError."""
        source, target = os.path.join(lender, folder), self.path("objects", folder)
        try:
            with os.scandir(source) as entries:
                there = {entry.name for entry in entries if entry.is_file(follow_symlinks=False)}
        except (FileNotFoundError, NotADirectoryError):
            return
        have = set(os.listdir(target)) if os.path.isdir(target) else set()
        packs = (".pack", ".rev", ".idx") if folder == "pack" else ""
        if missing := [name for name in there - have if name.endswith(packs)]:
            self._make_folder("objects", folder)
        for name in sorted(missing, key=lambda one: one.endswith(".idx")):  # git looks for that one: it comes last
            with suppress(FileExistsError, FileNotFoundError):  # another process was quicker
                lent, ours = os.path.join(source, name), os.path.join(target, name)
                try:
                    os.link(lent, ours, follow_symlinks=False)
                except OSError as error:
                    self._room -= os.stat(lent).st_size
                    if isinstance(error, FileExistsError | FileNotFoundError) or self._room < 0:
                        raise
                    store.write_bytes(ours, files.read(lent, _COPIED), durable=False)


def _lenders(folder: str) -> Sequence[str]:
    """A folder of objects, and those from which it borrows."""
    found = [folder] if folder else []
    for one in found:
        with suppress(OSError, ValueError):
            lines = os.fsdecode(files.read(os.path.join(one, "info", "alternates"), 100_000)).splitlines()
            more = (os.path.realpath(os.path.join(one, line)) for line in lines if line and line[0] not in '#"')
            found += [path for path in more if path not in found and os.path.isdir(path)][: _LENDERS - len(found)]
    return found


def _quoted(path: str) -> str:
    if path.startswith(('"', "#")) or "\n" in path:
        return '"' + path.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'
    return path


def _lines(printed: bytes) -> list[str]:
    return [os.fsdecode(one) for one in printed.split(b"\0") if one]
