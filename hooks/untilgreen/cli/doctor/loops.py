"""Loops that run, wait or were left behind: whose they are, and whether anybody is there."""

import os
import time
from collections.abc import Iterator
from typing import NamedTuple

from untilgreen.cli.doctor import cures
from untilgreen.cli.doctor.case import Case
from untilgreen.cli.doctor.finding import NOTE, OK, WARNING, Finding
from untilgreen.core.model import Loop
from untilgreen.loops import listing

SUBJECT = "loops"
_SILENT = 86_400.0  # seconds without a word after which a loop is taken for left behind
_OLD = 7 * 86_400.0  # seconds that a waiting loop may wait before it surprises somebody


class Active(NamedTuple):
    """A loop that runs, waits or is parked. `silent`: seconds since its file was last written; `alive`: the host of
    its session still runs."""

    loop: Loop
    silent: float
    alive: bool


class Seen(NamedTuple):
    """`unreadable`: a line for each document that is no loop, its path first."""

    active: tuple[Active, ...]
    unreadable: tuple[str, ...]


def look(case: Case) -> Seen:
    """Every loop that is not over, read without putting anything aside."""
    alive = {place.session for place, _ in listing.live_sessions(case.base, case.root)}
    kept, unreadable = listing.everything(case.base, case.root)
    active = tuple(
        Active(one.loop, time.time() - _changed(one.path), one.place.session in alive)
        for one in kept
        if one.loop.active
    )
    return Seen(active, unreadable)


def _changed(path: str) -> float:
    try:
        return os.stat(path).st_mtime
    except OSError:  # it was moved to another session just now
        return time.time()


def findings(case: Case, seen: Seen) -> tuple[Finding, ...]:
    """Loops that still count for somebody, and those that count for nobody."""
    said = [*(_unreadable(line) for line in seen.unreadable), *(one for kept in seen.active for one in _of(case, kept))]
    return tuple(said) or (Finding(SUBJECT, OK, "none runs or waits"),)


def _unreadable(line: str) -> Finding:
    path, unreadable, _ = line.partition(" is not readable (")
    if unreadable:
        return Finding(SUBJECT, WARNING, f"{line}; the next stop puts it aside", cures.run("rm", path))
    return Finding(SUBJECT, WARNING, line, "install the newer untilgreen here, too; or make the file yours to read")


def _of(case: Case, one: Active) -> Iterator[Finding]:
    loop = one.loop
    name, state = loop.loop_id or "a held stop", f"round {loop.iteration}/{loop.max_iterations}"
    if loop.status == "waiting":
        cancel = case.command("cancel-loop", "--session", "next")
        level = NOTE if one.silent < _OLD else WARNING
        since = "" if level == NOTE else f", for {one.silent / 86_400:.0f} days now"
        yield Finding(SUBJECT, level, f"{name} waits for whoever prompts here next{since}", cancel)
        return
    cancel = case.command("cancel-loop", "--session", loop.session_id)
    if one.alive:
        yield Finding(SUBJECT, OK, f"{name} runs ({state}) in session {loop.session_id}, and only there")
    elif loop.status == "paused":
        what = f"{name} ({state}) was parked by /clear, and no session took it over"
        yield Finding(SUBJECT, NOTE, what, cancel)
    elif one.silent > _SILENT:
        hours = f"{one.silent / 3600:.0f} hours"
        what = f"{name} ({state}) was left behind: its session {loop.session_id} is silent for {hours}"
        yield Finding(SUBJECT, WARNING, what, cancel)
    else:
        what = (
            f"{name} ({state}) belongs to session {loop.session_id}, whose host does not run now; resumed, it goes on"
        )
        yield Finding(SUBJECT, NOTE, what, cancel)
