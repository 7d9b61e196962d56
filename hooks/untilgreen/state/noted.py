"""Readings of the work tree that begin with what the last snapshot noted of its files.

The notes lie beside our index of the project, and belong to one state of it: "" is the path of its stamp.
"""

import os
from collections.abc import Mapping
from contextlib import suppress
from itertools import chain

from untilgreen.core.verdict.identity import blake2b
from untilgreen.project import files
from untilgreen.project.tree import worktree
from untilgreen.project.tree.worktree import WorkTree
from untilgreen.state import store
from untilgreen.state.place import GIT

_LARGEST = 64 * 1024 * 1024  # bytes
_DIGEST = 40  # digits of the value of what follows: what is torn says nothing


def index_of(base: str, root: str) -> str:
    """The path of our index of a project, by its real path."""
    return os.path.join(base, GIT, f"index-{blake2b(os.fsencode(root), digest_size=8).hexdigest()}")


def read(root: str, base: str) -> WorkTree:
    """As `worktree.read`, without opening again what nobody wrote to since the last snapshot."""
    root = os.path.realpath(root)
    return worktree.read(root, base, _load(index_of(base, root)))


def fingerprint(root: str, base: str) -> str:
    """A value of the work tree's content, as `read` finds it."""
    return read(root, base).fingerprint


def stamp(index: str) -> str:
    """What is another after each change of an index; "" where there is none."""
    with suppress(OSError):
        info = os.stat(index)
        return f"{info.st_ino} {info.st_size} {info.st_mtime_ns}"
    return ""


def keep(index: str, reading: WorkTree) -> None:
    """Note the files of a reading, of which the index holds all. Raises OSError."""
    notes = {**reading.notes, b"": stamp(index).encode("ascii")}
    if notes != reading.before:
        data = b"\0".join(chain.from_iterable(notes.items()))
        store.write_bytes(f"{index}.notes", _value(data) + data, durable=False)


def _load(index: str) -> Mapping[bytes, bytes]:
    with suppress(OSError, ValueError):
        data = files.read(f"{index}.notes", _LARGEST)
        if data[:_DIGEST] == _value(data[_DIGEST:]):
            parts = data[_DIGEST:].split(b"\0")
            return dict(zip(parts[::2], parts[1::2], strict=True))
    return {}


def _value(data: bytes) -> bytes:
    return blake2b(data, digest_size=_DIGEST // 2).hexdigest().encode("ascii")
