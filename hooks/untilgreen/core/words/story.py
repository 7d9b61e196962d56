"""A loop's history as data: what `show`, `watch` and `report` tell. Pure.

Nothing is in it that was not written down: what is not known of a round is None, or empty.
"""

from collections import Counter
from collections.abc import Iterable

from untilgreen.core import foreign, secrets
from untilgreen.core.model.event import Act, Tokens
from untilgreen.core.model.loop import Loop
from untilgreen.core.model.snapshot import Item, Snapshot
from untilgreen.core.record import NamedTuple
from untilgreen.core.words import brief, report

_LONGEST = 120  # characters of a command
_ENDS = {"stagnant": "stuck", "max-iterations": "out of rounds", "max-wall-time": "out of time"}
_LATE = ("judge", "hook", "review")
_MILLISECONDS = len("2026-11-21T09:30:00.000")  # a host's record has no finer ones


class Noted(NamedTuple):
    """A counted stop as the journal has it. No line says times where the stop was judged without a check."""

    snapshot: Snapshot | None
    timestamp: str = ""  #: when the stop was over
    elapsed_seconds: float | None = None
    but: tuple[str, ...] = ()
    seconds: dict[str, float] = {}
    host: str = ""
    transcript: str = ""


class Work(NamedTuple):
    """What the agent did in a round, by its host's record."""

    edits: dict[str, int]  #: file to how often it was written
    commands: dict[str, int]  #: command of a shell, in one line, to how often it ran
    tokens: Tokens


class Ran(NamedTuple):
    """What a check said in a round."""

    name: str
    outcome: str  #: "clean", "found", "broken", "absent" or "pending"
    failing: int
    tests: int | None  #: how many it ran, None where it runs none
    seconds: float | None


class Told(NamedTuple):
    """Something that is left, in the words that the agent reads."""

    text: str
    new: bool  #: it was not there in the round before


class Round(NamedTuple):
    number: int
    judged_at: str  #: ISO 8601, in UTC
    over_at: str  #: when its checks were over, "" where nobody knows
    left: int | None  #: None: only a promise was asked for
    hidden: tuple[str, ...]  #: the stages of which a broken check or a syntax error may hide more
    checks: tuple[Ran, ...]
    items: tuple[Told, ...]  #: fewer than `left` where they were not kept
    fixed: tuple[str, ...]
    but: tuple[str, ...]
    seconds: float | None  #: for how long the agent worked on it
    work: Work | None


class Story(NamedTuple):
    """A loop from its start to where it stands."""

    loop_id: str
    session_id: str
    project: str
    task: str
    verdict: str  #: as `verdict` says it
    outcome: str  #: how it ended, or where it stands
    history: str  #: left, round by round, with bars; "" where nothing was measured
    active: bool
    started_at: str
    ended_at: str
    seconds: float  #: of the agent's work
    most: int  #: rounds that it may have
    asked: tuple[str, ...]  #: what was asked for, of which checks, and what was red already: a line each
    rounds: tuple[Round, ...]


Counted = tuple[Snapshot, Noted | None]  # what the checks said at a stop, and what the journal has beside it


def of(
    loop: Loop, noted: Iterable[Noted], acts: Iterable[Act], outcome: str, history: str, asked: Iterable[str]
) -> Story:
    counted, acts = _counted(loop, noted), tuple(acts)
    return Story(
        loop_id=foreign.one_line(loop.loop_id),
        session_id=foreign.one_line(loop.session_id),
        project=foreign.one_line(loop.project),
        task=_own(loop.task_description),
        verdict=verdict(loop),
        outcome=_own(outcome),
        history=history,
        active=loop.active,
        started_at=foreign.one_line(loop.started_at),
        ended_at=foreign.one_line(loop.end.ended_at or ""),
        seconds=loop.clock.elapsed_seconds,
        most=loop.settings.max_iterations,
        asked=tuple(map(_own, asked)),
        rounds=tuple(_round(before, now, loop, acts) for before, now in zip((None, *counted), counted, strict=False)),
    )


def verdict(loop: Loop) -> str:
    """`green`, `green, but`, `stuck`, why else it ended, or where it stands."""
    if loop.end.stop_reason != "complete":
        return _ENDS.get(loop.end.stop_reason or "", loop.end.stop_reason or loop.status)
    return "unchecked" if loop.end.declared else "green" if loop.end.verified else "green, but"


def _counted(loop: Loop, noted: Iterable[Noted]) -> tuple[Counted, ...]:
    """Every counted stop, the oldest first. The state has the newest ones, the journal all of them with their items;
    an end that was not measured repeats the stop before it there."""
    found: dict[tuple[str, int], Counted] = {(s.timestamp, s.iteration): (s, None) for s in loop.history.snapshots}
    for note in reversed(tuple(noted)):
        if note.snapshot is not None:
            found[note.snapshot.timestamp, note.snapshot.iteration] = note.snapshot, note
    counted: list[Counted] = []
    for (_, iteration), one in sorted(found.items(), key=lambda entry: entry[0]):
        if counted and iteration <= counted[-1][0].iteration:
            counted.clear()  # without a loop every prompt has rounds of its own
        counted.append(one)
    return tuple(counted)


def _round(before: Counted | None, now: Counted, loop: Loop, acts: Iterable[Act]) -> Round:
    snapshot, note = now[0], now[1] or Noted(None)
    then = before[0] if before else None
    since = 0.0 if before is None else before[1].elapsed_seconds if before[1] else None
    new = report.new_ones(then, snapshot)
    if then:  # they are asked only where all else is met: what they say for the first time is news
        new |= {one.id for one in snapshot.items if one.kind in _LATE and one.check not in then.outcomes}
    return Round(
        number=snapshot.iteration,
        judged_at=foreign.one_line(snapshot.timestamp),
        over_at=foreign.one_line(note.timestamp),
        left=None if loop.asked.promise_only else brief.count_left(snapshot),
        hidden=tuple(map(foreign.one_line, report.unknown(snapshot))),
        checks=tuple(
            Ran(
                foreign.one_line(name),
                outcome,
                snapshot.failing_by_check.get(name, 0),
                snapshot.ran.get(name),
                note.seconds.get(name),
            )
            for name, outcome in snapshot.outcomes.items()
        ),
        items=tuple(Told(_said(item), item.id in new) for item in snapshot.items),
        fixed=tuple(map(_said, report.gone(then, snapshot))),
        but=tuple(map(_own, note.but)),
        # since the round before; the clock of rounds without a loop stands still
        seconds=round(max(0.0, note.elapsed_seconds - since), 3)
        if note.elapsed_seconds and since is not None
        else None,
        work=_work(acts, then.timestamp if then else loop.started_at, snapshot.timestamp),
    )


def _work(acts: Iterable[Act], since: str, until: str) -> Work | None:
    """What was done between two moments; nobody knows where it is nothing: an agent that stops has spoken."""
    done = [act for act in acts if since[:_MILLISECONDS] <= act.at[:_MILLISECONDS] < until[:_MILLISECONDS]]
    if not done:
        return None
    edits = Counter(_brief(act.edited) for act in done if act.edited)
    commands = Counter(_brief(act.command) for act in done if act.command)
    spent = [act.tokens for act in done if act.tokens]
    return Work(dict(edits), dict(commands), Tokens(*map(sum, zip(*spent, strict=True))))


def _said(item: Item) -> str:
    return "\n".join(report.lines_of(report.describe(item)))


def _brief(text: str) -> str:
    return brief.clean(secrets.safe(text), _LONGEST)


def _own(text: str) -> str:
    """Words of the user, the agent or the project: what tools print is masked before it is kept, these are not."""
    return secrets.safe(text)
