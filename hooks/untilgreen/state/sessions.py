"""The one way to change a session's loop: lock, read, is it ours, change, seal, save."""

import os
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager

from untilgreen.core.model.event import Place
from untilgreen.core.model.loop import Loop
from untilgreen.core.record import NamedTuple
from untilgreen.core.words import brief
from untilgreen.state import locks, seal, store
from untilgreen.state.place import STATE

_WAIT = 10.0  # seconds for the lock


class Changed(NamedTuple):
    """A loop before and after it was changed."""

    before: Loop
    after: Loop


def locked(place: Place, seconds: float = _WAIT) -> AbstractContextManager[None]:
    """Hold the session's lock. Raises locks.Busy, OSError."""
    return locks.locked(place.file(store.LOCK), seconds)


def change(
    place: Place,
    env: Mapping[str, str],
    wanted: Callable[[Loop], Loop | None],
    *,
    seconds: float = _WAIT,
    durable: bool = True,
) -> Changed | None:
    """Change the session's running loop into the `wanted` one; None where none runs, or nothing is wanted. A changed
    loop that is over leaves its seal open for a word to its user (see `end`).

    Raises locks.Busy, OSError, store.Unreadable.
    """
    if not os.path.isdir(place.folder):
        return None
    with locked(place, seconds):
        before = store.read_loop(place.file(STATE))
        if before is None or not before.active or not store.is_ours(before, place):
            return None
        after = wanted(before)
        if after is None or after == before:
            return None
        save(place, env, before, after, durable=durable)
    return Changed(before, after)


def save(place: Place, env: Mapping[str, str], before: Loop, after: Loop, *, durable: bool = True) -> None:
    """Seal and save a loop that runs. Only under the session's lock. Raises OSError."""
    seal.renew(env, place, after, before)
    store.save(place, after, durable)


def end(place: Place, env: Mapping[str, str], over: Loop, how: str) -> None:
    """Save a loop that is over, and leave word for its user how it ended. Only under the session's lock. Raises
    OSError."""
    store.save(place, over)
    leave_word(place, env, brief.gone(how, brief.named(over)), of=over)


def leave_word(place: Place, env: Mapping[str, str], word: str, *, of: Loop | None = None) -> None:
    """Close the session's seal but for a word to its user, `of` a loop. Only under the session's lock."""
    seal.put(env, place, seal.Seal(brief.named(of) if of else "", unsaid=word, state=place.base))
