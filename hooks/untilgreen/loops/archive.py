"""From one loop of a session to the next: the old one is kept, what is known of the session's edits goes on."""

import os

from untilgreen.core.model import Loop, Place
from untilgreen.state import store


def keep(place: Place, loop: Loop) -> None:
    """Keep a loop that is over. Raises OSError."""
    folder = place.file("loops")
    os.makedirs(folder, mode=0o700, exist_ok=True)
    store.save_loop(os.path.join(folder, f"{loop.loop_id}.json"), loop)


def continued(loop: Loop, last: Loop | None) -> Loop:
    """A new loop with what is known of its session's edits."""
    if last is None:
        return loop
    return loop._replace(edited=last.edited, unjudged=last.unjudged, let_go=last.let_go, auto_off=last.auto_off)
