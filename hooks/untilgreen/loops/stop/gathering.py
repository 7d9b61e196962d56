"""What a stop of a loop finds out before its verdict: the work tree is kept, the checks run, a green is proved, and the
judge is asked last."""

import os
import time
from collections.abc import Callable, Iterator

from untilgreen.core.model.loop import Loop
from untilgreen.core.model.snapshot import Snapshot
from untilgreen.core.verdict import policy
from untilgreen.core.verdict.policy import Evidence
from untilgreen.core.words import brief
from untilgreen.loops.stop.stop_policy import Stop
from untilgreen.project.tree.worktree import Listing
from untilgreen.state import clock, seal, store, under_way
from untilgreen.state.place import SESSION, STATE


def gathered(stop: Stop, until: float) -> tuple[Stop, Evidence]:
    """What the checks say; a promise loop has none. The tree is kept first: what the checks leave is not in it."""
    # a hook that ran before the checks may have changed what there is
    listing = stop.reading.listing() if stop.reading and not stop.trace.hooks else None
    stop, ref, path = kept(stop._replace(until=until), until)
    stop, found = _said(stop, listing, until)
    found = found._replace(snapshot=found.snapshot._replace(ref=ref, snapshot_path=path))
    loop = stop.loop
    if not loop.for_a_judge:
        return _proven(stop, found, until)
    from untilgreen.loops.stop import judging  # few loops have one

    # a proof costs no money: it comes first, and leaves time for the judge
    time_for_it = min(loop.settings.judge.seconds, (until - time.monotonic()) / 2)
    stop, found = _proven(stop, found, until - time_for_it)
    return stop, judging.judged(stop, found, until, watch(stop), ends=_would_end(stop, found))


def kept(stop: Stop, until: float) -> tuple[Stop, str, str]:
    """The stop without its reading, the commit that is kept of it, and where; "" where it could not be kept."""
    loop, reading = stop.loop, stop.reading
    if reading is None:
        return stop, "", ""
    from untilgreen.state import snapshots  # not every stop comes so far

    last = loop.history.snapshots[-1].ref if loop.history.snapshots else loop.start.start_ref
    seconds = max(0.0, min(snapshots.AT_STOP, until - time.monotonic()))
    found = snapshots.keep(stop.call.place, reading, loop.loop_id, str(loop.rounds.iteration), seconds, last)
    stop = stop._replace(reading=None, unkept=found.why if last else "")
    return stop, found.ref, snapshots.path_of(stop.call.place, found.ref)


def _said(stop: Stop, listing: Listing | None, until: float) -> tuple[Stop, Evidence]:
    if stop.loop.asked.promise_only:
        now = clock.iso(time.time())
        return stop, Evidence(Snapshot(stop.loop.rounds.iteration, now), ran=True, tree=stop.tree)
    loop = _with_start(stop, until)
    from untilgreen.checks.run import checking
    from untilgreen.loops.stop import evidence  # half of what a stop imports, and not every one comes so far

    written = stop.before.edits.written if stop.before.edits else ()
    took = {name: suite.seconds for name, suite in stop.loop.history.suites.items() if not suite.late}
    turned = under_way.Notes(stop.call.place, took).turned
    heard = checking.Watch(until, watch(stop), stop.trace.checked, turned)
    loop, found = evidence.gather(loop, stop.call.env, stop.tree, written, heard, listing)
    waited = bool(stop.loop.rest.pending)
    found = found._replace(left_out=(*found.left_out, *_against(stop, loop)), waited=waited)
    return stop._replace(loop=loop), found


def _proven(stop: Stop, found: Evidence, until: float) -> tuple[Stop, Evidence]:
    """What stands behind a green that would end the loop."""
    loop = stop.loop
    if not _would_end(stop, found):
        return stop._replace(loop=loop.put(loop.history._replace(proof=None))), found
    from untilgreen.loops.stop import proof

    shown = proof.prove(stop.call.place, loop, stop.call.env, found, until, watch(stop))
    return stop._replace(loop=loop.put(loop.history._replace(proof=shown))), proof.with_proof(found, shown)


def _would_end(stop: Stop, found: Evidence) -> bool:
    """Whether a loop ends by what its checks say, unless something else stands against it."""
    ends = stop.loop.settings.markers.marker != "require" or stop.said is not None
    met = ends and policy.is_met(found) and not policy.is_untouched(stop.loop, found)
    return met and not stop.loop.asked.promise_only


def _with_start(stop: Stop, until: float) -> Loop:
    """The loop; where what passed at the start must still pass, with what the checks say of the start."""
    loop = stop.loop
    if not loop.asked.completion_criteria.preserve or loop.start.base:
        return loop
    from untilgreen.loops.stop import preserved

    return loop.put(
        loop.start._replace(base=preserved.at_start(stop.call.place, loop, stop.call.env, until, watch(stop)))
    )


def _against(stop: Stop, loop: Loop) -> Iterator[str]:
    """What stands against a green of this loop, whatever its checks say."""
    if loop.start.base:
        from untilgreen.loops.stop import preserved

        yield from preserved.unknown(loop)
    if stop.loop.start.replaced_counts:
        yield f"replaced {stop.loop.start.replaced}"
    sealed = seal.read(stop.call.env, stop.call.place)
    if sealed is not None and sealed.changed:
        yield brief.changed_by_hand(sealed.changed)


def watch(stop: Stop) -> Callable[[], bool]:
    """Asks, while the checks run, whether they are still wanted: the loop may have ended, or its user have spoken.

    What it gives raises store.Unreadable.
    """
    loop, call = stop.loop, stop.call
    files = tuple(call.place.file(name) for name in (STATE, SESSION))
    seen = [_stamps(files)]

    def superseded() -> bool:
        now = _stamps(files)
        if now == seen[0]:
            return False
        seen[0] = now
        current = store.known_here(call.place, call.event.session).running
        if current is None or current.loop_id != loop.loop_id:
            return True
        return policy.users_turn(loop, store.read_session(call.place), call.event, stop.tree)[1] != ""

    return superseded


def _stamps(files: tuple[str, ...]) -> tuple[int, ...]:
    return tuple(os.stat(path).st_mtime_ns if os.path.exists(path) else 0 for path in files)
