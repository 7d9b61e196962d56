"""What lies below a folder: names, modes, owners, bytes, and where links lead. For "exactly as it was before"."""

import os
import stat
from collections.abc import Collection
from pathlib import Path

from world import World

Tree = dict[str, tuple[str, bytes]]


def tree(top: Path, but: Collection[str] = ()) -> Tree:
    """Every path below `top` and `top` itself: mode and owner as `ls -n` shows them, and its bytes or what a link says.

    `but` are paths below `top`, as they come out here, that are left out with all below them.
    """
    found: Tree = {}
    for folder, names, files in os.walk(top):
        for path in (Path(folder), *(Path(folder, name) for name in (*names, *files))):
            name = str(path.relative_to(top))
            if name not in but:
                found[name] = _entry(path)
        names[:] = [name for name in names if str(Path(folder, name).relative_to(top)) not in but]
    return found


def of_world(world: World) -> Tree:
    """The same of its home and its project, by full names, without what git keeps."""
    tops = (world.home, world.project)
    return {str(top / name): entry for top in tops for name, entry in tree(top, (".git",)).items()}


def _entry(path: Path) -> tuple[str, bytes]:
    status = path.lstat()
    mode = status.st_mode
    data = b""
    if stat.S_ISLNK(mode):
        data = os.fsencode(path.readlink())
    elif stat.S_ISREG(mode):
        data = path.read_bytes()
    return f"{stat.filemode(mode)} {status.st_uid} {status.st_gid}", data
