"""Where a loop stands, in a sentence, for `untilgreen status` and `/untilgreen:status`. It only looks."""

from collections.abc import Sequence

from untilgreen.core import foreign
from untilgreen.core.model.event import Session
from untilgreen.core.verdict import rounds
from untilgreen.core.words import brief, notices
from untilgreen.loops.begin import listing
from untilgreen.loops.begin.listing import Kept
from untilgreen.loops.heard import status_line
from untilgreen.loops.rest import orphans, parking
from untilgreen.state import clock, store, under_way
from untilgreen.state.place import NEXT

_SHORT = 8  # characters of a session's id


def lines(kept: Sequence[Kept], words: brief.Words, now: float) -> list[str]:
    """The loops that run, else the newest that is over: two lines each, and how many others there are."""
    shown = [one for one in kept if one.loop.active] or kept[:1]
    told = []
    for one in shown:
        sentence = foreign.one_line(" · ".join(filter(None, _sentence(one, words, now))))
        whose = one.loop.session_id[:_SHORT] if len(shown) > 1 else ""
        told += [
            f"session {brief.clean(whose)} · {sentence}" if whose else sentence,
            *(f"  {task}" for task in [brief.titled(one.loop)] if task),
        ]
    others = len(kept) - len(shown)
    return [*told, *([f"{brief.plural(others, 'other loop')}: untilgreen status --all"] if others else [])]


def _sentence(kept: Kept, words: brief.Words, now: float) -> tuple[str, ...]:
    """`round 3 of 10`, `paused by you`, `2 left: pytest 1, mypy 1`, `12 s of 60 min`, how it goes on or ends."""
    loop = kept.loop
    if not loop.active:
        ended = words["ended_at"].format(time=clock.local(loop.end.ended_at)) if loop.end.ended_at else ""
        return notices.outcome(loop, words), ended
    newest = None if loop.asked.promise_only else brief.newest_snapshot(loop)
    left = brief.tell_left(newest, words) if newest else ""
    session = Session() if kept.place.session == NEXT else store.read_session(kept.place)
    state, way = _state(kept, session, words, now)
    most = loop.settings.max_minutes
    worked = loop.clock.elapsed_seconds
    if kept.place.session != NEXT:
        worked = status_line.elapsed(loop, session.turn_started, now)
    time = brief.spent(worked)
    of = words["time_of"].format(spent=time, minutes=f"{most:g}") if most else time
    return words["round"].format(round=loop.rounds.iteration, max=loop.settings.max_iterations), state, left, of, way


def _state(kept: Kept, session: Session, words: brief.Words, now: float) -> tuple[str, str]:
    """What it does, or why it rests; and how it goes on, or ends."""
    loop = kept.loop
    if turns := under_way.now(kept.place):
        return brief.checking(turns, now), words["to_end"]
    if kept.held:
        return "held without a loop", ""
    if kept.place.session == NEXT:
        return words["status_waiting"], ""
    if (waits := loop.rest.pending) and not loop.rests:
        return words["waits_for"].format(what=rounds.tell_pending(waits, waits, now)), words["to_end"]
    if listing.is_gone(session):
        return parking.why(loop) or "its session is gone", orphans.ways_on(loop)
    if loop.rest.parked:
        return parking.why(loop), "goes on with the session's next prompt"
    if loop.rest.paused:
        return f"{words['status_paused']} {brief.clean(loop.rest.paused)}", words["go_on_or_cancel"]
    return words.get(f"status_{loop.status}", brief.clean(loop.status)), words["to_end"]
