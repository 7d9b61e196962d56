"""Earlier loops of a session."""

import os

from untilgreen.core.model import Loop, Place
from untilgreen.state import store


def keep(place: Place, loop: Loop) -> None:
    """Keep a loop that is over. Raises OSError."""
    folder = place.file("loops")
    os.makedirs(folder, mode=0o700, exist_ok=True)
    store.save_loop(os.path.join(folder, f"{loop.loop_id}.json"), loop)
