"""`untilgreen wait`: ask what is pending again until it has ended."""

import os
import time
from collections.abc import Sequence

import click

from untilgreen import hosts
from untilgreen.checks.plan import planning
from untilgreen.checks.run import checking
from untilgreen.core import foreign
from untilgreen.core.errors import UserError
from untilgreen.core.model.check import Check, kind_of
from untilgreen.core.model.loop import Loop
from untilgreen.core.model.outcome import Clean, Found, Outcome, Pending, Result
from untilgreen.core.verdict import rounds
from untilgreen.loops.begin import listing, starting
from untilgreen.loops.begin.listing import Kept
from untilgreen.state import catalogue, store
from untilgreen.state.place import STATE, of

_OVER, _RED, _TIME_IS_UP = 0, 1, 4
_LONGEST = 60.0  # seconds between two goes
_GROWS = 1.5


@click.command("wait", epilog="Example: untilgreen wait --minutes 30")
@click.option("--session", default="", metavar="ID", help="The session whose loop is meant; else the only one running.")
@click.option("--project", default="", metavar="DIR", help="The project's folder.")
@click.option(
    "--minutes",
    type=click.FloatRange(min=0, min_open=True),
    metavar="N",
    help="Give up after so long; else a check's own pending_minutes are the limit.",
)
@click.option(
    "--every",
    type=click.FloatRange(min=0, min_open=True),
    default=5.0,
    metavar="SECONDS",
    help="The first pause, 5 seconds; each is half as long again as the one before, up to a minute.",
)
def command(session: str, project: str, minutes: float | None, every: float) -> None:
    """Wait until no check of the loop is pending any more.

    It asks those commands of yours that may answer *not yet* (checks.NAME.pending), with growing pauses, and prints a
    line for each that changes. The loop is judged at its next stop all the same.

    Exit code 0: nothing is pending; 1: a check is red, or broken; 4: time was up.
    """
    root = starting.root_of(project, os.environ)
    kept = _meant(root, session or hosts.session(os.environ))
    until = time.monotonic() + minutes * 60 if minutes else float("inf")
    click.get_current_context().exit(_wait(kept, until, every))


def _meant(root: str, session: str) -> Kept:
    """The running loop that is meant. Raises UserError where none is, or several could be."""
    base = starting.base_of(root, os.environ)
    running = [one for one in listing.everything(base, root)[0] if one.loop.active and one.loop.session_id]
    theirs = [one for one in running if one.place == of(root, base, session)] if session else running
    if len(theirs) > 1:
        listed = "; ".join(listing.line(one.loop, catalogue.english()) for one in theirs)
        raise UserError(f"several loops run here: {listed}", "name one with --session ID")
    if not theirs:
        raise UserError("no loop is running here", "run untilgreen status")
    return theirs[0]


def _wait(kept: Kept, until: float, pause: float) -> int:
    """Ask until nothing is pending; the exit code."""
    loop, since, told = kept.loop, dict(kept.loop.rest.pending), dict[str, str]()
    own = loop.settings.checks
    asked = tuple(one for one in loop.checks.plan if one.name in own and own[one.name].pending)
    if not asked:
        click.echo("untilgreen: no check of this loop can be pending (checks.NAME.pending)")
    while asked:
        ended, since = rounds.settled(_answers(loop, asked), since, own, time.time())
        for check, outcome in ended:
            if told.get(check.name) != kind_of(outcome):
                click.echo(foreign.one_line(f"{check.name}: {_said(outcome)}"))
                told[check.name] = kind_of(outcome)
        if any(not isinstance(outcome, Clean | Pending) for _, outcome in ended):
            return _RED
        asked = tuple(check for check, outcome in ended if isinstance(outcome, Pending))
        left = until - time.monotonic()
        if asked and left <= 0:
            return _TIME_IS_UP
        time.sleep(min(pause, left) if asked else 0)
        pause = min(pause * _GROWS, _LONGEST)
        now = store.look_at(kept.place.file(STATE)) if asked else loop
        if now is None or not now.active or now.loop_id != loop.loop_id:
            click.echo("untilgreen: the loop is over")
            break
    return _OVER


def _answers(loop: Loop, asked: Sequence[Check]) -> tuple[Result, ...]:
    scope = planning.scope_of(loop, os.environ)
    return checking.run(scope, asked, checking.Watch(time.monotonic() + loop.settings.deadline))


def _said(outcome: Outcome) -> str:
    if isinstance(outcome, Clean):
        return "clean"
    if isinstance(outcome, Found):
        return f"red, {outcome.diagnostics[0].message}"
    return f"{kind_of(outcome)}, {outcome.reason}".removesuffix(", ")
