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
    how: str = "",
) -> Changed | None:
    """Change the session's running loop into the `wanted` one; None where none runs, or nothing is wanted.

    `how`: what its user is to hear of it, "was closed". Raises locks.Busy, OSError, store.Unreadable.
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
        seal.renew(env, place, after, before)
        store.save(place, after, durable)
        word = brief.gone(how, brief.named(after)) if how else ""
        sealed = seal.read(env, place)
        if not after.active:
            leave_word(place, env, word, of=after)
        elif word and sealed is not None:
            seal.put(env, place, sealed._replace(unsaid=word))
    return Changed(before, after)


def leave_word(place: Place, env: Mapping[str, str], word: str, *, of: Loop | None = None) -> None:
    """Close the session's seal but for a word to its user, `of` a loop. Only under the session's lock."""
    seal.put(env, place, seal.Seal(brief.named(of) if of else "", unsaid=word, state=place.base))
