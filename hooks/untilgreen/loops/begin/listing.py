"""All sessions and loops of a project, for the commands that people type."""

import os
from collections.abc import Iterable, Sequence

from untilgreen.core import document
from untilgreen.core.errors import UserError
from untilgreen.core.model.event import Place, Session
from untilgreen.core.model.loop import Known, Loop
from untilgreen.core.record import Any, NamedTuple
from untilgreen.core.words import brief
from untilgreen.state import clock, store
from untilgreen.state.place import EDITS, NEXT, STATE, at, key_of

# what `--json` tells as the state has it
_FACTS = (
    *("loop_id", "status", "paused", "parked", "parked_until", "active", "iteration", "task_description"),
    *("target_files", "context", "completion_criteria", "stop_reason", "final_status", "completion_reason"),
    *("verified", "started_at", "updated_at", "elapsed_seconds", "project"),
)


class Kept(NamedTuple):
    """A loop, its session's place ("next": it waits) and its file. `held`: a stop is held without a loop."""

    place: Place
    loop: Loop
    path: str
    held: bool = False

    @property
    def newest(self) -> bool:
        """Whether it is the newest of its session, or waits for one."""
        return self.place.session == NEXT or self.held or os.path.basename(self.path) == STATE

    @property
    def gone(self) -> bool:
        return is_gone(store.read_session(self.place))


def everything(base: str, root: str) -> tuple[tuple[Kept, ...], tuple[store.Unreadable, ...]]:
    """Every loop of the project: running, waiting, then the newest that ended; and what was unreadable. Only looks."""
    found: dict[str, Kept] = {}
    unreadable, paths = [], []
    for place in sessions_of(base, root):  # each one's own, and its earlier ones; and those that wait
        paths += [(place, place.file(name)) for name in (STATE, EDITS)]
        paths += [(place, path) for path in store.documents_in(place.file("loops"))]
    paths += [(Place(root, base, NEXT), path) for path in store.documents_in(os.path.join(base, NEXT))]
    for place, path in paths:
        held = path == place.file(EDITS)
        try:
            loop = Known(edits=store.look_at_edits(place)).held if held else store.look_at(path)
        except store.Unreadable as error:
            unreadable.append(error)
            continue
        if loop is not None and loop.project == root and loop.begun:
            found.setdefault(loop.loop_id, Kept(place, loop, path, held))  # a kill may leave one in two places
    active = [kept for kept in found.values() if kept.loop.active]
    over = [kept for kept in found.values() if not kept.loop.active]
    active.sort(key=lambda kept: (kept.place.session == NEXT, kept.loop.started_at))
    over.sort(key=lambda kept: kept.loop.end.ended_at or kept.loop.updated_at, reverse=True)
    return (*active, *over), tuple(unreadable)


def sessions_of(base: str, root: str) -> tuple[Place, ...]:
    """The places of every session that left something in the state folder."""
    try:
        names = sorted(os.listdir(os.path.join(base, "sessions")))
    except OSError:
        return ()
    return tuple(at(root, base, name) for name in names)


def live_sessions(base: str, root: str) -> tuple[tuple[Place, Session], ...]:
    """Sessions that began here, did not end, and whose host still runs."""

    def lives(one: Session) -> bool:
        begun = one.project in ("", root) and one.started_at and not one.ended_at
        return bool(begun) and one.client.isdecimal() and not is_gone(one)

    known = ((place, store.read_session(place)) for place in sessions_of(base, root))
    return tuple((place, session) for place, session in known if lives(session))


def only(several: Sequence[Kept], why: str) -> Place:
    """Where the only one of these lies. Raises UserError where there are more, `why` nobody can choose."""
    if len(several) > 1:
        raise UserError(f"{why}: {named(one.loop for one in several)}", "name one with --session ID")
    return several[0].place


def named(loops: Iterable[Loop]) -> str:
    """Which loops these are, and of which sessions, to choose one."""
    told = (f"{brief.named(one)} {brief.titled(one)}, {one.session_id or 'next session'}" for one in loops)
    return "; ".join(told)


def is_gone(session: Session) -> bool:
    """Whether the session ended, or its host did without a word; False where nobody can tell."""
    if session.ended_at or not session.client.isdecimal():
        return bool(session.ended_at)
    if "" < session.client_since < clock.booted():
        return True  # another process has that number by now
    try:
        os.kill(int(session.client), 0)
    except ProcessLookupError:
        return True
    except (OSError, OverflowError):
        pass  # it is there, but somebody else's
    return False


def as_json(loop: Loop, base: str) -> dict[str, Any]:
    facts, newest, current = document.dump(loop), brief.newest_snapshot(loop), loop.history.current
    waiting = os.path.join(base, NEXT, f"{loop.loop_id}.json")  # nobody's yet
    path = Place(loop.project, base, key_of(loop.session_id)).file(STATE) if loop.session_id else waiting
    return {
        **{name: facts[name] for name in _FACTS},
        "session_id": loop.session_id or None,
        "max_iterations": loop.settings.max_iterations,
        "left": brief.count_left(newest) if newest and not loop.asked.promise_only else None,
        "error_count": current.error_count if current else None,
        "warning_count": current.warning_count if current else None,
        "checks": [check.name for check in loop.checks.plan if not check.absent],
        "left_out": [check.absent.reason for check in loop.checks.plan if check.absent],
        "state": path,
    }
