"""The files that pre-commit names to a hook: by patterns of their paths and by tags of what they are.

Learned from identify 2.6, which gives the tags: by a file's name, else by its suffix; of an executable without either
by its first line; and "text" or "binary" by its first kilobyte. Which ones they are says `templates/tags.txt`.
"""

import itertools
import os
import re
import shlex
import stat
from collections.abc import Iterable, Iterator, Sequence
from functools import cache

from untilgreen.core.model.check import HookFiles
from untilgreen.project import files, tables

_SNIFFED = 1024  # bytes
_TEXT = bytes({7, 8, 9, 10, 11, 12, 13, 27, *range(0x20, 0x7F), *range(0x80, 0x100)})


@cache
def known() -> frozenset[str]:
    tables_of = (tables.words("tags", section) for section in ("suffixes", "names", "programs"))
    return frozenset(("file", "symlink", "text", "executable", "non-executable", *itertools.chain(*tables_of)))


@cache
def by_word(section: str) -> dict[str, set[str]]:
    """The tags of what a section of the table names: each of its "suffixes", "names" or "programs"."""
    table = tables.words("tags", section)
    return {word: {tag for tag, words in table.items() if word in words} for word in itertools.chain(*table.values())}


def is_known(given: HookFiles) -> bool:
    """Whether all of its tags are among those that are told here, and its patterns can be read."""
    try:
        for pattern in (*given.files, *given.but):
            re.compile(pattern)
    except re.error:
        return False
    return known().issuperset((*given.types, *given.types_or, *given.exclude_types))


def fitting(root: str, names: Iterable[str], given: HookFiles) -> tuple[str, ...]:
    """Those of the project's files that a hook is given. Raises re.error."""
    return tuple(name for name in names if _fits(root, name, given))


def _fits(root: str, name: str, given: HookFiles) -> bool:
    if any(not re.search(one, name) for one in given.files) or any(re.search(one, name) for one in given.but):
        return False
    found = tags(os.path.join(root, name))
    some = not given.types_or or not found.isdisjoint(given.types_or)
    return some and found.issuperset(given.types) and found.isdisjoint(given.exclude_types)


def tags(path: str) -> set[str]:
    """What a file is, as far as it is told here; none where it is gone."""
    try:
        mode = os.lstat(path).st_mode
    except OSError:
        return set()
    if not stat.S_ISREG(mode):
        return {"symlink"} if stat.S_ISLNK(mode) else set()
    executable = os.access(path, os.X_OK)
    found = _by_file_name(os.path.basename(path))
    if not found and executable:
        found = set(_by_first_line(_head(path)))
    if "binary" not in found and (found or not _head(path).translate(None, _TEXT)):
        found |= {"text"}
    return found | {"file", "executable" if executable else "non-executable"} | ({"text"} & found or {"binary"})


def _by_file_name(name: str) -> set[str]:
    named = by_word("names")
    parts = next((named[part] for part in (name, *name.split(".")) if part in named), set[str]())
    suffix = os.path.splitext(name)[1][1:].lower()
    return parts | by_word("suffixes").get(suffix, set())


def _by_first_line(head: bytes) -> Iterator[str]:
    line = head.partition(b"\n")[0]
    if not line.startswith(b"#!"):
        return
    text = line[2:].decode("utf-8", "replace").strip()
    try:
        words: Sequence[str] = shlex.split(text)
    except ValueError:
        words = text.split()
    if words[:1] == ["/usr/bin/env"]:
        words = words[2:] if words[1:2] == ["-S"] else words[1:]
    name = os.path.basename(words[0]) if words else ""
    while name:
        if name in by_word("programs"):
            yield from by_word("programs")[name]
            return
        name = name.rpartition(".")[0]


def _head(path: str) -> bytes:
    try:
        with open(path, "rb", opener=files.opened) as stream:
            return stream.read(_SNIFFED)
    except OSError:
        return b""
