"""Where a project begins, found without starting a process. Imports only `os`: every hook call asks."""

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


def top(start: str) -> str:
    """The real path of the git top level that holds `start`, else of `start` itself.

    A `.git` file (a linked worktree, a submodule) makes a top level as a `.git` folder does. A folder
    without HEAD, or a file that names no git folder, is not git's: git walks past the one, too.
    """
    start = folder = os.path.realpath(start)
    while not (os.path.lexists(os.path.join(folder, ".git", "HEAD")) or _git_folder(folder)):
        if os.path.dirname(folder) == folder:
            return start
        folder = os.path.dirname(folder)
    return folder


def above(folder: str) -> "Iterator[str]":
    """The folders above one, the nearest first, without the top of the file system."""
    folder = os.path.dirname(folder)
    while folder != os.path.dirname(folder):
        yield folder
        folder = os.path.dirname(folder)


def refused(root: str, env: "Mapping[str, str]") -> str:
    """Why `root` can be no project: it is "/" or a home folder ($HOME, or the account's). "" when it can."""
    root = os.path.realpath(root)
    if os.path.dirname(root) == root:
        return f"{root} is the top of the file system, not a project"
    return f"{root} is a home folder, not a project" if root in homes(env) else ""


def homes(env: "Mapping[str, str]") -> "frozenset[str]":
    """The home folders of this user: $HOME, and the account's."""
    return frozenset(os.path.realpath(home) for home in (env.get("HOME", ""), account_home()) if os.path.isabs(home))


def main_tree(root: str) -> str:
    """The main work tree of a linked one, "" when `root` is not linked or the main one is bare."""
    folder = _git_folder(root)
    common = _first_line(os.path.join(folder, "commondir")) if folder else ""
    if not common:  # only a linked worktree's git folder has that file; a submodule's does not
        return ""
    main = os.path.realpath(os.path.join(folder, common))
    return os.path.dirname(main) if os.path.basename(main) == ".git" else ""


def objects(root: str) -> str:
    """The real path of the folder with the objects of the repository whose top `root` is, "" where there is none."""
    folder = _git_folder(root) or os.path.join(root, ".git")
    path = os.path.realpath(os.path.join(folder, _first_line(os.path.join(folder, "commondir")), "objects"))
    return path if os.path.isdir(path) else ""


def within(root: str, path: str) -> bool:
    """Does `path` lie in `root`, or is it `root`, after all symbolic links?"""
    root, path = os.path.realpath(root), os.path.realpath(path)
    return path == root or path.startswith(root.rstrip(os.sep) + os.sep)


def _git_folder(root: str) -> str:
    """What a `.git` file points at, "" where there is none."""
    line = _first_line(os.path.join(root, ".git"))
    return os.path.join(root, line[7:].strip()) if line.startswith("gitdir:") else ""


def _first_line(path: str) -> str:
    """Empty when there is no such file or it is not for us to read: both mean that nothing is known."""
    if not os.path.isfile(path):
        return ""
    try:
        with open(path, encoding="utf-8", errors="surrogateescape") as stream:
            return stream.readline(8192).strip()
    except OSError:
        return ""


def account_home() -> str:
    """The home folder of the account: $HOME may say something else under sudo, in containers, in tests."""
    try:
        import pwd

        return pwd.getpwuid(os.getuid()).pw_dir
    except (ImportError, KeyError):  # Windows; an account without an entry
        return ""
