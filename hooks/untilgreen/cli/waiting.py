"""`untilgreen status --wait`: ask what is pending again until it has ended."""

import os
import time
from collections.abc import Iterator

import click

from untilgreen import hosts
from untilgreen.checks.plan import planning
from untilgreen.checks.run import checking
from untilgreen.cli import errors
from untilgreen.core import foreign
from untilgreen.core.errors import UserError
from untilgreen.core.model.check import kind_of
from untilgreen.core.model.event import Place
from untilgreen.core.model.loop import Loop
from untilgreen.core.model.outcome import Clean, Found, Outcome, Pending
from untilgreen.core.verdict import rounds
from untilgreen.loops.begin import listing, starting
from untilgreen.loops.begin.listing import Kept
from untilgreen.state import store
from untilgreen.state.place import STATE, of

_FIRST = 0.5  # seconds of the first pause


def growing(first: float, longest: float, factor: float = 2.0) -> Iterator[float]:
    """Seconds between two tries: from the first on, each this much longer, up to the longest."""
    while True:
        yield first
        first = min(first * factor, longest)


def runs_on(place: Place, loop: Loop) -> bool:
    """Whether the loop still runs there, and is this one."""
    now = store.look_at(place.file(STATE))
    return now is not None and now.active and now.loop_id == loop.loop_id


def wait(root: str, session: str, minutes: float) -> int:
    """Ask the commands that may answer *not yet* (checks.NAME.pending), with growing pauses, until none is pending; a
    line for each that changes. The loop is judged at its next stop all the same.

    `minutes`: give up after so long; inf: a check's own pending_minutes are the limit. The exit code: 0 nothing is
    pending, 1 a check is red or broken, 4 time was up. Raises UserError.
    """
    kept = _meant(root, session or hosts.session(os.environ))
    return _wait(kept, time.monotonic() + minutes * 60, growing(_FIRST, 60.0, 1.5))


def _meant(root: str, session: str) -> Kept:
    """The running loop that is meant. Raises UserError where none is, or several could be."""
    base = starting.base_of(root, os.environ)
    running = [one for one in listing.everything(base, root)[0] if one.loop.active and one.loop.session_id]
    theirs = [one for one in running if one.place == of(root, base, session)] if session else running
    if not theirs:
        raise UserError("no loop is running here", "run untilgreen status")
    listing.only(theirs, "several loops run here")
    return theirs[0]


def _wait(kept: Kept, until: float, pauses: Iterator[float]) -> int:
    loop, since, told = kept.loop, dict(kept.loop.rest.pending), dict[str, str]()
    own = loop.settings.checks
    asked = tuple(one for one in loop.checks.plan if one.name in own and own[one.name].pending)
    if not asked:
        click.echo("untilgreen: no check of this loop can be pending (checks.NAME.pending)")
    while asked:
        watch = checking.Watch(time.monotonic() + loop.settings.deadline)
        answers = checking.run(planning.scope_of(loop, os.environ), asked, watch)
        ended, since = rounds.settled(answers, since, own, time.time())
        for check, outcome in ended:
            if told.get(check.name) != kind_of(outcome):
                click.echo(foreign.one_line(f"{check.name}: {_said(outcome)}"))
                told[check.name] = kind_of(outcome)
        if any(not isinstance(outcome, Clean | Pending) for _, outcome in ended):
            return errors.NO
        asked = tuple(check for check, outcome in ended if isinstance(outcome, Pending))
        left = until - time.monotonic()
        if asked and left <= 0:
            return errors.UNJUDGED
        if asked:
            time.sleep(min(next(pauses), left))
            if not runs_on(kept.place, loop):
                click.echo("untilgreen: the loop is over")
                break
    return errors.OK


def _said(outcome: Outcome) -> str:
    if isinstance(outcome, Clean):
        return "clean"
    if isinstance(outcome, Found):
        return f"red, {outcome.diagnostics[0].message}"
    return f"{kind_of(outcome)}, {outcome.reason}".removesuffix(", ")
