"""Tracked files whose bytes on disk may be others than git's, though git calls them unchanged.

That is so where line ends, a keyword or an encoding are converted: by attributes, or by `core.autocrlf`.
"""

import os

from untilgreen.project.tree import git

_EACH = ("ls-files", "-z", "--", ":(exclude,attr:!ident !working-tree-encoding)")
# without "text" or "eol" no line end is touched, nor with "-text"
_LINES = ("ls-files", "-z", "--", ":(exclude,attr:!text !eol !crlf)", ":(exclude,attr:-text)")
_AUTO = ("config", "--get", "core.autocrlf")


def candidates(root: str, head: str) -> frozenset[str]:
    """The paths of such files, relative to `root`; `head`: the name of HEAD's tree.

    A conversion of line ends shows in the size.
    """
    each_of, lines_of, auto_of = git.start(root, *_EACH), git.start(root, *_LINES), git.start(root, *_AUTO)
    each, lines = _names(git.end(each_of)[1]), _names(git.end(lines_of)[1])
    auto = git.end(auto_of)[1].strip().lower()
    every = auto not in (b"", b"false", b"no", b"off", b"0")
    if not lines and not every:
        return frozenset(each)
    asked = None if every else frozenset(lines)
    return frozenset(each).union(path for path, size in _sizes(root, head) if _differs(root, path, size, asked))


def _differs(root: str, path: str, size: int, asked: frozenset[str] | None) -> bool:
    if asked is not None and path not in asked:
        return False
    try:
        return os.lstat(os.path.join(root, path)).st_size != size
    except OSError:  # it is gone: git says so, too
        return False


def _sizes(root: str, head: str) -> list[tuple[str, int]]:
    """The size of each file of a tree."""
    listed = git.end(git.start(root, "ls-tree", "-r", "-l", "-z", "--full-tree", head))[1] if head else b""
    rows = (row.partition(b"\t") for row in listed.split(b"\0") if row)
    # a submodule has "-"
    return [(os.fsdecode(path), int(words.split()[3])) for words, _, path in rows if words.split()[3].isdigit()]


def _names(listed: bytes) -> list[str]:
    return [os.fsdecode(name) for name in listed.split(b"\0") if name]
