"""What a loop of several attempts does to the work tree when it is stuck, and at its end."""

import difflib
import time

from untilgreen.core.errors import UserError
from untilgreen.core.model.event import Place
from untilgreen.core.model.loop import Loop, Release
from untilgreen.core.trees import Entry
from untilgreen.core.verdict import attempts
from untilgreen.loops import back
from untilgreen.loops.stop.steps import Stop, StopStep
from untilgreen.state import clock, log
from untilgreen.state.trees import Missing, TreeStore

_READ = 20  # files whose lines are compared
_LARGEST = 200_000  # bytes of one


def begin_next(stop: Stop, _step: StopStep, _until: float) -> Stop:
    """The end of an attempt in place of the end of its loop, where another one may begin."""
    place, verdict = stop.call.place, stop.verdict
    if not isinstance(verdict, Release) or not attempts.goes_on(verdict.loop):
        return stop
    ended = verdict.loop
    try:
        way = back.go(place, ended, "best", act=False)
        changed = _changed(place, ended, way)
    except (UserError, OSError) as error:
        log.write(place.base, f"no further attempt: {error}")
        return stop
    return stop._replace(verdict=attempts.next_one(ended, changed, clock.iso(time.time()))._replace(step=11))


def undo(place: Place, before: Loop, loop: Loop) -> None:
    """Put the best round's work tree back where the loop begins its next attempt, or is over. Raises OSError."""
    begins = loop.active and len(loop.rounds.attempts) > len(before.rounds.attempts)
    if not begins and not attempts.is_undone(loop):
        return
    try:
        way = back.go(place, loop, "best")
    except UserError as error:
        raise OSError(f"the best round was not put back: {error.reason}") from None
    if way.failed:
        raise OSError(str(back.unfinished(way)))


def _changed(place: Place, loop: Loop, way: back.Way) -> list[str]:
    """What would be undone, a text for each file."""
    with TreeStore(place.base, loop.project) as objects:

        def lines(entry: Entry | None) -> list[bytes] | None:
            try:
                data = objects.read(entry.name) if entry else b""
            except Missing:
                return None
            return None if len(data) > _LARGEST or b"\0" in data else data.splitlines()

        said = []
        for number, one in enumerate(way.differences):
            then, now = (lines(one.after), lines(one.before)) if number < _READ else (None, None)
            said.append(one.path if then is None or now is None else f"{one.path} {_counts(then, now)}")
        return said


def _counts(then: list[bytes], now: list[bytes]) -> str:
    """`+10 -3`: lines that came, and that went."""
    same = sum(match.size for match in difflib.SequenceMatcher(None, then, now, autojunk=False).get_matching_blocks())
    return f"+{len(now) - same} -{len(then) - same}"
