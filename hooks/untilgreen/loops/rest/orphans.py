"""Loops of sessions that are gone: ended, or killed with their host. Each is said once, and none is given to anybody.

A session may come back (`claude --resume`), and its loop goes on then. One that nobody came back to for two weeks is
closed.
"""

import time
from collections.abc import Iterator, Mapping
from contextlib import suppress

from untilgreen import hosts
from untilgreen.core.model.event import Place, Session
from untilgreen.core.model.loop import Loop
from untilgreen.core.words import brief
from untilgreen.loops.begin import listing
from untilgreen.loops.rest import parking
from untilgreen.project import files
from untilgreen.state import clock, locks, log, sessions, store
from untilgreen.state.place import STATE

DAYS = 14  # after which a loop is closed whose session did not come back
NEVER = f"its session did not come back for {DAYS} days"
_WAIT = 0.5  # seconds for the lock of a session that is gone
_TOLD = 3  # loops that are named
_HEAD = 512  # bytes in which a loop's document says whether it runs


def told(base: str, root: str, env: Mapping[str, str], but: str = "") -> list[str]:
    """A line for each loop that others left behind here and nobody was told of; it counts as told from now on. `but`:
    the session that begins (the name of its folder)."""
    new = [(place, loop) for place, session, loop in swept(base, root, env, but) if not session.orphan_told]
    for place, _ in new:
        with suppress(OSError, locks.Busy):
            store.change_session(place, lambda before: before._replace(orphan_told=True))
    lines = [line(loop) for _, loop in new[:_TOLD]]
    more = len(new) - _TOLD
    return (
        [*lines, f"untilgreen: {brief.counted(more, 'more loop')} left behind: untilgreen status"]
        if more > 0
        else lines
    )


def line(loop: Loop) -> str:
    """What was left behind, and the ways on."""
    name = f"untilgreen: {brief.named(loop)} {brief.clean(loop.task_description, 60)}".rstrip()
    if not loop.active:
        return f"{name} was closed, {NEVER}; to open it again: untilgreen resume --session {loop.session_id}"
    return f"{name} was left behind ({parking.why(loop) or loop.status}) · {ways_on(loop)}"


def ways_on(loop: Loop) -> str:
    """How a loop goes on whose session is gone."""
    facts = hosts.get(loop.host or hosts.DEFAULT).facts
    if not facts.reopen:
        return f"to go on in another session: untilgreen adopt {loop.loop_id}"
    again = " ".join((facts.program, *facts.reopen)).format(session=loop.session_id)
    return f"to go on: {again}; in another session: untilgreen adopt {loop.loop_id}"


def found(base: str, root: str, but: str = "") -> Iterator[tuple[Place, Session, Loop]]:
    """The running loops of the project whose session is gone, or silent for so long. Only looks."""
    long_ago = clock.iso(time.time() - DAYS * 86_400.0)
    for place in listing.sessions_of(base, root):
        if place.session == but or not _may_run(place.file(STATE)):
            continue
        session = store.read_session(place)
        with suppress(store.Unreadable):  # a stop of that session says it
            loop = store.look_at(place.file(STATE))
            silent = not session.client and loop is not None and loop.updated_at < long_ago
            if loop is not None and loop.active and loop.project == root and (silent or listing.is_gone(session)):
                yield place, session, loop


def _may_run(path: str) -> bool:
    """Whether a document may be a running loop's: most are not, and they may be large."""
    try:
        with open(path, "rb", opener=files.opened) as file:
            return b'"active": false' not in file.read(_HEAD)
    except OSError:
        return False


def swept(base: str, root: str, env: Mapping[str, str], but: str = "") -> list[tuple[Place, Session, Loop]]:
    """As `found`: those whose host was killed are parked, the old ones closed. A fault is in the log."""
    long_ago = clock.iso(time.time() - DAYS * 86_400.0)
    after = []
    for place, session, loop in found(base, root, but):
        try:
            now: Loop | None = loop
            if loop.updated_at < long_ago:
                now = _closed(place, env, loop)
            elif not loop.rests:
                now = parking.park(place, env, parking.ENDED if session.ended_at else parking.GONE)
        except (OSError, locks.Busy, store.Unreadable) as error:
            log.write(base, f"{loop.loop_id} was left as it is: {error}")
            now = None
        if now is not None:
            after.append((place, session, now))
    return after


def _closed(place: Place, env: Mapping[str, str], loop: Loop) -> Loop | None:
    """The loop, over; its session is told if it ever comes back. None where it changed meanwhile."""
    with sessions.locked(place, _WAIT):
        if store.read_loop(place.file(STATE)) != loop:
            return None
        from untilgreen.core.verdict import policy  # a session that begins seldom closes one

        over = policy.over(loop, "error", NEVER, clock.iso(time.time()))
        sessions.end(place, env, over, f"was closed, {NEVER}")
    from untilgreen.state import memory

    memory.record(place, over, "close", loop_id=over.loop_id, reason=NEVER)
    return over
