"""A run that rests: the loop's clock stands still until it goes on."""

import time
from collections.abc import Mapping

from untilgreen.core.model.event import Place, TurnFailure
from untilgreen.core.model.loop import Loop
from untilgreen.loops.rest import parking
from untilgreen.state import clock, sessions, store
from untilgreen.state.place import STATE

INTERRUPTED = "interrupted"
KILLED = "the runner was killed"
IDLE = "nothing has changed, or nothing is judged"


def fail(place: Place, env: Mapping[str, str], failure: TurnFailure, seconds: float = 0.0) -> Loop | None:
    """Park the loop, whose agent could not work; until the moment that it named, or for so many `seconds`."""
    parked = parking.fail(place, env, failure)
    if parked is None or parked.rest.parked_until or not seconds:
        return parked
    return _changed(place, env, parked.put(parked.rest._replace(parked_until=clock.iso(time.time() + seconds))))


def go_on(place: Place, env: Mapping[str, str]) -> Loop | None:
    """The loop goes on, and its clock does. None where it is over. Raises as `parking.park`."""
    loop = store.look_at(place.file(STATE))
    if loop is None or not loop.active:
        return None
    if loop.clock.round_started and not loop.rests:
        return loop
    gone = _changed(place, env, parking.going(loop, time.time()))
    if gone is not None and loop.rests:
        parking.told(place, gone)
    return gone


def _changed(place: Place, env: Mapping[str, str], wanted: Loop) -> Loop | None:
    """Save the loop as it rests or goes on, unless it is over by now."""
    changed = sessions.change(place, env, lambda now: wanted if now.loop_id == wanted.loop_id else None)
    return changed.after if changed else None
