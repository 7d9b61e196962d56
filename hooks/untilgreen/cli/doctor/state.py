"""The state folder: can it be written, is it private, and what was left in it?"""

import os
import re
import stat
import time
from collections.abc import Iterator
from typing import NamedTuple

from untilgreen.cli.doctor import cures, registrations
from untilgreen.cli.doctor.case import Case
from untilgreen.cli.doctor.finding import BROKEN, NOTE, OK, WARNING, Finding
from untilgreen.state.place import FOLDER

SUBJECT = "state"
_LEFT = 3600.0  # seconds after which nobody is writing a temporary file any more
_ENTRY = re.compile(r"^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ) (.+)$")
_TAIL = 64 * 1024  # bytes of the log


class Seen(NamedTuple):
    """`there`: the folder is; `link`: it is a symbolic link; `folder`: it is a folder; `mode`: its permissions;
    `read_only`, `full`: the file system; `aside`, `leftovers`: paths of documents put aside and of temporary files;
    `fault`: the log's newest entry."""

    there: bool
    link: bool = False
    folder: bool = True
    mode: int = 0o700
    writable: bool = True
    read_only: bool = False
    full: bool = False
    ignoring: bool = True
    aside: tuple[str, ...] = ()
    leftovers: tuple[str, ...] = ()
    fault: str = ""


def look(base: str) -> Seen:
    """The folder as it is."""
    if not os.path.lexists(base):
        return Seen(there=False)
    link = os.path.islink(base) and os.path.basename(base) == FOLDER
    if not os.path.isdir(base):
        return Seen(there=True, link=link, folder=False)
    system, names = (
        os.statvfs(base),
        [os.path.join(folder, name) for folder, _, files in os.walk(base) for name in files],
    )
    return Seen(
        there=True,
        link=link,
        mode=stat.S_IMODE(os.stat(base).st_mode),
        writable=os.access(base, os.W_OK | os.X_OK),
        read_only=bool(system.f_flag & os.ST_RDONLY),
        full=system.f_bavail == 0 and system.f_blocks > 0,
        ignoring=os.path.exists(os.path.join(base, ".gitignore")),
        aside=tuple(sorted(name for name in names if ".corrupt-" in os.path.basename(name))),
        leftovers=tuple(sorted(name for name in names if name.endswith(".tmp") and _old(name))),
        fault=_newest(os.path.join(base, "untilgreen.log")),
    )


def _old(path: str) -> bool:
    try:
        return time.time() - os.stat(path).st_mtime > _LEFT
    except OSError:
        return False


def _newest(path: str) -> str:
    """The first line of the log's last entry; tracebacks follow it."""
    try:
        with open(path, "rb") as file:
            file.seek(max(0, os.path.getsize(path) - _TAIL))
            lines = file.read().decode("utf-8", "replace").splitlines()
    except OSError:
        return ""
    found = [number for number, line in enumerate(lines) if _ENTRY.match(line)]
    if not found:
        return ""
    entry = lines[found[-1] :]
    entry[0] = entry[0].removesuffix(" Traceback (most recent call last):")
    end = [line for line in entry[1:] if line and not line.startswith((" ", "Traceback"))]
    return " ".join([entry[0], *end[-1:]])


def findings(case: Case, seen: Seen, scope: str = "local") -> tuple[Finding, ...]:
    """What stands in the way of keeping count, and what was left over. `scope`: where the hooks are registered."""
    if not seen.there:
        what = f"there is no {case.shown(case.base)}: edits are not noted, stops without a loop are not judged"
        return (Finding(SUBJECT, NOTE, what, registrations.folder(case, scope)),)
    path = cures.word(case.base)
    said = [*_broken(case, seen, path)]
    if not said:
        said.append(Finding(SUBJECT, OK, f"{case.shown(case.base)} can be written"))
    if seen.folder and seen.mode & 0o077:
        what = f"{case.shown(case.base)} can be entered by others (mode {seen.mode:03o})"
        said.append(Finding(SUBJECT, WARNING, what, f"run: chmod 700 {path}"))
    if not seen.ignoring:
        what = f"{case.shown(case.base)}/.gitignore is gone, which keeps the state out of git"
        said.append(Finding(SUBJECT, WARNING, what, f"run: echo '*' > {path}/.gitignore"))
    return (*said, *_left(case, seen))


def _broken(case: Case, seen: Seen, path: str) -> Iterator[Finding]:
    shown = case.shown(case.base)
    if seen.link:
        what = f"{shown} is a symbolic link: no loop begins there"
        cure = f"to keep the state elsewhere there is the key state_dir; run: rm {path}"
        yield Finding(SUBJECT, BROKEN, what, cure)
    elif not seen.folder:
        yield Finding(SUBJECT, BROKEN, f"{shown} is no folder", f"run: rm {path}")
    elif seen.read_only:
        what = f"{shown} is on a read-only file system: a loop that cannot count lets go"
        cure = 'in the shell that starts the host, run: export UNTILGREEN_STATE_DIR="$HOME/.untilgreen-state"'
        yield Finding(SUBJECT, BROKEN, what, cure)
    elif not seen.writable:
        yield Finding(SUBJECT, BROKEN, f"{shown} is not yours to write", f'run: sudo chown -R "$(id -u)" {path}')
    elif seen.full:
        yield Finding(
            SUBJECT, BROKEN, f"the disk of {shown} is full: a loop that cannot count lets go", "make room there"
        )


def _left(case: Case, seen: Seen) -> Iterator[Finding]:
    if seen.aside:
        what = f"{len(seen.aside)} document(s) could not be read and were put aside: {case.shown(seen.aside[-1])}"
        yield Finding(SUBJECT, WARNING, what, cures.run("rm", *seen.aside))
    if seen.leftovers:
        what = f"{len(seen.leftovers)} temporary file(s) of processes that were killed"
        yield Finding(SUBJECT, NOTE, what, cures.run("rm", *seen.leftovers))
    if seen.fault:
        log = os.path.join(case.base, "untilgreen.log")
        cure = f"read {case.shown(log)}; when it is dealt with, {cures.run('rm', log)}"
        yield Finding(SUBJECT, WARNING, f"newest fault in the log: {seen.fault}", cure)
