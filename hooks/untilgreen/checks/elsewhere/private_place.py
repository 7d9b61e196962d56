"""Where a copy of the project lies: below no folder whose name begins with a dot, as many a suite looks into none of
those; where nobody can put a file above it, as tools look there for what configures them; and in no repository.
"""

import os
import stat
from collections.abc import Mapping

from untilgreen.project import toplevel, trust
from untilgreen.project.toplevel import within

_ROOM = 512 * 1024 * 1024  # bytes that are free where a copy is put


def places(project: str, env: Mapping[str, str]) -> tuple[str, ...]:
    """The folders in which a copy may be made, the best first: those of the project's own file system, on which hard
    links cost nothing. The last one is our own, which is private and may lie below a dot folder. Makes that one; raises
    OSError."""
    own = trust.folder(env)
    trust.make_private(own)
    above = {os.path.sep, *toplevel.above(os.path.realpath(project))}
    fitting = [place for place in candidates(project, env) if _is_fit(place, project, above)]
    device, beside = os.stat(project).st_dev, _beside(project)
    fitting.sort(key=lambda place: (place == beside, os.stat(place).st_dev != device))
    return (*dict.fromkeys(fitting), own)


def candidates(project: str, env: Mapping[str, str]) -> tuple[str, ...]:
    """The folders that are looked at, by their real paths: for temporary files, the user's own and the system's; and
    where the project lies, which is the last to be taken."""
    named = (env.get("TMPDIR", ""), "/tmp", "/var/tmp", trust.folder(env))  # noqa: S108 no name in it can be guessed
    users = (env.get("HOME") or os.path.expanduser("~"), env.get("XDG_RUNTIME_DIR", ""))
    known = (os.path.realpath(one) for one in (*named, *users) if os.path.isabs(one))
    return tuple(dict.fromkeys((*known, _beside(project))))


def _beside(project: str) -> str:
    return os.path.dirname(os.path.realpath(project))


def _is_fit(place: str, project: str, above: set[str]) -> bool:
    """`above`: the folders above the project; what somebody can put there the project has above it, too."""
    try:
        if any(name.startswith(".") for name in place.split(os.sep)) or within(project, place):
            return False
        folders = (place, *toplevel.above(place))
        if any(os.path.lexists(os.path.join(folder, ".git")) for folder in folders):
            return False
        if not all(folder in above or _is_ours(folder) for folder in folders):
            return False
        system = os.statvfs(place)
        room = not system.f_flag & getattr(os, "ST_NOEXEC", 0) and system.f_bavail * system.f_frsize >= _ROOM
        return room and os.access(place, os.W_OK | os.X_OK)
    except OSError:  # it is not there, or says nothing
        return False


def _is_ours(folder: str) -> bool:
    """Whether only its user and the system write there."""
    found = os.lstat(folder)
    return stat.S_ISDIR(found.st_mode) and found.st_uid in (0, os.getuid()) and not found.st_mode & 0o022
