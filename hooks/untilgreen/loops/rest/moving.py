"""A project whose folder was renamed: its state folder lies in it and came along, and so do its loops.

What they know of it by an absolute path gets the new one, once the folder is trusted where it is now. Of a folder that
was copied the loops stay with the first one, as long as that is there.
"""

import json
import os
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from untilgreen.core.model.event import Place
from untilgreen.core.words import brief
from untilgreen.loops.begin import listing, ownership
from untilgreen.state import locks, log, seal, sessions, store
from untilgreen.state.place import EDITS, NEXT, SESSION, STATE

_WAIT = 2.0  # seconds for a session's lock


def is_left(old: str, root: str) -> bool:
    """Whether nothing lies any more where the project was that is at `root` now."""
    return old not in ("", root) and (not os.path.lexists(old) or os.path.realpath(old) == root)


def follow(root: str, base: str, env: Mapping[str, str]) -> tuple[str, ...]:
    """Let the loops of this state folder follow their project to `root`; where it was. A fault is in the log."""
    if not base.startswith(os.path.join(root, "")):
        return ()  # it lies elsewhere, and did not come along with anything
    found: dict[str, None] = {}
    for place in listing.sessions_of(base, root):
        try:
            with sessions.locked(place, _WAIT):
                found |= _session(place, env)
        except (OSError, locks.Busy, store.Unreadable) as error:
            log.write(base, f"the loop of session {place.session} stays where its project was: {error}")
    for path in store.documents_in(os.path.join(base, NEXT)):
        with suppress(OSError, store.Unreadable):
            found |= _document(Place(root, base, NEXT), path, env)
    return tuple(found)


def _session(place: Place, env: Mapping[str, str]) -> dict[str, None]:
    """Where the documents of a session were. Only under its lock."""
    found: dict[str, None] = {}
    for path in (*map(place.file, (STATE, EDITS, SESSION)), *store.documents_in(place.file("loops"))):
        found |= _document(place, path, env)
    return found


def _document(place: Place, path: str, env: Mapping[str, str]) -> dict[str, None]:
    """Write a document with the new paths, and its seal; where its project was, nothing where that is not left."""
    try:
        text = store.read_json(path)
    except (ValueError, RecursionError):  # a stop says it
        return {}
    old = text.get("project") if isinstance(text, dict) else None
    if not isinstance(old, str) or not is_left(old, place.root):
        return {}
    waits = os.path.basename(os.path.dirname(path)) == NEXT
    sealed_at = seal.of_waiting(place, path) if waits else place
    before = store.look_at(path) if waits or path == place.file(STATE) else None
    store.write_text(path, json.dumps(_renamed(text, old, place.root)))
    after = store.look_at(path) if before is not None else None
    if before is not None and after is not None:
        there = sealed_at._replace(root=old)
        sealed = ownership.resealed(env, there, before, after)
        if sealed is not None:
            told = brief.gone(f"came along with its project, which was {old}", brief.named(after))
            unsaid = "; ".join(filter(None, (sealed.unsaid, told)))
            seal.put(env, sealed_at, sealed._replace(state=place.base, unsaid=unsaid, off=""))
            seal.put(env, there, None)
    return {old: None}


def _renamed(value: Any, old: str, new: str) -> Any:
    """The value with each path that began with the old folder."""
    if isinstance(value, dict):
        return {name: _renamed(one, old, new) for name, one in value.items()}
    if isinstance(value, list):
        return [_renamed(one, old, new) for one in value]
    if isinstance(value, str) and (value == old or value.startswith(os.path.join(old, ""))):
        return new + value[len(old) :]
    return value
