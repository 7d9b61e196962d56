"""The state folder: can it be written, is it private, what was left in it; and whose are its loops?"""

import os
import re
import stat
import time
from collections.abc import Iterator

from untilgreen.cli.doctor import hooks
from untilgreen.cli.doctor.case import DoctorCase
from untilgreen.core.findings import BROKEN, NOTE, OK, WARNING, Finding, run, word
from untilgreen.loops.begin import listing, starting
from untilgreen.loops.begin.listing import Kept
from untilgreen.loops.rest import orphans, parking
from untilgreen.project import files
from untilgreen.state import place, seal, store
from untilgreen.state.place import NOWHERE, seal_of

SUBJECT, LOOPS = "state", "loops"
_SILENT = 86_400.0  # seconds without a write after which a loop counts as left behind
_OLD = 7 * 86_400.0  # seconds after which a waiting loop would surprise its user
_LEFT = 3600.0  # seconds after which nobody is writing a temporary file any more
_ENTRY = re.compile(r"^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ) (.+)$")
_TAIL = 64 * 1024  # bytes of the log


def examine(case: DoctorCase) -> Iterator[Finding]:
    """What stands in the way of keeping count, and what was left over."""
    if case.base == NOWHERE:
        yield _foreign(case)
        return
    if not os.path.lexists(case.base):
        what = f"there is no {case.shown(case.base)}: edits are not noted, stops without a loop are not judged"
        yield Finding(SUBJECT, NOTE, what, hooks.folder(case))
        return
    broken = next(_broken(case), None)
    yield broken or Finding(SUBJECT, OK, f"{case.shown(case.base)} can be written")
    if os.path.isdir(case.base):
        yield from _open(case)
        yield from _left(case)


def _foreign(case: DoctorCase) -> Finding:
    link = place.link_in(place.usual(case.root, case.env))
    if link and case.trusted:
        cure = f"to keep the state elsewhere there is the key state_dir; run: rm {word(link)}"
        return Finding(SUBJECT, BROKEN, f"{case.shown(link)} is a symbolic link: no loop begins there", cure)
    reason, _ = starting.not_ours(case.root, case.env)
    what = f"{reason}: hooks neither read nor write there"
    return Finding(
        SUBJECT, WARNING, what, case.command(*(("start-loop",) if case.trusted else ("untilgreen", "trust")))
    )


def _broken(case: DoctorCase) -> Iterator[Finding]:
    base, shown, path = case.base, case.shown(case.base), word(case.base)
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
    killed = [path for path in paths if path.endswith(".tmp") and time.time() - _written(path) > _LEFT]
    if killed:
        what = f"{len(killed)} temporary file(s) of processes that were killed"
        yield Finding(SUBJECT, NOTE, what, run("rm", *killed))
    log = os.path.join(case.base, "untilgreen.log")
    if fault := _newest(log):
        cure = f"read {case.shown(log)}; when it is dealt with, {run('rm', log)}"
        yield Finding(SUBJECT, WARNING, f"newest fault in the log: {fault}", cure)


def _written(path: str) -> float:
    """When a file was last written; now, where it was moved or removed just now."""
    try:
        return os.stat(path).st_mtime
    except OSError:
        return time.time()


def _newest(path: str) -> str:
    """The first line of the log's last entry, and what its traceback ends with; "" where there is none."""
    if not os.path.isfile(path) or os.path.islink(path):
        return ""
    with open(path, "rb", opener=files.opened) as file:
        file.seek(max(0, os.path.getsize(path) - _TAIL))
        lines = file.read().decode("utf-8", "replace").splitlines()
    entries = [number for number, line in enumerate(lines) if _ENTRY.match(line)]
    first, *more = lines[entries[-1] :] if entries else [""]
    end = [line for line in more if line and not line.startswith((" ", "Traceback"))]
    return " ".join([first.removesuffix(" Traceback (most recent call last):"), *end[-1:]])


def loops(case: DoctorCase) -> Iterator[Finding]:
    """Loops that still count for somebody, and those that count for nobody. Moves no file."""
    alive = {place.session for place, _ in listing.live_sessions(case.base, case.root)}
    found, unreadable = listing.everything(case.base, case.root)
    active = [one for one in found if one.loop.active]
    for error in unreadable:
        if isinstance(error, store.Corrupt):
            yield Finding(LOOPS, WARNING, f"{error}; the next stop puts it aside", run("rm", error.path))
        else:
            cure = "install the newer untilgreen here, too; or make the file yours to read"
            yield Finding(LOOPS, WARNING, str(error), cure)
    for one in active:
        yield _of(case, one, alive=one.place.session in alive)
    if not active and not unreadable:
        yield Finding(LOOPS, OK, "none runs or waits")


def _of(case: DoctorCase, one: Kept, *, alive: bool) -> Finding:
    loop, silent = one.loop, time.time() - _written(one.path)
    name = loop.loop_id or "a held stop"
    cancel = case.command("cancel-loop", "--session", loop.session_id or "next")
    if loop.status == "waiting":
        what = f"{name} waits for whoever prompts here next"
        if silent < _OLD:
            return Finding(LOOPS, NOTE, what, cancel)
        return Finding(LOOPS, WARNING, f"{what}, for {silent / 86_400:.0f} days now", cancel)
    name += f" (round {loop.rounds.iteration} of {loop.settings.max_iterations})"
    if seal.read(case.env, one.place) is None and not one.held:
        folder = os.path.dirname(seal_of(case.env, one.place.session))
        what = f"{name} runs without a seal: what is done to its state is not seen"
        return Finding(LOOPS, NOTE, what, f"make {case.shown(folder)} writable")
    if alive and loop.rest.parked:
        return Finding(LOOPS, NOTE, f"{name} is {parking.why(loop)}; it goes on with its session's next prompt", cancel)
    if alive:
        return Finding(LOOPS, OK, f"{name} runs in session {loop.session_id}, and only there")
    if loop.rest.parked:
        return Finding(LOOPS, NOTE, f"{name} is {parking.why(loop)}; {orphans.ways_on(loop)}", cancel)
    if silent > _SILENT:
        hours = f"{silent / 3600:.0f} hours"
        what = f"{name} was left behind: its session {loop.session_id} is silent for {hours}"
        return Finding(LOOPS, WARNING, what, cancel)
    what = f"{name} belongs to session {loop.session_id}, whose host does not run now; resumed, it goes on"
    return Finding(LOOPS, NOTE, what, cancel)
