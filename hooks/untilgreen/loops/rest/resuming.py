"""Going on with a loop that rests, or that is over and may be opened again; and giving one to another session."""

import os
import time
from collections.abc import Mapping

from untilgreen.core.errors import UserError
from untilgreen.core.model.event import Place
from untilgreen.core.model.loop import Loop
from untilgreen.core.verdict import reopened
from untilgreen.core.words import brief
from untilgreen.loops.begin import listing, ownership, starting
from untilgreen.loops.rest import ending, parking
from untilgreen.state import catalogue, clock, memory, seal, sessions, store
from untilgreen.state.place import NEXT, STATE, of

_IN_A_SHELL = "goes on, by untilgreen resume in a shell"


def resume(place: Place, env: Mapping[str, str], prompt: int = 0) -> tuple[Loop, Loop]:
    """Go on with the session's newest loop: as it was, and as it is now. `prompt`: the number of the prompt that asks
    for it, which is the loop's own then; 0: a shell does. Raises UserError where there is nothing to go on with."""
    with starting.state_is_used("nothing was resumed"):
        before = store.read_loop(place.file(STATE)) if os.path.isdir(place.folder) else None
        if before is None or not before.begun or before.project != place.root:
            raise UserError("this session has no loop here", "untilgreen status")
        with sessions.locked(place):
            before = store.read_loop(place.file(STATE)) or before
            session = store.read_session(place)
            if why := _not(before, gone=listing.is_gone(session)):
                raise UserError(why, "untilgreen status" if before.active else "untilgreen start TASK")
            now = clock.iso(time.time())
            after = (
                parking.going(before, time.time() if prompt else 0.0)
                if before.active
                else reopened.reopened(before, now)
            )
            prompts = session.prompts if prompt == 0 else prompt - 1
            if prompt or not before.active:
                after = after.put(
                    after.turns._replace(
                        own_prompt=prompt or -1, prompts_at_start=prompts, prompts_seen=prompts + (prompt > 0)
                    )
                )
            _save(place, env, before, after, told=prompt > 0)
        if before.active:
            parking.told(place, after)
        else:
            memory.record(place, after, "reopen", loop_id=after.loop_id, stop_reason=before.end.stop_reason)
    return before, after


def _save(place: Place, env: Mapping[str, str], before: Loop, after: Loop, *, told: bool) -> None:
    """Save and seal. `told`: its user sees it now."""
    if before.active:
        sessions.save(place, env, before, after)
    else:
        store.save(place, after)
        seal.begin(env, place, after)
    sealed = seal.read(env, place)
    if sealed is not None and not told:
        how = _IN_A_SHELL if before.active else "was opened again in a shell"
        seal.put(env, place, sealed._replace(unsaid=brief.gone(how, brief.named(after))))


def _not(loop: Loop, *, gone: bool) -> str:
    """Why nothing goes on, "" where it does. `gone`: nobody is in the session."""
    if loop.active:
        where = f"round {loop.rounds.iteration} of {loop.settings.max_iterations}"
        return "" if loop.rests or gone else f"{loop.loop_id} is running ({where})"
    if reopened.is_resumable(loop):
        return ""
    return f"{loop.loop_id} is over: {loop.end.stop_reason}"


def line(before: Loop, after: Loop) -> str:
    """What was done, in a line."""
    words = catalogue.words(after.settings)
    facts = {"round": after.rounds.iteration, "max": after.settings.max_iterations, "loop": after.loop_id}
    return words["resumed" if before.active else "reopened"].format(why=before.end.stop_reason, **facts)


def meant(base: str, root: str, session: str) -> Place:
    """Whose loop is to go on: that of the session, else the only one that rests or whose session is gone, else the only
    one that can be opened again. Raises UserError."""
    if session == NEXT:
        raise UserError("a loop that waits for the next session begins with its prompt", "start the agent, and prompt")
    if session:
        return of(root, base, session)
    kept = [
        one for one in listing.everything(base, root)[0] if one.newest and not one.held and one.place.session != NEXT
    ]
    idle = [
        one for one in kept if one.loop.active and (one.loop.rests or listing.is_gone(store.read_session(one.place)))
    ]
    several = idle or [one for one in kept if reopened.is_resumable(one.loop)]
    if not several:
        over = f"; {kept[0].loop.loop_id} is {kept[0].loop.end.stop_reason or kept[0].loop.status}" if kept else ""
        raise UserError(f"no loop rests here, and none can be opened again{over}", "untilgreen start TASK")
    if len(several) > 1:
        listed = "; ".join(listing.line(one.loop, catalogue.english()) for one in several)
        raise UserError(f"several loops could go on: {listed}", "name one with --session ID")
    return several[0].place


def adopt(base: str, root: str, loop_id: str, session: str, env: Mapping[str, str]) -> Loop:
    """Give a loop whose session is gone to another one, or for "next" to the next that prompts. Raises UserError."""
    with starting.state_is_used("nothing was adopted"):
        before = _left_behind(base, root, loop_id)
        place = of(root, base, session)
        if session == NEXT:
            return _to_next(before, place, loop_id, env)
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


def _to_next(before: Place, place: Place, loop_id: str, env: Mapping[str, str]) -> Loop:
    """Let the loop wait for the next session that prompts. Raises UserError, OSError, locks.Busy."""
    with sessions.locked(before):
        loop = _still(before, loop_id)
        waits = ownership.in_session(parking.resting(loop, parked=_given(loop)), "")
        waits = waits._replace(status="waiting", host="")
        starting.wait(place, waits, env, sealed=ownership.resealed(env, before, loop, waits))
        seal.put(env, before, None)
        os.unlink(before.file(STATE))
    return waits
