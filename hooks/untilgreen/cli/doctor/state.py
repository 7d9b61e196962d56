"""The state folder and what was left in it, whose its loops are, and what switches the hooks off."""

import os
import re
import stat
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import nullcontext

from untilgreen import hosts
from untilgreen.cli.doctor import hooks
from untilgreen.cli.doctor.case import DoctorCase
from untilgreen.cli.installing import targets
from untilgreen.core.findings import BROKEN, NOTE, OK, WARNING, Finding, run, word
from untilgreen.hosts.adapter import Adapter
from untilgreen.hosts.facts import Facts
from untilgreen.hosts.hook_health import HookHealth
from untilgreen.hosts.host import Source
from untilgreen.loops.begin import listing, starting
from untilgreen.loops.begin.listing import Kept
from untilgreen.loops.rest import orphans, parking, switching
from untilgreen.project import files
from untilgreen.state import locks, place, seal, store
from untilgreen.state.place import NOWHERE, WARM, seal_of

SUBJECT, LOOPS, SWITCHES = "state", "loops", "switches"
# variable -> what "1" switches off, and how bad that is
_VARIABLES = {
    "UNTILGREEN_DISABLE": ("every hook", BROKEN),
    "JIKIME_DISABLE_LOOP_CONTROLLER": ("every hook", BROKEN),
    "JIKIME_DISABLE_LSP_DIAGNOSTIC": ("post-tool-lsp", WARNING),
    "JIKIME_DISABLE_AST_GREP_SCAN": ("post-tool-ast-grep", WARNING),
}
_SILENT = 86_400.0  # seconds without a write after which a loop counts as left behind
_OLD = 7 * 86_400.0  # seconds after which a waiting loop would surprise its user
_LEFT = 3600.0  # seconds after which nobody is writing a temporary file any more
_ENTRY = re.compile(r"^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ) (.+)$")
_TAIL = 64 * 1024  # bytes of the log


def examine(case: DoctorCase) -> Iterator[Finding]:
    """What stands in the way of keeping count, and what was left over."""
    if case.base == NOWHERE:
        link = place.link_in(place.usual(case.root, case.env))
        if link and case.trusted:
            cure = f"to keep the state elsewhere there is the key state_dir; run: rm {word(link)}"
            yield Finding(SUBJECT, BROKEN, f"{case.shown(link)} is a symbolic link: no loop begins there", cure)
            return
        what = f"{starting.not_ours(case.root, case.env)[0]}: hooks neither read nor write there"
        cure = case.command(*(("start-loop",) if case.trusted else ("untilgreen", "trust")))
        yield Finding(SUBJECT, WARNING, what, cure)
        return
    if not os.path.lexists(case.base):
        what = f"there is no {case.shown(case.base)}: edits are not noted, stops without a loop are not judged"
        yield Finding(SUBJECT, NOTE, what, hooks.folder(case))
        return
    what, cure = _broken(case)
    yield Finding(SUBJECT, BROKEN if what else OK, what or f"{case.shown(case.base)} can be written", cure)
    if os.path.isdir(case.base):
        yield from _left(case)


def _broken(case: DoctorCase) -> tuple[str, str]:
    """What keeps the folder from being written, and its cure; "" where nothing does."""
    base, shown, path = case.base, case.shown(case.base), word(case.base)
    if not os.path.isdir(base):
        return f"{shown} is no folder", f"run: rm {path}"
    system = os.statvfs(base)
    if system.f_flag & os.ST_RDONLY:
        what = f"{shown} is on a read-only file system: a loop that cannot count lets go"
        return what, 'in the shell that starts the host, run: export UNTILGREEN_STATE_DIR="$HOME/.untilgreen-state"'
    if not os.access(base, os.W_OK | os.X_OK):
        return f"{shown} is not yours to write", f'run: sudo chown -R "$(id -u)" {path}'
    if system.f_bavail == 0 and system.f_blocks > 0:
        return f"the disk of {shown} is full: a loop that cannot count lets go", "make room there"
    return "", ""


def _left(case: DoctorCase) -> Iterator[Finding]:
    shown, path = case.shown(case.base), word(case.base)
    mode = stat.S_IMODE(os.stat(case.base).st_mode)
    if mode & 0o077:
        what = f"{shown} can be entered by others (mode {mode:03o})"
        yield Finding(SUBJECT, WARNING, what, f"run: chmod 700 {path}")
    if not os.path.exists(os.path.join(case.base, ".gitignore")):
        what = f"{shown}/.gitignore is gone, which keeps the state out of git"
        yield Finding(SUBJECT, WARNING, what, f"run: echo '*' > {path}/.gitignore")
    paths = sorted(os.path.join(folder, name) for folder, _, names in os.walk(case.base) for name in names)
    aside = [path for path in paths if ".corrupt-" in os.path.basename(path)]
    if aside:
        what = f"{len(aside)} document(s) could not be read and were put aside: {case.shown(aside[-1])}"
        yield Finding(SUBJECT, WARNING, what, run("rm", *aside))
    killed = [path for path in paths if path.endswith(".tmp") and time.time() - _written(path) > _LEFT]
    if killed:
        what = f"{len(killed)} temporary file(s) of processes that were killed"
        yield Finding(SUBJECT, NOTE, what, run("rm", *killed))
    yield from _warm(case)
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


def _warm(case: DoctorCase) -> Iterator[Finding]:
    """The broker of checkers, where one runs, or should not be begun again soon."""
    path = os.path.join(case.base, WARM, "lock")
    said = store.read_object(path)
    try:
        with locks.locked(path, 0) if said else nullcontext():
            if why := said.get("why"):
                yield Finding(SUBJECT, NOTE, f"no checker stays warm for edits: {why}", run("rm", path))
    except locks.Busy:
        what = f"a checker stays warm for edits (process {said.get('pid')}), until ten minutes after the last one"
        yield Finding(SUBJECT, NOTE, what, f"to end it now, {run('rm', path)}")
        if why := said.get("why"):
            yield Finding(SUBJECT, NOTE, f"one does not stay: {why}", run("rm", path))


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
    loop, silent, level = one.loop, time.time() - _written(one.path), NOTE
    name, session = loop.loop_id or "a held stop", loop.session_id
    cure = case.command("cancel-loop", "--session", session or "next")
    if loop.status == "waiting":
        what = "waits for whoever prompts here next"
        if silent >= _OLD:
            level, what = WARNING, f"{what}, for {silent / 86_400:.0f} days now"
        return Finding(LOOPS, level, f"{name} {what}", cure)
    name += f" (round {loop.rounds.iteration} of {loop.settings.max_iterations})"
    if seal.read(case.env, one.place) is None and not one.held:
        what = "runs without a seal: what is done to its state is not seen"
        cure = f"make {case.shown(os.path.dirname(seal_of(case.env, one.place.session)))} writable"
    elif loop.rest.parked:
        on = "it goes on with its session's next prompt" if alive else orphans.ways_on(loop)
        what = f"is {parking.why(loop)}; {on}"
    elif alive:
        level, what, cure = OK, f"runs in session {session}, and only there", ""
    elif silent > _SILENT:
        level, what = WARNING, f"was left behind: its session {session} is silent for {silent / 3600:.0f} hours"
    else:
        what = f"belongs to session {session}, whose host does not run now; resumed, it goes on"
    return Finding(LOOPS, level, f"{name} {what}", cure)


def switches(case: DoctorCase) -> Iterator[Finding]:
    """What is switched off, and by what."""
    there = [(hosts.get(name), targets.settings(name)) for name in case.present]
    found = [*_variables(case, [(own, case.files(host)) for host, own in there]), *_files(case)]
    for host, own in there:
        found += _named(case, host, own.silenced(case.read(host), case.root, case.env, case.shown))
    if not any(one.level == BROKEN for one in found):
        yield Finding(SWITCHES, OK, "nothing switches the hooks off")
    yield from found
    rounds = case.settings.max_iterations
    for host, own in there:
        told = own.cap(case.files(host), case.env, rounds)
        yield from _named(case, host, [told or _cap(case, host.facts, rounds)])


def _named(case: DoctorCase, host: Adapter, found: Iterable[Finding]) -> Iterator[Finding]:
    for one in found:
        yield one._replace(what=f"{host.facts.title}: {one.what}") if case.present[1:] else one


def _cap(case: DoctorCase, facts: Facts, rounds: int) -> Finding:
    """How often in a row the host lets hooks hold, against the rounds of a loop."""
    cap, variable = facts.cap.holds, facts.cap.variable
    set_ = case.env.get(variable, "")
    cap = int(set_) - facts.cap.over if set_.isdecimal() else cap
    if not cap:
        return Finding(SWITCHES, OK, "the host lets hooks hold as often as they like")
    between = "in a turn" if facts.cap.spans_tools else "in a row without a tool call between them"
    what = f"after {cap} holds {between} the host lets the agent go"
    if rounds - 1 <= cap:
        return Finding(SWITCHES, OK, what)
    more = f"run, if that is too few: export {variable}={rounds - 1 + facts.cap.over}"
    cure = more if variable else 'say "go on" there, and the loop does'
    return Finding(SWITCHES, NOTE, f"{what}; a loop has {rounds} rounds", cure)


def _variables(case: DoctorCase, healths: Sequence[tuple[HookHealth, list[Source]]]) -> Iterator[Finding]:
    for name, (what, level) in _VARIABLES.items():
        if case.env.get(name) == "1":
            text = f"{name}=1 in this environment switches {what} off in sessions that are started from it"
            yield Finding(SWITCHES, level, text, f"run: unset {name}")
        for health, theirs in healths:
            put = health.variable(theirs, name)
            if put and put[0] == "1":
                path = case.shown(put[1].scope.path)
                text = f"{name} is 1 in env of {path}: {what} off"
                yield Finding(SWITCHES, level, text, f"edit {path}: take env.{name} out")


def _files(case: DoctorCase) -> Iterator[Finding]:
    whose = {"user": "this user", "project": "this project", "session": "a session"}
    for one in switching.told(case.base, case.root, case.env):
        does = "an off file switches the hooks off" if one.off else "an on file keeps the hooks on"
        level = BROKEN if one.off and one.scope != "session" else NOTE
        what = f"{does} for {whose[one.scope]}: {case.shown(one.path)}"
        yield Finding(SWITCHES, level, what, run(*one.turned(case.root)))
