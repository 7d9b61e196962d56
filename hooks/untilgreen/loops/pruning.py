"""Which snapshots may go: none of a loop that runs, is paused or waits."""

import os

from untilgreen.core.model.event import Place
from untilgreen.loops.begin import listing
from untilgreen.state import locks, log, pruning, store
from untilgreen.state.objects import Objects
from untilgreen.state.place import NEXT, STATE
from untilgreen.state.pruning import Pruned

_AT_START = 1.0  # seconds


def prune(place: Place, seconds: float) -> Pruned:
    """Drop old snapshots. Raises OSError, locks.Busy, store.Unreadable."""
    with Objects(place.base, place.root) as objects:
        return pruning.prune(objects, place.root, _running(place), seconds)


def at_start(place: Place) -> None:
    """As `prune`, once a day and not for long; a fault is in the log."""
    try:
        with Objects(place.base, place.root) as objects:
            if pruning.due(objects):
                pruning.prune(objects, place.root, _running(place), _AT_START)
    except (OSError, locks.Busy, store.Unreadable) as error:
        log.write(place.base, f"old snapshots were not dropped: {error}")


def _running(place: Place) -> frozenset[str]:
    """The loops of every project that keeps its state there. Raises store.Unreadable: that one may run, too."""
    paths = [one.file(STATE) for one in listing.sessions_of(place.base, place.root)]
    paths += store.documents_in(os.path.join(place.base, NEXT))
    return frozenset(loop.loop_id for loop in map(store.look_at, paths) if loop is not None and loop.active)
