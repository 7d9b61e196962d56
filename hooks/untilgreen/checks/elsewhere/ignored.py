"""What git ignores in the work tree, and is needed: environments, packages, what was generated or downloaded.

Environments and `node_modules` are made again of links. The rest is copied, as tests may write there; large folders
are linked. Caches are left out. Cargo gets the registry's crates: compiled libraries by hard link (rustc writes a new
file in the place of the old one), the rest as a copy, with its times. It gets nothing of the project's own crates: by
their times it would take what was built of other sources for new.
"""

import os
import re
import shutil
import stat
from collections.abc import Iterator, Sequence

from untilgreen.checks.elsewhere import environments, materialise
from untilgreen.core.record import NamedTuple
from untilgreen.project import files
from untilgreen.project.tree import worktree

_LARGE, _MANY = 32 * 1024 * 1024, 2_000  # bytes and files of an ignored file or folder that is linked, not copied
_TEXT = 256 * 1024  # bytes of a list of submodules
_DEEP = 3  # folders that are looked into where git has no say
_HOLDING = (".tox", ".nox", ".hatch")  # environments
_CACHES = frozenset(
    {"__pycache__", ".git", ".untilgreen", ".coverage", ".hypothesis", "coverage", "htmlcov", ".nyc_output"}
)
_BUILT = frozenset({"target", "dist", "build", "out", "_build", ".next", ".nuxt", ".output", ".svelte-kit", ".turbo"})
_BUILT_OF_NODE = frozenset({"lib", "es", "esm", "cjs"})
_CRATE = re.compile(r"""(?m)^\s*name\s*=\s*["']([\w-]+)["']""")
_COMPILED = (".rlib", ".rmeta", ".so", ".dylib")
_PROFILES = ("debug", "release")


class Beside(NamedTuple):
    """Paths relative to the project, by what they are."""

    environments: list[str]
    packages: list[str]  #: folders `node_modules`
    built: list[str]  #: folders that a build makes
    others: list[str]


def found(root: str) -> Beside:
    """What git ignores below the root; where it has no say, environments and packages alone."""
    listed = worktree.ignored(root)
    beside, taken = Beside([], [], [], []), ""
    for path in _walked(root) if listed is None else listed:
        inside = path.rstrip("/")
        if not (taken and inside.startswith(f"{taken}/")):
            _sort(root, inside, beside, alone=listed is not None)
            taken = inside if path.endswith("/") else taken
    return beside


def submodules(root: str, copy: str) -> list[str]:
    """The folders of other repositories, of which a tree says nothing: they are as they are in the work tree."""
    try:
        with open(os.path.join(copy, ".gitmodules"), encoding="utf-8", errors="surrogateescape") as stream:
            named = re.findall(r"(?m)^\s*path\s*=\s*(.*?)\s*$", stream.read(_TEXT))
    except (FileNotFoundError, IsADirectoryError):
        return []
    paths = (os.path.normpath(path) for path in named)
    return [path for path in paths if not path.startswith(("/", "..")) and os.path.isdir(os.path.join(root, path))]


def _walked(root: str, folder: str = "", deep: int = 0) -> Iterator[str]:
    with os.scandir(os.path.join(root, folder)) as entries:
        inner = [f"{folder}/{one.name}" if folder else one.name for one in entries if one.is_dir()]
    for path in inner:
        yield f"{path}/"
        name = os.path.basename(path)
        hidden = name.startswith(".") or name == materialise.NODE_MODULES
        if deep < _DEEP and not hidden and not os.path.islink(os.path.join(root, path)):
            yield from _walked(root, path, deep + 1)


def _sort(root: str, path: str, beside: Beside, *, alone: bool) -> None:
    """Put a path where it belongs. `alone`: everything of it is ignored."""
    folder, name = os.path.split(path)
    full = os.path.join(root, path)
    if not _CACHES.isdisjoint(path.split("/")) or (name[:1] == "." and name.endswith("cache")) or name.endswith(".pyc"):
        return
    if os.path.isfile(os.path.join(full, environments.MARK)):
        beside.environments.append(path)
    elif name == materialise.NODE_MODULES and os.path.isdir(full):
        beside.packages.append(path)
    elif name == "target" and os.path.isfile(os.path.join(root, folder, "Cargo.toml")):
        return  # cargo has another one there
    elif name in _HOLDING:
        inner = (f"{path}/{one}" for one in sorted(os.listdir(full)))
        beside.environments.extend(one for one in inner if os.path.isfile(os.path.join(root, one, environments.MARK)))
    elif alone:
        of_package = name in _BUILT_OF_NODE and os.path.isfile(os.path.join(root, folder, "package.json"))
        is_built = os.path.isdir(full) and (name in _BUILT or of_package)
        (beside.built if is_built else beside.others).append(path)


def is_held(path: str) -> bool:
    """Whether an environment is one of many, for a tool that runs the tests in each."""
    return not set(_HOLDING).isdisjoint(path.split("/"))


def bring(root: str, copy: str, path: str, move: materialise.Move) -> None:
    """Have in the copy, too, what lies at the path, where its folder is there. Raises OSError."""
    old, new = os.path.join(root, path), os.path.join(copy, path)
    if not free(copy, path):
        return
    mode = os.lstat(old).st_mode
    if stat.S_ISLNK(mode) or (stat.S_ISDIR(mode) and _is_large(old)):
        materialise.link(old, new, move)
    elif stat.S_ISDIR(mode):
        shutil.copytree(old, new, symlinks=True, ignore=lambda _folder, names: _CACHES.intersection(names))
    elif stat.S_ISREG(mode):
        shutil.copy2(old, new) if os.path.getsize(old) <= _LARGE else os.symlink(old, new)


def free(copy: str, path: str) -> bool:
    """Whether something can be put there: in a folder that the copy has itself."""
    return is_inside(copy, path) and not os.path.lexists(os.path.join(copy, path))


def is_inside(copy: str, path: str) -> bool:
    """Whether it would lie in a folder that the copy has itself."""
    parent = os.path.dirname(os.path.join(copy, path))
    return os.path.realpath(parent) == parent and os.path.isdir(parent)


def _is_large(folder: str) -> bool:
    """Whether there is too much in it to be copied, or something that is no file."""
    size = number = 0
    for inner, _, names in os.walk(folder):
        for name in names:
            found = os.lstat(os.path.join(inner, name))
            size, number = size + found.st_size, number + 1
            if size > _LARGE or number > _MANY or not (stat.S_ISREG(found.st_mode) or stat.S_ISLNK(found.st_mode)):
                return True
    return False


# --- what cargo built of others' crates


def seed_cargo(project: str, copy: str, crates: Sequence[str], target: str, built: tuple[str, str] = ("", "")) -> str:
    """Fill the folder `target`, which is not there yet, for these crates of the project, folders relative to it.
    `copy`: where they are built; `built`: where the user has cargo build, and where checks of ours do. Raises OSError.
    """
    manifests = (os.path.join(top, crate, "Cargo.toml") for top in (project, copy) for crate in crates)
    own = {name.replace("-", "_") for path in manifests for name in _CRATE.findall(_manifest(path))}
    os.makedirs(target, mode=0o700)
    theirs = [built[0]] if built[0] else [os.path.join(one, "target") for one in crates]
    for place in dict.fromkeys(os.path.normpath(os.path.join(project, one)) for one in (*theirs, *built[1:]) if one):
        for profile in _PROFILES:
            _profile(os.path.join(place, profile), os.path.join(target, profile), own)
    return target


def _profile(old: str, new: str, own: set[str]) -> None:
    for part in ("deps", ".fingerprint", "build"):
        folder, there = os.path.join(old, part), os.path.join(new, part)
        if os.path.islink(folder) or not os.path.isdir(folder):
            continue
        os.makedirs(there, exist_ok=True)
        for name in os.listdir(folder):
            crate = re.sub(r"-[0-9a-f]{16}(?:\..+)?$", "", name).replace("-", "_")
            if {crate, crate.removeprefix("lib")} & own or os.path.lexists(os.path.join(there, name)):
                continue
            _again(os.path.join(folder, name), os.path.join(there, name))


def _again(old: str, new: str) -> None:
    if os.path.isdir(old) and not os.path.islink(old):
        shutil.copytree(old, new, symlinks=True)  # with its times
    elif old.endswith(_COMPILED):
        try:
            os.link(old, new, follow_symlinks=False)
        except OSError:  # another file system
            shutil.copy2(old, new, follow_symlinks=False)
    elif old.endswith(".d"):
        shutil.copy2(old, new, follow_symlinks=False)


def _manifest(path: str) -> str:
    """What the work tree has there; "" where it has nothing."""
    try:
        with open(path, encoding="utf-8", errors="replace", opener=files.followed) as stream:
            return stream.read(1024 * 1024)
    except FileNotFoundError:
        return ""
