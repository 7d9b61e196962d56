"""Giving a running loop to another host: it waits, in its round, for the next session of that host; this one is let go.

Unlike a loop that is adopted, its session may well be at work. It is not held any more, and its user is told why.
"""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from untilgreen import hosts
from untilgreen.core.errors import UserError
from untilgreen.core.model.event import Place
from untilgreen.core.model.loop import SCHEMA_VERSION, Edits, Loop
from untilgreen.core.verdict import reopened
from untilgreen.core.words import brief
from untilgreen.loops.begin import listing, ownership, starting
from untilgreen.loops.rest import parking
from untilgreen.loops.stop import spending
from untilgreen.state import catalogue, locks, sessions, store
from untilgreen.state.place import NEXT, STATE, of
from untilgreen.state.under_way import STOP


def meant(base: str, root: str, session: str) -> Place:
    """Whose loop is to be given: that of the session, else the only one that runs or rests. Raises UserError."""
    if session == NEXT:
        raise UserError("a loop that waits for the next session is nobody's yet", "start the other agent, and prompt")
    if session:
        return of(root, base, session)
    kept = [one for one in listing.everything(base, root)[0] if one.newest and not one.held]
    running = [one for one in kept if one.loop.active and one.place.session != NEXT]
    if len(running) > 1:
        listed = "; ".join(listing.line(one.loop, catalogue.english()) for one in running)
        raise UserError(f"several loops run here: {listed}", "name one with --session ID")
    if running:
        return running[0].place
    if any(one.loop.active for one in kept):
        return meant(base, root, NEXT)
    raise _none(kept[0].loop if kept else None)


def given(place: Place) -> Loop:
    """The loop that is to be given. Raises UserError where none runs there."""
    loop = store.look_at(place.file(STATE)) if os.path.isdir(place.folder) else None
    if loop is None or not loop.active or loop.project != place.root:
        raise _none(loop)
    return loop


def _none(loop: Loop | None) -> UserError:
    if loop is None or not loop.begun:
        return UserError("no loop runs here", "untilgreen start TASK")
    again = f"open it again first: untilgreen resume --session {loop.session_id}"
    fix = again if reopened.is_resumable(loop) else "untilgreen start TASK"
    return UserError(f"{loop.loop_id} is over: {loop.end.stop_reason}", fix)


def refuse(loop: Loop, host: str) -> None:
    """Raise UserError where this host could not keep what the loop was begun with."""
    try:
        spending.refuse(loop.settings, (host,))
    except UserError as error:
        raise UserError(str(error), "end the loop, and begin one without that limit") from None


def to(place: Place, host: str, env: Mapping[str, str]) -> Loop:
    """Let the session's loop wait for the next session of this host. Raises UserError."""
    title = hosts.get(host).facts.title
    with starting.state_is_used("nothing was handed over"), _between_stops(place):
        with sessions.locked(place):
            loop = given(place)
            parked = parking.resting(loop, parked=f"handed over to {title}")
            parked = parked.worked(parking.since(loop, store.read_session(place)))
            waits = ownership.in_session(parked, "")._replace(status="waiting", host=host)
            waits = waits.put(waits.rest._replace(waited={}))
            # first there, then gone from here: a kill in between leaves the loop twice, and never nowhere
            starting.wait(_next(place), waits, env, sealed=ownership.resealed(env, place, loop, waits))
            os.unlink(place.file(STATE))
            edits = store.read_edits(place) or Edits(SCHEMA_VERSION, loop.session_id, loop.project)
            store.save_edits(place, edits._replace(off=True, unjudged=(), turn=None))
            sessions.leave_word(place, env, brief.gone(f"was handed over to {title}", brief.named(loop)))
        parking.told(place, parked)
    return waits


def _next(place: Place) -> Place:
    return place._replace(session=NEXT)


@contextmanager
def _between_stops(place: Place) -> Iterator[None]:
    """While no stop of the session is judged, and none begins. Raises UserError, OSError."""
    given(place)
    try:
        fd = locks.acquire(place.file(STOP), 0)
    except locks.Busy:
        raise UserError("a stop of that loop is being judged", "wait for its verdict, or untilgreen cancel") from None
    try:
        yield
    finally:
        os.close(fd)
