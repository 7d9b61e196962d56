"""What cargo has built of others' crates, for a build of another tree: nothing is written into the user's own.

A folder for what is built that has the registry's crates out of the work tree's: compiled libraries by hard link
(rustc writes a new file and puts it in the place of the old one), all that is small as a copy, with its times. Nothing
of the project's own crates: cargo would take what was built of other sources for new, by their times.
"""

import os
import re
import shutil
from collections.abc import Sequence

from untilgreen.project import files

_NAME = re.compile(r"""(?m)^\s*name\s*=\s*["']([\w-]+)["']""")
_LIBRARIES = (".rlib", ".rmeta", ".so", ".dylib")
_PROFILES = ("debug", "release")


def seed(project: str, copy: str, crates: Sequence[str], target: str, named: str = "") -> None:
    """Fill the folder `target`, which is not there yet, for these crates of the project, folders relative to it.
    `copy`: where they are built; `named`: where the user has cargo build. Raises OSError."""
    manifests = (os.path.join(top, crate, "Cargo.toml") for top in (project, copy) for crate in crates)
    own = {name.replace("-", "_") for path in manifests for name in _NAME.findall(_text(path))}
    os.makedirs(target, mode=0o700)
    places = (os.path.join(project, named),) if named else (os.path.join(project, one, "target") for one in crates)
    for place in dict.fromkeys(map(os.path.normpath, places)):
        for profile in _PROFILES:
            _profile(os.path.join(place, profile), os.path.join(target, profile), own)


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
    elif old.endswith(_LIBRARIES):
        try:
            os.link(old, new, follow_symlinks=False)
        except OSError:  # another file system
            shutil.copy2(old, new, follow_symlinks=False)
    elif old.endswith(".d"):
        shutil.copy2(old, new, follow_symlinks=False)


def _text(path: str) -> str:
    """What the work tree has there; "" where it has nothing."""
    try:
        with open(path, encoding="utf-8", errors="replace", opener=files.followed) as stream:
            return stream.read(1024 * 1024)
    except FileNotFoundError:
        return ""
