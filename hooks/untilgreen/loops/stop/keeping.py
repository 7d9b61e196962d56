"""The work tree is kept before anything runs at a stop: what the checks leave is not in it."""

import time

from untilgreen.loops.stop.steps import StopStep
from untilgreen.loops.stop.stop_policy import Stop
from untilgreen.state import snapshots


def run(stop: Stop, _step: StopStep, until: float) -> Stop:
    """Its snapshot names the commit that is kept of it, and where; or the stop says why it could not be kept."""
    loop, reading, call = stop.loop, stop.reading, stop.call
    assert reading is not None
    last = loop.history.snapshots[-1].ref if loop.history.snapshots else loop.start.start_ref
    seconds = max(0.0, min(snapshots.AT_STOP, until - time.monotonic()))
    found = snapshots.keep(call.place, reading, loop.loop_id, str(loop.rounds.iteration), seconds, last)
    path = snapshots.path_of(call.place, found.ref)
    snapshot = stop.evidence.snapshot._replace(ref=found.ref, snapshot_path=path)
    evidence = stop.evidence._replace(snapshot=snapshot)
    stop = stop._replace(reading=None, listing=reading.listing())
    return stop._replace(unkept=found.why if last else "", evidence=evidence)
