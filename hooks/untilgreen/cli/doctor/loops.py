"""Loops that run, wait or were left behind: whose they are, and whether anybody is there."""

import os
import time
from collections.abc import Iterator

from untilgreen.cli.doctor.case import DoctorCase
from untilgreen.core.findings import NOTE, OK, WARNING, Finding, run
from untilgreen.loops import listing
from untilgreen.loops.listing import Kept
from untilgreen.state import store

SUBJECT = "loops"
_SILENT = 86_400.0  # seconds without a write after which a loop counts as left behind
_OLD = 7 * 86_400.0  # seconds after which a waiting loop would surprise its user


def examine(case: DoctorCase) -> Iterator[Finding]:
    """Loops that still count for somebody, and those that count for nobody. Moves no file."""
    alive = {place.session for place, _ in listing.live_sessions(case.base, case.root)}
    found, unreadable = listing.everything(case.base, case.root)
    active = [one for one in found if one.loop.active]
    for error in unreadable:
        yield _unreadable(error)
    for one in active:
        yield _of(case, one, alive=one.place.session in alive)
    if not active and not unreadable:
        yield Finding(SUBJECT, OK, "none runs or waits")


def _unreadable(error: store.Unreadable) -> Finding:
    if isinstance(error, store.Corrupt):
        return Finding(SUBJECT, WARNING, f"{error}; the next stop puts it aside", run("rm", error.path))
    cure = "install the newer untilgreen here, too; or make the file yours to read"
    return Finding(SUBJECT, WARNING, str(error), cure)


def _of(case: DoctorCase, one: Kept, *, alive: bool) -> Finding:
    loop, silent = one.loop, _silent(one.path)
    name, state = loop.loop_id or "a held stop", f"round {loop.iteration}/{loop.settings.max_iterations}"
    if loop.status == "waiting":
        what, cancel = f"{name} waits for whoever prompts here next", case.command("cancel-loop", "--session", "next")
        if silent < _OLD:
            return Finding(SUBJECT, NOTE, what, cancel)
        return Finding(SUBJECT, WARNING, f"{what}, for {silent / 86_400:.0f} days now", cancel)
    cancel = case.command("cancel-loop", "--session", loop.session_id)
    if alive:
        return Finding(SUBJECT, OK, f"{name} runs ({state}) in session {loop.session_id}, and only there")
    if loop.status == "paused":
        what = f"{name} ({state}) was parked by /clear, and no session took it over"
        return Finding(SUBJECT, NOTE, what, cancel)
    if silent > _SILENT:
        hours = f"{silent / 3600:.0f} hours"
        what = f"{name} ({state}) was left behind: its session {loop.session_id} is silent for {hours}"
        return Finding(SUBJECT, WARNING, what, cancel)
    what = f"{name} ({state}) belongs to session {loop.session_id}, whose host does not run now; resumed, it goes on"
    return Finding(SUBJECT, NOTE, what, cancel)


def _silent(path: str) -> float:
    """Seconds since a loop's file was last written."""
    try:
        return time.time() - os.stat(path).st_mtime
    except OSError:  # it was moved to another session just now
        return 0.0
