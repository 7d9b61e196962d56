"""All sessions and loops of a project, for the commands that people type."""

import os

import click

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

    State that cannot be read is put aside by the reading, and `store.Unreadable` goes through; state that must be
    left alone hides no other: it is said on stderr and passed over.
    """
    found = []
    for place in sessions_of(base, root):
        loop = _loop_of(place.file(store.STATE))
        if loop is not None and loop.project == root and (loop.mode == "loop" or loop.active):
            found.append((place, loop))
    for path in binding.waiting(base, root):
        loop = store.read_loop(path)
        if loop is not None:
            found.append((Place(root, base, "next"), loop))
    return tuple(sorted(found, key=lambda one: (not one[1].active, one[1].started_at)))


def _loop_of(path: str) -> Loop | None:
    try:
        return store.read_loop(path)
    except store.Unreadable as error:
        if not os.path.exists(path):
            raise
        click.echo(f"untilgreen: {error}", err=True)
        return None


def live_sessions(base: str, root: str) -> tuple[tuple[Place, Session], ...]:
    """Sessions that began here, did not end, and whose host still runs."""
    found = []
    for place in sessions_of(base, root):
        session = store.read_session(place)
        here = session.project in ("", root)
        if here and session.started_at and not session.ended_at and _alive(session.client):
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
