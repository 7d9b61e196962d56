"""Loops that rest: paused by their user, who says when they go on, or parked, until their session goes on.

A session that ends, and a turn that ends because the model could not be asked, park its loop: it holds nobody
meanwhile, its clock stands still, and the session's next prompt or stop goes on with it.
"""

import time
from collections.abc import Mapping

from untilgreen.core.model.event import Place, Session, TurnFailure
from untilgreen.core.model.loop import Loop
from untilgreen.core.words import brief
from untilgreen.state import clock, sessions, store
from untilgreen.state.place import STATE

ENDED = "the session ended"
CLEARED = "/clear ended the session"
GONE = "its host is gone"
# of a run
INTERRUPTED = "interrupted"
KILLED = "the runner was killed"
IDLE = "nothing has changed, or nothing is judged"
_WAIT = 1.0  # seconds for the session's lock: at its end a host gives all hooks one and a half
_ROOM = 160  # characters of what the host said
_WORDS = {
    "authentication_failed": "not logged in",
    "oauth_org_not_allowed": "the organisation does not allow it",
    "billing_error": "billing",
    "invalid_request": "API error",
    "rate_limit": "rate limit",
    "server_error": "server error",
    "unknown": "API error",
    "": "API error",
}


def resting(loop: Loop, *, paused: str = "", parked: str = "", until: str = "") -> Loop:
    """The loop as it rests, and why."""
    now = clock.iso(time.time())
    return loop.put(
        loop.rest._replace(paused=paused, parked=parked, parked_until=until), loop.clock._replace(round_started=0.0)
    )._replace(status="paused", updated_at=now)


def going(loop: Loop, started: float = 0.0) -> Loop:
    """The loop as it goes on. `started`: when its round does, in seconds since the epoch; 0: nobody works on it yet."""
    now = clock.iso(time.time())
    return loop.put(
        loop.rest._replace(paused="", parked="", parked_until=""), loop.clock._replace(round_started=started)
    )._replace(status="running", updated_at=now)


def told(place: Place, after: Loop) -> None:
    """Leave word of a loop that rests or goes on from now: every way into a rest and out of it comes by here, without
    the session's lock."""
    from untilgreen.state import memory

    what = "pause" if after.rest.paused else "park" if after.rest.parked else "resume"
    facts = {"reason": after.rest.paused or after.rest.parked} | (
        {"until": after.rest.parked_until} if after.rest.parked_until else {}
    )
    memory.record(place, after, what, loop_id=after.loop_id, **facts)


def park(place: Place, env: Mapping[str, str], why: str) -> Loop | None:
    """Park the session's running loop, whose session ended; one that rests already keeps its reason.

    Raises locks.Busy, OSError, store.Unreadable.
    """
    return _parked(place, env, why, "", worked=False)


def fail(place: Place, env: Mapping[str, str], failure: TurnFailure, seconds: float = 0.0) -> Loop | None:
    """Park the session's running loop, whose turn ended without an answer; until the moment that the failure names, or
    for so many `seconds`. Raises as `park`."""
    from untilgreen.loops.rest import resets

    now = time.time()
    until = resets.moment(failure.text, now) or (now + seconds if seconds else 0.0)
    return _parked(place, env, reason(failure), clock.iso(until) if until else "", worked=True)


def go_on(place: Place, env: Mapping[str, str]) -> Loop | None:
    """The loop of a run goes on, and its clock does. None where it is over. Raises as `park`."""
    loop = store.look_at(place.file(STATE))
    if loop is None or not loop.active:
        return None
    if loop.clock.round_started and not loop.rests:
        return loop
    changed = sessions.change(place, env, lambda now: going(now, time.time()) if now.loop_id == loop.loop_id else None)
    if changed is None:
        return None
    if loop.rests:
        told(place, changed.after)
    return changed.after


def reason(failure: TurnFailure) -> str:
    """Why a turn failed, in a line: `rate limit: You've hit your limit · resets 3pm`."""
    kind = _WORDS.get(failure.kind, brief.clean(failure.kind.replace("_", " "), 40))
    text = brief.clean(failure.text, _ROOM)
    return text if text.lower().startswith(kind.lower()) else ": ".join(filter(None, (kind, text)))


def _parked(place: Place, env: Mapping[str, str], why: str, until: str, *, worked: bool) -> Loop | None:
    """The loop, parked. `worked`: its round's time counts, and what was known of an earlier failure does not."""

    def parked(loop: Loop) -> Loop | None:
        if loop.rest.paused or (loop.rest.parked and not worked):
            return None
        after = resting(loop, parked=why, until=until)
        return after.worked(since(loop, store.read_session(place))) if worked else after

    changed = sessions.change(place, env, parked, seconds=_WAIT)
    if changed is None:
        return None
    told(place, changed.after)
    return changed.after


def since(loop: Loop, session: Session) -> float:
    """Seconds of work since the loop's round or its turn began."""
    since = 0.0 if loop.rests else max(loop.clock.round_started, session.turn_started)
    return max(0.0, time.time() - since) if since else 0.0


def shown(loop: Loop) -> str:
    """`parked until 15:00`, by the clock on the wall; "" where the loop is not parked."""
    if not loop.rest.parked:
        return ""
    return f"parked until {clock.local(loop.rest.parked_until)}" if loop.rest.parked_until else "parked"


def why(loop: Loop) -> str:
    """`parked until 15:00: rate limit: …`: the whole of it, in a line."""
    return f"{shown(loop)}: {brief.clean(loop.rest.parked, 240)}" if loop.rest.parked else ""
