"""The names of loops: `loop-<unix seconds>`, each of them once."""

import os

from untilgreen.state import locks, store

_WAIT = 10.0  # seconds for the lock


def fresh(base: str, now: float) -> str:
    """A new name; of several that are asked for in one second each gets the next free number. Raises OSError, Busy."""
    path = os.path.join(base, "last_id")
    with locks.locked(os.path.join(base, "last_id.lock"), _WAIT):
        try:
            with open(path, encoding="ascii") as file:
                last = int(file.read())
        except (FileNotFoundError, ValueError):
            last = 0
        number = max(int(now), last + 1)
        store.write_text(path, str(number), durable=False)
    return f"loop-{number}"
