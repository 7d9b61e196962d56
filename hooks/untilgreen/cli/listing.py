"""All sessions and loops of a project, for the commands that people type."""

import os

from untilgreen import binding, store
from untilgreen.core.model import Loop, Session
from untilgreen.store import Place


def sessions_of(base: str, root: str) -> tuple[Place, ...]:
    """The places of every session that left something in the state folder."""
    try:
        names = sorted(os.listdir(os.path.join(base, "sessions")))
    except OSError:
        return ()
    return tuple(Place(root, base, name) for name in names)


def loops_of(base: str, root: str) -> tuple[tuple[Place, Loop], ...]:
    """Every session's newest loop, running ones first, and those that wait for the next session.

    State that cannot be read is put aside by the reading; `store.Unreadable` goes through.
    """
    found = []
    for place in sessions_of(base, root):
        loop = store.read_loop(place.file(store.STATE))
        if loop is not None and loop.project == root:
            found.append((place, loop))
    for path in binding.waiting(base, root):
        loop = store.read_loop(path)
        if loop is not None:
            found.append((Place(root, base, "next"), loop))
    return tuple(sorted(found, key=lambda one: (not one[1].active, one[1].started_at)))


def live_sessions(base: str, root: str) -> tuple[tuple[Place, Session], ...]:
    """Sessions that began here, did not end, and whose host still runs."""
    found = []
    for place in sessions_of(base, root):
        session = store.read_session(place)
        if session.started_at and not session.ended_at and _alive(session.client):
            found.append((place, session))
    return tuple(found)


def _alive(client: str) -> bool:
    if not client.isdecimal():
        return False  # a host that does not say who it is cannot be asked about
    try:
        os.kill(int(client), 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return True  # it is there, but somebody else's
    return True
