"""One of several goes at a loop's task."""

from untilgreen.core.record import NamedTuple


class Attempt(NamedTuple):
    """An attempt that got stuck, and was undone down to the best round so far."""

    #: its last round
    until: int
    #: why it ended, as a loop that is stuck says it
    why: str
    #: the round whose work tree was put back, and how much was left then
    best: int
    left: int
    #: what it had changed beside that, `shop.py +10 -3` each
    changed: tuple[str, ...] = ()
