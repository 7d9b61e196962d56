"""While the checks of a stop run: are they still for somebody?"""

import os
from collections.abc import Callable

from untilgreen.core import policy
from untilgreen.core.model import Loop
from untilgreen.events.payload import Call, known
from untilgreen.state import store
from untilgreen.state.place import SESSION, STATE


def watch(loop: Loop, call: Call, tree: str) -> Callable[[], bool]:
    """Asks whether the checks are for nobody any more: the loop was ended, or its user has spoken, meanwhile.

    `tree`: the work tree's fingerprint at the stop. Raises store.Unreadable.
    """
    files = tuple(call.place.file(name) for name in (STATE, SESSION))
    seen = [_stamps(files)]

    def superseded() -> bool:
        now = _stamps(files)
        if now == seen[0]:
            return False
        seen[0] = now
        current = known(call).running
        if current is None or current.loop_id != loop.loop_id:
            return True
        return policy.users_turn(loop, store.read_session(call.place), call.event, tree)[1] != ""

    return superseded


def _stamps(files: tuple[str, ...]) -> tuple[int, ...]:
    return tuple(os.stat(path).st_mtime_ns if os.path.exists(path) else 0 for path in files)
