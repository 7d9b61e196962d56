"""A prompt's word to the loop that runs: go on, hold no more, or another task after an interrupt.

A host tells nobody of an interrupt: a turn that no stop ended was one, once the next prompt begins another turn.
"""

import time
from collections.abc import Mapping
from typing import Literal

from untilgreen.core.model.event import Event, Place, Session
from untilgreen.core.model.loop import Loop
from untilgreen.core.record import NamedTuple
from untilgreen.core.verdict import wishes
from untilgreen.loops.rest import ending, parking
from untilgreen.project.tree import worktree
from untilgreen.state import sessions, store


class Heard(NamedTuple):
    """What a prompt did to the loop: how it is told, and the loop since then."""

    told: Literal["paused", "goes_on", "dropped", "cancelled"]
    loop: Loop
    #: why it was parked until now
    parked: str = ""


def heard(place: Place, event: Event, env: Mapping[str, str]) -> Heard | None:
    """Do what the prompt asks of the loop, before the prompt is counted; None where that is nothing.

    Raises locks.Busy, OSError, store.Unreadable.
    """
    loop = store.known(place).running
    if loop is None or not store.is_ours(loop, place):
        return None
    wish, session = wishes.of(event.prompt), store.read_session(place)
    if wish == "go on":
        return _changed(place, env, "") if loop.rests else None
    if wish == "stop":
        return None if loop.rest.paused else _changed(place, env, "its user said so")
    if loop.rest.parked:
        return _changed(place, env, "")
    if not _interrupted(loop, session, event):
        return None
    if is_corrected(place, event, loop, session):
        return _ended(place, env, "dropped")
    on_interrupt = loop.settings.on_interrupt
    if on_interrupt == "keep" or wishes.is_question(event.prompt):
        return None
    if on_interrupt == "cancel":
        return _ended(place, env, "cancelled")
    return _changed(place, env, "its turn was interrupted, and another task given")


def is_corrected(place: Place, event: Event, loop: Loop, session: Session) -> bool:
    """Whether the turn that the loop's own command began was interrupted before anything came of it, a stop or a
    change: a command that begins another is the same one, corrected."""
    first = (
        loop.begun_by == "user"
        and session.turn == loop.turns.own_prompt > session.stopped
        and not loop.history.snapshots
    )
    if not first or not _interrupted(loop, session, event):
        return False
    return worktree.fingerprint(place.root, place.base) == loop.history.tree_at_start


def _interrupted(loop: Loop, session: Session, event: Event) -> bool:
    """Whether no stop ended the turn before this prompt's."""
    another = event.prompt_id != "" and session.turn_id not in ("", event.prompt_id)
    return another and not loop.rests and session.turn > session.rested


def _ended(place: Place, env: Mapping[str, str], told: Literal["dropped", "cancelled"]) -> Heard | None:
    loop = ending.cancel(place, env, told=True)
    return Heard(told, loop) if loop else None


def _changed(place: Place, env: Mapping[str, str], why: str) -> Heard | None:
    """The loop paused; with "" for `why` going on."""

    def wanted(loop: Loop) -> Loop | None:
        if why:
            return None if loop.rest.paused else parking.resting(loop, paused=why)
        return parking.going(loop, time.time()) if loop.rests else None

    changed = sessions.change(place, env, wanted)
    if changed is None:
        return None
    parking.told(place, changed.after)
    return Heard("paused" if why else "goes_on", changed.after, parking.why(changed.before))
