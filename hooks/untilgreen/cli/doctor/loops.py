"""Loops that run, wait or were left behind: whose they are, and whether anybody is there."""

import time
from collections.abc import Iterator

from untilgreen.cli.doctor.case import DoctorCase
from untilgreen.cli.doctor.state import silent_since
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
        if isinstance(error, store.Corrupt):
            yield Finding(SUBJECT, WARNING, f"{error}; the next stop puts it aside", run("rm", error.path))
        else:
            cure = "install the newer untilgreen here, too; or make the file yours to read"
            yield Finding(SUBJECT, WARNING, str(error), cure)
    for one in active:
        yield _of(case, one, alive=one.place.session in alive)
    if not active and not unreadable:
        yield Finding(SUBJECT, OK, "none runs or waits")


def _of(case: DoctorCase, one: Kept, *, alive: bool) -> Finding:
    loop, silent = one.loop, time.time() - silent_since(one.path)
    name = loop.loop_id or "a held stop"
    cancel = case.command("cancel-loop", "--session", loop.session_id or "next")
    if loop.status == "waiting":
        what = f"{name} waits for whoever prompts here next"
        if silent < _OLD:
            return Finding(SUBJECT, NOTE, what, cancel)
        return Finding(SUBJECT, WARNING, f"{what}, for {silent / 86_400:.0f} days now", cancel)
    name += f" (round {loop.iteration}/{loop.settings.max_iterations})"
    if alive:
        return Finding(SUBJECT, OK, f"{name} runs in session {loop.session_id}, and only there")
    if loop.status == "paused":
        return Finding(SUBJECT, NOTE, f"{name} was parked by /clear, and no session took it over", cancel)
    if silent > _SILENT:
        hours = f"{silent / 3600:.0f} hours"
        what = f"{name} was left behind: its session {loop.session_id} is silent for {hours}"
        return Finding(SUBJECT, WARNING, what, cancel)
    what = f"{name} belongs to session {loop.session_id}, whose host does not run now; resumed, it goes on"
    return Finding(SUBJECT, NOTE, what, cancel)
