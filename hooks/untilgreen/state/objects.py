"""Our own store of git objects, `git/` in the state folder: a git folder of its own that borrows from the project's.

What we write are loose objects that no push of the project can carry; `git --git-dir=.untilgreen/git log --all` and
its kin read them. Without git, and without a repository, the same store holds everything itself.
"""

import os
import zlib
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Self

from untilgreen.core import objects
from untilgreen.core.model.tree import Entry
from untilgreen.project import files, toplevel
from untilgreen.project.tree.batch import Batch
from untilgreen.state import store
from untilgreen.state.place import GIT

_QUICK = 1  # of zlib's levels
_LARGEST = 64 * 1024 * 1024  # bytes of an object as it lies there; ours are files of at most 10 MB
_NEITHER = 5  # EIO
# no line end, keyword, filter or encoding: what lies here is what lay on the disk
_ATTRIBUTES = "* -text -eol -crlf -ident -filter -working-tree-encoding\n"
_CONFIG = "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = true\n[gc]\n\tauto = 0\n"
_HEAD = "ref: refs/heads/none\n"


class Missing(OSError):
    """An object that is neither in our store nor in the project's."""


class Objects:
    """The store in the state folder `base` of the project `root`; in a `with`, which ends the git that it may start."""

    def __init__(self, base: str, root: str) -> None:
        self.folder = os.path.join(base, GIT)
        self._batch = Batch(root, self.folder)
        self._borrowed = toplevel.objects(root)
        self._written: list[str] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._batch.close()

    def make(self, *, borrow: bool) -> None:
        """Make the store where there is none; with `borrow` it has the objects of the project's, too. Raises OSError.

        A store may be shared by several projects, and a project moved.
        """
        for folder in ("objects/info", "info", "refs"):
            self._make_folder(*folder.split("/"))
        for text, *names in ((_CONFIG, "config"), (_ATTRIBUTES, "info", "attributes"), (_HEAD, "HEAD")):
            if not self._says(text, *names):  # or somebody wrote another one: git obeys it
                store.write_text(self._path(*names), text, durable=False)
        if borrow and self._borrowed:
            self._borrow(_quoted(self._borrowed))

    def _says(self, text: str, *names: str) -> bool:
        with suppress(OSError, ValueError):
            return files.read(self._path(*names), len(text)) == text.encode()
        return False

    def _borrow(self, line: str) -> None:
        path = self._path("objects", "info", "alternates")
        try:
            before = os.fsdecode(files.read(path, 1_000_000)).splitlines()
        except FileNotFoundError:
            before = []
        if line not in before:
            there = (old for old in before if old.startswith('"') or os.path.isdir(old))
            store.write_bytes(path, os.fsencode("".join(f"{one}\n" for one in (*there, line))), durable=False)

    def read(self, name: str) -> bytes:
        """The content of a blob, the data of any object. Raises Missing, an OSError."""
        return self.object(name)[1]

    def has(self, name: str) -> bool:
        """Whether our store itself has the object."""
        with suppress(OSError):
            return os.path.getsize(self.path(name)) > 0
        return False

    def write(self, kind: str, data: bytes) -> str:
        """Keep a "blob", "tree" or "commit"; its name. Raises OSError."""
        name = objects.name(kind, data)
        if not self.has(name):
            path = self.path(name)
            if not os.path.isdir(os.path.dirname(path)):
                self._make_folder("objects", name[:2])
            self._written.append(path)
            store.write_bytes(path, zlib.compress(objects.header(kind, data) + data, _QUICK), durable=False)
        return name

    def discard(self) -> None:
        """Take away what was written: on a full disk the state of the loop needs the room."""
        while self._written:
            with suppress(OSError):
                os.unlink(self._written.pop())

    def tree(self, name: str) -> dict[str, Entry]:
        """All files of a tree, or of a commit's: by path, in no order. Raises Missing."""
        found = {}
        folders = [("", self.tree_of(name))]
        while folders:
            above, one = folders.pop()
            for short, entry in self._listed(one).items():
                if entry.mode == objects.FOLDER:
                    folders.append((f"{above}{short}/", entry.name))
                elif entry.mode != objects.SUBMODULE:
                    found[above + short] = entry
        return found

    def changed(self, one: str, other: str) -> Iterator[str]:
        """The paths of files that differ between two trees ("" is the empty one); only folders that do are read. Raises
        Missing."""
        before, after = (self._listed(name) if name else {} for name in (one, other))
        for short in before.keys() | after.keys():
            pair = before.get(short), after.get(short)
            if pair[0] != pair[1]:
                folders = [entry.name if entry and entry.mode == objects.FOLDER else "" for entry in pair]
                yield from (f"{short}/{path}" for path in (self.changed(*folders) if any(folders) else ()))
                if any(entry and not folder for entry, folder in zip(pair, folders, strict=True)):
                    yield short

    def tree_of(self, name: str) -> str:
        """The name of the tree of a commit, or of this tree. Raises Missing."""
        kind, data = self.object(name)
        return data[5:45].decode("ascii", "replace") if kind == "commit" else name

    def edited(self, tree: str, changes: Mapping[str, Entry | None]) -> str:
        """The name of a tree: `tree` ("" is the empty one) with these paths set, or gone with all below them.

        Only the folders on the way are read, and written. Raises OSError.
        """
        if not changes and tree:
            return tree
        nested: dict[str, dict[str, Entry | None]] = {}
        here: dict[str, Entry | None] = {}
        for path, change in changes.items():
            first, slash, rest = path.partition("/")
            if slash:
                nested.setdefault(first, {})[rest] = change
            else:
                here[first] = change
        entries = self._listed(tree) if tree else {}
        entries.update((name, entry) for name, entry in here.items() if entry is not None)
        for name in (name for name, entry in here.items() if entry is None):
            entries.pop(name, None)
        for name, inner in nested.items():
            self._edit_folder(entries, name, inner)
        data = objects.tree(entries)
        return tree if objects.name("tree", data) == tree else self.write("tree", data)

    def _edit_folder(self, entries: dict[str, Entry], name: str, inner: Mapping[str, Entry | None]) -> None:
        before = entries.get(name)
        is_folder = before is not None and before.mode == objects.FOLDER
        if not is_folder and not any(inner.values()):
            return  # what was below is gone, and what lies here now is no folder
        after = self.edited(before.name if before and is_folder else "", inner)
        entries[name] = Entry(objects.FOLDER, after)
        if after == objects.EMPTY:
            del entries[name]

    def _listed(self, tree: str) -> dict[str, Entry]:
        kind, data = self.object(tree)
        if kind != "tree":
            raise Missing(_NEITHER, "is no tree", tree)
        try:
            return dict(objects.listed(data))
        except ValueError as error:
            raise Missing(_NEITHER, str(error), tree) from None

    def object(self, name: str) -> tuple[str, bytes]:
        """An object's kind and data. Raises Missing."""
        try:
            head, _, data = zlib.decompress(files.read(self.path(name), _LARGEST)).partition(b"\0")
            return head.split()[0].decode("ascii"), data
        except (OSError, ValueError, IndexError, zlib.error):  # not ours, or torn by a crash
            found = self._batch.read(name)
        if found is None:
            raise Missing(_NEITHER, "is in no store of git objects any more", name)
        return found

    def path(self, name: str) -> str:
        """Where an object lies that is ours."""
        return self._path("objects", name[:2], name[2:])

    def refs(self) -> Iterator[tuple[str, str]]:
        """The refs, each with the commit that it names."""
        top = self._path("refs", "untilgreen")
        for folder, _, names in os.walk(top):
            for name in names:
                path = os.path.join(folder, name)
                with suppress(OSError, ValueError):
                    yield os.path.relpath(path, self.folder), files.read(path, 100).decode("ascii").strip()

    def name_it(self, ref: str, commit: str) -> None:
        """Let a ref, `refs/untilgreen/…`, name a commit. Raises OSError."""
        *above, name = ref.split("/")
        self._make_folder(*above)
        store.write_text(self._path(*above, name), f"{commit}\n", durable=False)

    def _make_folder(self, *names: str) -> None:
        """A folder below the store's for its owner alone, as are those on the way. Raises OSError."""
        for number in range(len(names) + 1):
            with suppress(FileExistsError):
                os.mkdir(self._path(*names[:number]), 0o700)

    def _path(self, *names: str) -> str:
        return os.path.join(self.folder, *names)


def _quoted(path: str) -> str:
    """A line of `alternates`."""
    if path.startswith(('"', "#")) or "\n" in path:
        return '"' + path.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'
    return path
