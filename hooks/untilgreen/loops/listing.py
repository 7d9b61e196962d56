"""All sessions and loops of a project, for the commands that people type."""

import os
from typing import NamedTuple

from untilgreen.core.model.event import Place, Session
from untilgreen.core.model.loop import Loop
from untilgreen.state import store
from untilgreen.state.place import EDITS, NEXT, STATE


class Kept(NamedTuple):
    """A loop and where it was read: `path` is its file, `place` its session's ("next": it waits for one). `held`: the
    rounds of a stop that is held without a loop."""

    place: Place
    loop: Loop
    path: str
    held: bool = False

    @property
    def newest(self) -> bool:
        """Whether it is the newest of its session, or waits for one."""
        return self.place.session == NEXT or self.held or os.path.basename(self.path) == STATE


def everything(base: str, root: str) -> tuple[tuple[Kept, ...], tuple[store.Unreadable, ...]]:
    """Every loop of the project, earlier ones too, and what could not be read. Only looks.

    Running ones come first, then those that wait for a session, then what is over, the newest first.
    """
    found: dict[str, Kept] = {}
    unreadable = []
    for place, path in _files(base, root):
        held = path == place.file(EDITS)
        try:
            loop = _held(place) if held else store.look_at(path)
        except store.Unreadable as error:
            unreadable.append(error)
            continue
        if loop is not None and loop.project == root and loop.begun:
            found.setdefault(loop.loop_id, Kept(place, loop, path, held))  # a kill may leave one in two places
    active = sorted((kept for kept in found.values() if kept.loop.active), key=_by_start)
    over = sorted((kept for kept in found.values() if not kept.loop.active), key=_by_end, reverse=True)
    return (*active, *over), tuple(unreadable)


def _by_start(kept: Kept) -> tuple[bool, str]:
    return kept.place.session == NEXT, kept.loop.started_at


def _by_end(kept: Kept) -> str:
    return kept.loop.ended_at or kept.loop.updated_at


def _files(base: str, root: str) -> list[tuple[Place, str]]:
    """Where loops may lie: each session's own, and its earlier ones; and those that wait."""
    found = []
    for place in sessions_of(base, root):
        found += [(place, place.file(STATE)), (place, place.file(EDITS))]
        found += [(place, path) for path in _documents(place.file("loops"))]
    waiting = Place(root, base, NEXT)
    return [*found, *((waiting, path) for path in _documents(os.path.join(base, NEXT)))]


def _documents(folder: str) -> list[str]:
    try:
        return [os.path.join(folder, name) for name in sorted(os.listdir(folder)) if name.endswith(".json")]
    except OSError:
        return []


def _held(place: Place) -> Loop | None:
    edits = store.look_at_edits(place)
    return edits.held if edits else None


def sessions_of(base: str, root: str) -> tuple[Place, ...]:
    """The places of every session that left something in the state folder."""
    try:
        names = sorted(os.listdir(os.path.join(base, "sessions")))
    except OSError:
        return ()
    return tuple(Place(root, base, name) for name in names)


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
