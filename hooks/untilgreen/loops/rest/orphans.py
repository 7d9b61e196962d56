"""Loops that were left behind. Where the session is gone, the loop is said once and given to nobody; it goes on when
the session comes back, and is closed after two weeks. Where the project's folder was renamed, it gets the new paths
once that is trusted; those of a copied folder stay with the first one, as long as that is there.
"""

import json
import os
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress

from untilgreen import hosts
from untilgreen.core.model.event import Place, Session
from untilgreen.core.model.loop import Loop
from untilgreen.core.record import Any
from untilgreen.core.words import brief
from untilgreen.loops.begin import listing, ownership
from untilgreen.loops.rest import parking
from untilgreen.project import files
from untilgreen.state import clock, locks, log, seal, sessions, store
from untilgreen.state.place import EDITS, NEXT, SESSION, STATE

DAYS = 14  # after which a loop is closed whose session did not come back
NEVER = f"its session did not come back for {DAYS} days"
_WAIT = 0.5  # seconds for the lock of a session that is gone
_WAIT_TO_MOVE = 2.0  # and of one whose project was renamed
_TOLD = 3  # loops that are named
_HEAD = 512  # bytes in which a loop's document says whether it runs


def told(base: str, root: str, env: Mapping[str, str], but: str = "") -> list[str]:
    """A line for each loop left behind here that nobody was told of until now. `but`: the session that begins."""
    new = [(place, loop) for place, session, loop in swept(base, root, env, but) if not session.orphan_told]
    for place, _ in new:
        with suppress(OSError, locks.Busy):
            store.change_session(place, lambda before: before._replace(orphan_told=True))
    lines = [line(loop) for _, loop in new[:_TOLD]]
    if (more := len(new) - _TOLD) > 0:
        lines.append(f"untilgreen: {brief.plural(more, 'more loop')} left behind: untilgreen status --all")
    return lines


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
        return f"to go on in another session: untilgreen resume {loop.loop_id} --here"
    again = " ".join((facts.program, *facts.reopen)).format(session=loop.session_id)
    return f"to go on: {again}; in another session: untilgreen resume {loop.loop_id} --here"


def swept(base: str, root: str, env: Mapping[str, str], but: str = "") -> list[tuple[Place, Session, Loop]]:
    """Park the project's loops whose session is gone, and close the old ones. A fault is in the log."""
    long_ago = clock.iso(time.time() - DAYS * 86_400.0)
    after = []
    for place, session, loop in _left(base, root, but, long_ago):
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


def _left(base: str, root: str, but: str, long_ago: str) -> Iterator[tuple[Place, Session, Loop]]:
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


def _closed(place: Place, env: Mapping[str, str], loop: Loop) -> Loop | None:
    """The loop, over; its session is told if it ever comes back. None where it changed meanwhile."""
    from untilgreen.core.verdict import policy  # a session that begins seldom closes one
    from untilgreen.state import memory

    over = policy.over(loop, "error", NEVER, clock.iso(time.time()))
    how = f"was closed, {NEVER}"
    if not sessions.change(place, env, lambda now: over if now == loop else None, seconds=_WAIT, how=how):
        return None
    memory.record(place, over, "close", loop_id=over.loop_id, reason=NEVER)
    return over


def follow(root: str, base: str, env: Mapping[str, str]) -> tuple[str, ...]:
    """Let the loops of this state folder follow their project to `root`; where it was. A fault is in the log."""
    if not base.startswith(os.path.join(root, "")):
        return ()  # it lies elsewhere, and did not come along with anything
    found: dict[str, None] = {}
    for place in listing.sessions_of(base, root):
        own = map(place.file, (STATE, EDITS, SESSION))
        try:
            with sessions.locked(place, _WAIT_TO_MOVE):
                for path in (*own, *store.documents_in(place.file("loops"))):
                    found |= _moved(place, path, env)
        except (OSError, locks.Busy, store.Unreadable) as error:
            log.write(base, f"the loop of session {place.session} stays where its project was: {error}")
    for path in store.documents_in(os.path.join(base, NEXT)):
        with suppress(OSError, store.Unreadable):
            found |= _moved(Place(root, base, NEXT), path, env)
    return tuple(found)


def _moved(place: Place, path: str, env: Mapping[str, str]) -> dict[str, None]:
    """Write a document with the new paths, and its seal; where its project was, nothing where that is still there."""
    try:
        text = store.read_json(path)
    except (ValueError, RecursionError):  # a stop says it
        return {}
    old = text.get("project") if isinstance(text, dict) else None
    if not isinstance(old, str) or old in ("", place.root):
        return {}
    if os.path.lexists(old) and os.path.realpath(old) != place.root:
        return {}
    waits = place.session == NEXT
    sealed_at = seal.of_waiting(place, path) if waits else place
    before = store.look_at(path) if waits or path == place.file(STATE) else None
    store.write_text(path, json.dumps(_renamed(text, old, place.root)))
    after = store.look_at(path) if before is not None else None
    if before is not None and after is not None:
        there = sealed_at._replace(root=old)
        sealed = ownership.resealed(env, there, before, after)
        if sealed is not None:
            moved = brief.gone(f"came along with its project, which was {old}", brief.named(after))
            unsaid = "; ".join(filter(None, (sealed.unsaid, moved)))
            seal.put(env, sealed_at, sealed._replace(state=place.base, unsaid=unsaid, off=""))
            seal.put(env, there, None)
    return {old: None}


def _renamed(value: Any, old: str, new: str) -> Any:
    if isinstance(value, dict):
        return {name: _renamed(one, old, new) for name, one in value.items()}
    if isinstance(value, list):
        return [_renamed(one, old, new) for one in value]
    if isinstance(value, str) and (value == old or value.startswith(os.path.join(old, ""))):
        return new + value[len(old) :]
    return value
