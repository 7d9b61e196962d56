"""Two work trees side by side: what has to change for one to become the other. Pure."""

from collections.abc import Callable, Iterable, Mapping, Sequence

from untilgreen.core.record import NamedTuple


class Entry(NamedTuple):
    mode: str  #: git's: "100644", "100755" (executable), "120000" (a symbolic link); where all of it is known "0600"
    name: str  #: the object's hexadecimal name


# posix paths relative to the project root, with surrogates for bytes that are not UTF-8
Tree = Mapping[str, Entry]


class Difference(NamedTuple):
    """A path that is another in the second tree: None is nothing."""

    path: str
    before: Entry | None
    after: Entry | None

    @property
    def verb(self) -> str:
        """What is done to it on the way to the second tree."""
        if self.after is None:
            return "delete"
        return "change" if self.before else "create"


def differing(one: Tree, other: Tree) -> frozenset[str]:
    """The paths at which something else lies in the other tree, or nothing."""
    return frozenset(path for path in one.keys() | other.keys() if one.get(path) != other.get(path))


def differences(before: Tree, after: Tree, left_alone: Callable[[str], bool]) -> tuple[Difference, ...]:
    """What differs, by path, but for what is `left_alone`, and paths that lead out of the tree or into a git folder."""
    paths = sorted(differing(before, after))
    fit = (path for path in paths if {"", ".", "..", ".git"}.isdisjoint(path.lower().split("/")) and "\0" not in path)
    return tuple(Difference(path, before.get(path), after.get(path)) for path in fit if not left_alone(path))


def below(path: str, folders: Sequence[str]) -> bool:
    """Whether a path is one of these, or lies below one; "" is above all. Without any it is."""
    return not folders or any(not one or path == one or path.startswith(f"{one}/") for one in folders)


def with_modes(tree: Tree, modes: Mapping[str, str]) -> Tree:
    """A tree with the permissions of these files, `600`."""
    files = ((path, tree[path]) for path in modes if path in tree and tree[path].mode != "120000")
    return {**tree, **{path: Entry(f"0{modes[path]}", entry.name) for path, entry in files}}


def folders(paths: Iterable[str]) -> frozenset[str]:
    """Those on the way to any of these paths."""
    return frozenset(one for path in {path.rpartition("/")[0] for path in paths} if path for one in above(f"{path}/"))


def above(path: str) -> tuple[str, ...]:
    """The folders on the way to a path: `a`, `a/b` of `a/b/c`."""
    parts = path.split("/")
    return tuple("/".join(parts[:number]) for number in range(1, len(parts)))


def without(now: Tree, start: Tree, paths: Mapping[str, str] | Sequence[str]) -> Tree:
    """A tree with these paths as they were at the start, gone where they were not there."""
    kept = {path: entry for path, entry in now.items() if path not in paths}
    return kept | {path: start[path] for path in paths if path in start}
