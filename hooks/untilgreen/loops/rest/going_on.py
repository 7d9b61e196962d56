"""How a loop goes on that its session does not work on. `resume`: in its session, where it rests or is over.
`hand_over`: in the next session of a host; its own is not held any more. `adopt`: in another one, when its own is gone.
"""

import os
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from untilgreen import hosts
from untilgreen.core.errors import UserError
from untilgreen.core.model.event import Place
from untilgreen.core.model.loop import Loop
from untilgreen.core.verdict import attempts
from untilgreen.core.words import brief, story
from untilgreen.loops.begin import listing, ownership, starting
from untilgreen.loops.rest import ending, parking
from untilgreen.loops.stop import spending
from untilgreen.state import catalogue, clock, locks, memory, seal, sessions, store
from untilgreen.state.place import NEXT, STATE, of
from untilgreen.state.under_way import STOP


def place_to_resume(base: str, root: str, session: str) -> Place:
    """Whose loop goes on: the session's, else the only idle one, else that can be opened again. Raises UserError."""
    if session == NEXT:
        raise UserError("a loop that waits for the next session begins with its prompt", "start the agent, and prompt")
    if session:
        return of(root, base, session)
    kept = [one for one in _newest(base, root) if one.place.session != NEXT]
    idle = [one for one in kept if one.loop.active and (one.loop.rests or one.gone)]
    several = idle or [one for one in kept if attempts.is_resumable(one.loop)]
    if not several:
        over = f"; {kept[0].loop.loop_id} is {kept[0].loop.end.stop_reason or kept[0].loop.status}" if kept else ""
        raise UserError(f"no loop is paused here, and none can be opened again{over}", "untilgreen start TASK")
    return listing.only(several, "several loops could go on")


def place_to_give(base: str, root: str, session: str) -> Place:
    """Whose loop is given to another host: the session's, else the only active one. Raises UserError."""
    kept = [] if session else _newest(base, root)
    running = [one for one in kept if one.loop.active and one.place.session != NEXT]
    if running:
        return listing.only(running, "several loops run here")
    if session == NEXT or any(one.loop.active for one in kept):
        raise UserError("a loop that waits for the next session is nobody's yet", "start the other agent, and prompt")
    if session:
        return of(root, base, session)
    raise _none(kept[0].loop if kept else None)


def _newest(base: str, root: str) -> list[listing.Kept]:
    return [one for one in listing.everything(base, root)[0] if one.newest and not one.held]


def resume(place: Place, env: Mapping[str, str], prompt: int = 0) -> sessions.Changed:
    """Go on with the session's newest loop. `prompt`: the number of the prompt that asks for it, the loop's own then;
    0: a shell does. Raises UserError."""
    session = store.read_session(place)

    def going(loop: Loop) -> Loop:
        if not (loop.rests or listing.is_gone(session)):
            why = f"{loop.loop_id} is running (round {loop.rounds.iteration} of {loop.settings.max_iterations})"
            raise UserError(why, "untilgreen status --all")
        return _asked_by(parking.going(loop, time.time()), prompt, prompt) if prompt else parking.going(loop)

    with starting.state_is_used("nothing was resumed"):
        before = store.read_loop(place.file(STATE)) if os.path.isdir(place.folder) else None
        if before is None or not before.begun or before.project != place.root:
            raise UserError("this session has no loop here", "untilgreen status --all")
        how = "" if prompt else "goes on, by untilgreen resume in a shell"
        if changed := sessions.change(place, env, going, how=how):
            parking.record(place, changed.after)
            return changed
        with sessions.locked(place):
            before = store.read_loop(place.file(STATE)) or before
            if not attempts.is_resumable(before):
                raise UserError(f"{before.loop_id} is over: {before.end.stop_reason}", "untilgreen start TASK")
            after = attempts.reopened(before, clock.iso(time.time()))
            after = _asked_by(after, prompt, prompt or session.prompts)
            store.save(place, after)
            word = "" if prompt else brief.gone("was opened again in a shell", brief.named(after))
            seal.begin(env, place, after, word)
        memory.record(place, after, "reopen", loop_id=after.loop_id, stop_reason=before.end.stop_reason)
        return sessions.Changed(before, after)


def _asked_by(loop: Loop, prompt: int, seen: int) -> Loop:
    """The loop, whose own prompt is this one (0: none is known), of so many of its user's."""
    at_start = seen - (prompt > 0)
    return loop.put(loop.turns._replace(own_prompt=prompt or -1, prompts_at_start=at_start, prompts_seen=seen))


def describe_resumed(before: Loop, after: Loop) -> str:
    words = catalogue.words(after.settings)
    facts = {"round": after.rounds.iteration, "max": after.settings.max_iterations, "loop": after.loop_id}
    return words["resumed" if before.active else "reopened"].format(why=story.verdict(before), **facts)


def running_loop(place: Place) -> Loop:
    """The loop that is to be given. Raises UserError where none runs there."""
    loop = store.look_at(place.file(STATE)) if os.path.isdir(place.folder) else None
    if loop is None or not loop.active or loop.project != place.root:
        raise _none(loop)
    return loop


def _none(loop: Loop | None) -> UserError:
    if loop is None or not loop.begun:
        return UserError("no loop runs here", "untilgreen start TASK")
    return _over(loop, "open it again first: ", opens=True)


def _over(loop: Loop, first: str, *, opens: bool) -> UserError:
    """The loop is over; `opens`: it may be opened again, if it ended so."""
    opens = opens and attempts.is_resumable(loop)
    fix = f"{first}untilgreen resume --session {loop.session_id}" if opens else "untilgreen start TASK"
    return UserError(f"{loop.loop_id} is over: {loop.end.stop_reason}", fix)


def refuse_host(loop: Loop, host: str) -> None:
    """Raise UserError where this host could not keep what the loop was begun with."""
    try:
        spending.refuse(loop.settings, (host,))
    except UserError as error:
        raise UserError(str(error), "end the loop, and begin one without that limit") from None


def hand_over(place: Place, host: str, env: Mapping[str, str]) -> Loop:
    """Let the session's loop wait for the next session of this host. Raises UserError."""
    title = hosts.get(host).facts.title
    with starting.state_is_used("nothing was handed over"), _between_stops(place):
        with sessions.locked(place):
            loop = running_loop(place)
            parked = parking.resting(loop, parked=f"handed over to {title}")
            parked = parked.worked(parking.since(loop, store.read_session(place)))
            waits = _left_to_next(place, loop, parked, host, env)
            ending.leave_alone(place, loop)
            sessions.leave_word(place, env, brief.gone(f"was handed over to {title}", brief.named(loop)))
        parking.record(place, parked)
    return waits


def _left_to_next(place: Place, loop: Loop, parked: Loop, host: str, env: Mapping[str, str]) -> Loop:
    """Let a loop of this session wait, as it is `parked`, for the host's next one. A kill in between leaves it twice,
    and never nowhere. Raises UserError, OSError, locks.Busy."""
    waits = parking.waiting(parked)._replace(host=host)
    sealed = ownership.resealed(env, place, loop, waits)
    starting.wait(place._replace(session=NEXT), waits, env, sealed=sealed)
    os.unlink(place.file(STATE))
    return waits


@contextmanager
def _between_stops(place: Place) -> Iterator[None]:
    """While no stop of the session is judged, and none begins. Raises UserError, OSError."""
    running_loop(place)
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
        before, place = _place_left_behind(base, root, loop_id), of(root, base, session)
        if session == NEXT:
            with sessions.locked(before):
                loop = _still(before, loop_id)
                waits = _left_to_next(before, loop, _adopted(loop), "", env)
                seal.put(env, before, None)
            return waits
        if place == before:
            raise UserError(f"{loop_id} is that session's already", f"untilgreen resume --session {session}")
        os.makedirs(place.folder, mode=0o700, exist_ok=True)
        first, second = sorted((before, place))  # two of them at once do not wait for each other
        with sessions.locked(first), sessions.locked(second):
            loop = _still(before, loop_id)
            ending.make_room(place, replace=False)
            prompts = store.read_session(place).prompts
            moved = parking.in_session(_adopted(loop), session, prompts)._replace(host="")
            ownership.hand_over(before, place, loop, moved, env)
        memory.record(place, moved, "move", loop_id=loop_id, session=before.session)
        return moved


def _adopted(loop: Loop) -> Loop:
    return parking.resting(loop, parked=f"adopted from session {loop.session_id}")


def _place_left_behind(base: str, root: str, loop_id: str) -> Place:
    """Where the loop lies, whose session is gone. Raises UserError."""
    kept = [one for one in listing.everything(base, root)[0] if one.loop.loop_id == loop_id and not one.held]
    if not kept:
        raise UserError(f"no loop {loop_id} is known here", "untilgreen status --all")
    one = kept[0]
    if not one.loop.active:
        raise _over(one.loop, "", opens=one.newest)
    if one.place.session == NEXT:
        raise UserError(f"{loop_id} waits for the next session that prompts here", "start the agent, and prompt")
    if not one.gone:
        reason = f"session {one.loop.session_id} may still be at work on {loop_id}"
        raise UserError(reason, f"end that session first, or cancel-loop --session {one.loop.session_id}")
    return one.place


def _still(before: Place, loop_id: str) -> Loop:
    loop = store.read_loop(before.file(STATE))
    if loop is None or not loop.active or loop.loop_id != loop_id:
        raise UserError(f"{loop_id} is there no more", "untilgreen status --all")
    return loop
