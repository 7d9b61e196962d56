"""The state folder: can it be written, is it private, and what was left in it?"""

import os
import re
import stat
import time
from collections.abc import Iterator

from untilgreen.cli.doctor import hooks
from untilgreen.cli.doctor.case import DoctorCase
from untilgreen.core.findings import BROKEN, NOTE, OK, WARNING, Finding, run, word
from untilgreen.state.place import FOLDER

SUBJECT = "state"
_LEFT = 3600.0  # seconds after which nobody is writing a temporary file any more
_ENTRY = re.compile(r"^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ) (.+)$")
_TAIL = 64 * 1024  # bytes of the log


def examine(case: DoctorCase) -> Iterator[Finding]:
    """What stands in the way of keeping count, and what was left over."""
    if not os.path.lexists(case.base):
        what = f"there is no {case.shown(case.base)}: edits are not noted, stops without a loop are not judged"
        yield Finding(SUBJECT, NOTE, what, hooks.folder(case))
        return
    broken = next(_broken(case), None)
    yield broken or Finding(SUBJECT, OK, f"{case.shown(case.base)} can be written")
    if os.path.isdir(case.base):
        yield from _open(case)
        yield from _left(case)


def _broken(case: DoctorCase) -> Iterator[Finding]:
    base, shown, path = case.base, case.shown(case.base), word(case.base)
    if os.path.islink(base) and os.path.basename(base) == FOLDER:
        cure = f"to keep the state elsewhere there is the key state_dir; run: rm {path}"
        yield Finding(SUBJECT, BROKEN, f"{shown} is a symbolic link: no loop begins there", cure)
    if not os.path.isdir(base):
        yield Finding(SUBJECT, BROKEN, f"{shown} is no folder", f"run: rm {path}")
        return
    system = os.statvfs(base)
    if system.f_flag & os.ST_RDONLY:
        what = f"{shown} is on a read-only file system: a loop that cannot count lets go"
        cure = 'in the shell that starts the host, run: export UNTILGREEN_STATE_DIR="$HOME/.untilgreen-state"'
        yield Finding(SUBJECT, BROKEN, what, cure)
    if not os.access(base, os.W_OK | os.X_OK):
        yield Finding(SUBJECT, BROKEN, f"{shown} is not yours to write", f'run: sudo chown -R "$(id -u)" {path}')
    if system.f_bavail == 0 and system.f_blocks > 0:
        what = f"the disk of {shown} is full: a loop that cannot count lets go"
        yield Finding(SUBJECT, BROKEN, what, "make room there")


def _open(case: DoctorCase) -> Iterator[Finding]:
    shown, path = case.shown(case.base), word(case.base)
    mode = stat.S_IMODE(os.stat(case.base).st_mode)
    if mode & 0o077:
        what = f"{shown} can be entered by others (mode {mode:03o})"
        yield Finding(SUBJECT, WARNING, what, f"run: chmod 700 {path}")
    if not os.path.exists(os.path.join(case.base, ".gitignore")):
        what = f"{shown}/.gitignore is gone, which keeps the state out of git"
        yield Finding(SUBJECT, WARNING, what, f"run: echo '*' > {path}/.gitignore")


def _left(case: DoctorCase) -> Iterator[Finding]:
    paths = sorted(os.path.join(folder, name) for folder, _, names in os.walk(case.base) for name in names)
    aside = [path for path in paths if ".corrupt-" in os.path.basename(path)]
    if aside:
        what = f"{len(aside)} document(s) could not be read and were put aside: {case.shown(aside[-1])}"
        yield Finding(SUBJECT, WARNING, what, run("rm", *aside))
    killed = [path for path in paths if path.endswith(".tmp") and time.time() - silent_since(path) > _LEFT]
    if killed:
        what = f"{len(killed)} temporary file(s) of processes that were killed"
        yield Finding(SUBJECT, NOTE, what, run("rm", *killed))
    log = os.path.join(case.base, "untilgreen.log")
    if fault := _newest(log):
        cure = f"read {case.shown(log)}; when it is dealt with, {run('rm', log)}"
        yield Finding(SUBJECT, WARNING, f"newest fault in the log: {fault}", cure)


def silent_since(path: str) -> float:
    """When a file was last written; now, where it was moved or removed just now."""
    try:
        return os.stat(path).st_mtime
    except OSError:
        return time.time()


def _newest(path: str) -> str:
    """The first line of the log's last entry, and what its traceback ends with; "" where there is none."""
    if not os.path.isfile(path):
        return ""
    with open(path, "rb") as file:
        file.seek(max(0, os.path.getsize(path) - _TAIL))
        lines = file.read().decode("utf-8", "replace").splitlines()
    entries = [number for number, line in enumerate(lines) if _ENTRY.match(line)]
    first, *more = lines[entries[-1] :] if entries else [""]
    end = [line for line in more if line and not line.startswith((" ", "Traceback"))]
    return " ".join([first.removesuffix(" Traceback (most recent call last):"), *end[-1:]])
