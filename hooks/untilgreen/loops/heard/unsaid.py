"""What ended a session's loop, or switched it off, without a word to its user: said once, at the next event."""

import os
from collections.abc import Iterator

from untilgreen.core.model.event import Place
from untilgreen.core.model.loop import Loop
from untilgreen.core.words import brief
from untilgreen.loops.stop.payload import Call
from untilgreen.project import trust
from untilgreen.state import locks, seal, store
from untilgreen.state.place import NOWHERE, STATE, usual
from untilgreen.state.seal import Seal

_BROKEN_OFF = "the last stop was broken off before it was judged"


def line(call: Call) -> str:
    """What its user was not told yet, "" where nothing is; it counts as told from now on."""
    off = f"switched off by {call.off}" if call.off else ""
    return "; ".join(filter(None, (_say(one, why, came_along=left) for one, why, left in _loops(call, off))))


def _loops(call: Call, off: str) -> Iterator[tuple[Call, str, bool]]:
    """The call in each project that the session is known in (a folder or its `.git` may have moved), what switches us
    off there, and whether that project was renamed to this one."""
    root = call.place.root
    for one, state in _projects(call):
        if one == root:
            yield call, off, False
            continue
        there, event = Place(one, state, call.place.session), call.event._replace(name="other")
        left = _came_along(call, one)
        why = f"its project is {one}, and this is {root}"
        why = f"its project was renamed from {one}, and is not trusted yet: untilgreen trust" if left else why
        yield call._replace(place=there, event=event), why, left


def _projects(call: Call) -> list[tuple[str, str]]:
    """The projects that the session is known in, after the loops of one that was renamed came along."""
    found, base = seal.projects(call.env, call.place.session), call.place.base
    if base != NOWHERE and any(_came_along(call, one) for one, _ in found):
        from untilgreen.loops.rest import orphans

        orphans.follow(call.place.root, base, call.env)
        return seal.projects(call.env, call.place.session)
    return found


def _came_along(call: Call, root: str) -> bool:
    """Whether nothing is left of the session's project, and its state lies here: a folder that was renamed."""
    if root == call.place.root or os.path.lexists(root):
        return False
    base = usual(call.place.root, call.env)
    return os.path.lexists(os.path.join(base, "sessions", call.place.session, STATE))


def _say(call: Call, off: str, *, came_along: bool) -> str:
    try:
        with seal.locked(call.place):
            before = seal.read(call.env, call.place)
            if before is None:
                return ""
            texts, after = _off(before, before, off) if came_along else _found(call, before, off)
            if after != before and not seal.put(call.env, call.place, after):
                return ""  # it would be said again and again; or another process says it just now
    except (OSError, locks.Busy):
        return ""  # at the next event
    return "; ".join(texts)


def _found(call: Call, before: Seal, off: str) -> tuple[list[str], Seal | None]:
    """What is to be said, and the seal then; None: it is closed."""
    texts, after = [before.unsaid] if before.unsaid else [], before._replace(unsaid="")
    if before.judging and not seal.is_alive(before.judging):
        texts, after = [*texts, _BROKEN_OFF], after._replace(judging=0)
    if not before.parts:  # no loop runs
        return texts, after._replace(loop="") if after.judging else None
    try:
        loop = store.look_at(call.place.file(STATE))
    except store.Corrupt as error:  # a stop puts it aside, and says so itself
        return texts if call.event.name == "stop" else [*texts, brief.gone(f"is over, {error}", before.loop)], None
    except store.Unreadable:
        return texts, after
    new: list[str] = []
    if loop is not None and loop.active and store.is_ours(loop, call.place, call.event.session):
        if parts := seal.changed(before, loop):
            new = [part for part in parts if part not in before.changed]
            after = after._replace(parts=seal.of(loop), changed=(*before.changed, *new))
    elif loop is None and before.state != call.place.base != NOWHERE:
        off = f"its state is in {before.state}"
    else:
        return [*texts, brief.gone(_how(call, loop), before.loop)], None
    told, after = _off(before, after, off)
    return [*texts, *told, *([brief.changed_by_hand(new)] if new else [])], after


def _how(call: Call, loop: Loop | None) -> str:
    if not trust.trusted(call.place.root, call.env):
        return "is over, its project is not trusted any more"
    if loop is None:
        return "is gone, its state was removed"
    # by one that was killed before it could leave word
    return "was cancelled from a shell" if loop.end.stop_reason == "cancelled" else "was ended by hand, in its state"


def _off(before: Seal, after: Seal, why: str) -> tuple[list[str], Seal]:
    """What is said of a loop that holds nobody, and the seal then; `why`: "" where it holds."""
    if why in ("", before.off):
        return [], after
    return [f"the loop of this session holds nobody, {why}"], after._replace(off=why)
