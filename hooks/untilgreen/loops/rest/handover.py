"""Giving a loop away: a running one to another host, one whose session is gone to another session.

A loop that is handed over waits, in its round, for the next session of that host. Its own session may well be at work:
it is not held any more, and its user is told why.
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
from untilgreen.loops.begin import listing, ownership, starting, steps
from untilgreen.loops.rest import ending, parking
from untilgreen.loops.stop import spending
from untilgreen.state import locks, memory, seal, sessions, store
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
    if running:
        return listing.only(running, "several loops run here")
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
            waits = _left_to_next(place, loop, parked._replace(host=host), env)
            os.unlink(place.file(STATE))
            edits = store.read_edits(place) or Edits(SCHEMA_VERSION, loop.session_id, loop.project)
            store.save_edits(place, edits._replace(off=True, unjudged=(), turn=None))
            sessions.leave_word(place, env, brief.gone(f"was handed over to {title}", brief.named(loop)))
        parking.told(place, parked)
    return waits


def _left_to_next(place: Place, loop: Loop, parked: Loop, env: Mapping[str, str]) -> Loop:
    """Let a loop of this session wait, as it is `parked`, for the next session. First it is there, then gone from here:
    a kill in between leaves the loop twice, and never nowhere. Raises UserError, OSError, locks.Busy."""
    waits = ownership.in_session(parked, "")._replace(status="waiting")
    waits = waits.put(waits.rest._replace(waited={}))
    sealed = ownership.resealed(env, place, loop, waits)
    steps.wait(place._replace(session=NEXT), waits, env, sealed=sealed)
    return waits


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


def adopt(base: str, root: str, loop_id: str, session: str, env: Mapping[str, str]) -> Loop:
    """Give a loop whose session is gone to another one, or for "next" to the next that prompts. Raises UserError."""
    with starting.state_is_used("nothing was adopted"):
        before = _left_behind(base, root, loop_id)
        place = of(root, base, session)
        if session == NEXT:
            return _to_next(before, loop_id, env)
        if place == before:
            raise UserError(f"{loop_id} is that session's already", f"untilgreen resume --session {session}")
        os.makedirs(place.folder, mode=0o700, exist_ok=True)
        first, second = sorted((before, place))  # two of them at once do not wait for each other
        with sessions.locked(first), sessions.locked(second):
            loop = _still(before, loop_id)
            ending.make_room(place, replace=False)
            moved = ownership.in_session(
                parking.resting(loop, parked=_given(loop)), session, store.read_session(place).prompts
            )._replace(host="")
            ownership.hand_over(before, place, loop, moved, env)
        memory.record(place, moved, "move", loop_id=loop_id, session=before.session)
        return moved


def _given(loop: Loop) -> str:
    return f"adopted from session {loop.session_id}"


def _left_behind(base: str, root: str, loop_id: str) -> Place:
    kept = [one for one in listing.everything(base, root)[0] if one.loop.loop_id == loop_id and not one.held]
    if not kept:
        raise UserError(f"no loop {loop_id} is known here", "untilgreen status")
    one = kept[0]
    if not one.loop.active:
        resume = f"untilgreen resume --session {one.loop.session_id}"
        fix = resume if one.newest and reopened.is_resumable(one.loop) else "untilgreen start TASK"
        raise UserError(f"{loop_id} is over: {one.loop.end.stop_reason}", fix)
    if one.place.session == NEXT:
        raise UserError(f"{loop_id} waits for the next session that prompts here", "start the agent, and prompt")
    if not listing.is_gone(store.read_session(one.place)):
        reason = f"session {one.loop.session_id} may still be at work on {loop_id}"
        raise UserError(reason, f"end that session first, or cancel-loop --session {one.loop.session_id}")
    return one.place


def _still(before: Place, loop_id: str) -> Loop:
    loop = store.read_loop(before.file(STATE))
    if loop is None or not loop.active or loop.loop_id != loop_id:
        raise UserError(f"{loop_id} is there no more", "untilgreen status")
    return loop


def _to_next(before: Place, loop_id: str, env: Mapping[str, str]) -> Loop:
    """Let the loop wait for the next session that prompts. Raises as `_left_to_next`."""
    with sessions.locked(before):
        loop = _still(before, loop_id)
        waits = _left_to_next(before, loop, parking.resting(loop, parked=_given(loop))._replace(host=""), env)
        seal.put(env, before, None)
        os.unlink(before.file(STATE))
    return waits
