"""Going on with a loop that rests, or that is over and may be opened again."""

import os
import time
from collections.abc import Mapping

from untilgreen.core.errors import UserError
from untilgreen.core.model.event import Place
from untilgreen.core.model.loop import Loop
from untilgreen.core.verdict import reopened
from untilgreen.core.words import brief
from untilgreen.loops.begin import listing, starting
from untilgreen.loops.rest import parking
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
    return listing.only(several, "several loops could go on")
