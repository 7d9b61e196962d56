"""The stop of a session whose loop runs: what `stop` asks of it."""

import os
import time
from collections.abc import Callable, Iterator

from untilgreen.core import brief, notices, policy, report
from untilgreen.core.model.event import Message, Reply
from untilgreen.core.model.loop import Allow, Continue, Known, Loop, Release, Verdict
from untilgreen.core.model.settings import Settings
from untilgreen.core.model.snapshot import Snapshot
from untilgreen.core.policy import Evidence
from untilgreen.events.payload import notified, speak
from untilgreen.events.stop_policy import Arrival, Stop
from untilgreen.loops import times
from untilgreen.project import worktree
from untilgreen.state import catalogue, clock, log, seal, store, under_way
from untilgreen.state.place import SESSION, STATE


def settings(arrival: Arrival) -> Settings | Reply:
    """Those that the loop began with."""
    return arrival.before.loop.settings if arrival.before.loop else Reply()


def begun(arrival: Arrival) -> Stop | None:
    """The stop of the loop that runs, with the round's time added: from its start, or from the prompt if that was
    later."""
    loop, trace = arrival.before.running, arrival.trace
    if loop is None:
        return None
    session = store.read_session(arrival.call.place)
    since = 0.0 if loop.rests else max(loop.round_started, session.turn_started)
    worked = max(0.0, trace.began - since) if since else 0.0
    loop = loop._replace(elapsed_seconds=round(loop.elapsed_seconds + worked, 3))
    if loop.parked:  # its session is there again, be it without a prompt
        loop = loop._replace(status="running", parked="", parked_until="")
    return Stop(arrival.call, trace, arrival.before, loop, session)


def admitted(stop: Stop) -> tuple[Stop, Verdict | None]:
    """Steps 3 to 6."""
    reading = worktree.read(stop.loop.project, stop.call.place.base)
    tree = reading.fingerprint
    stop.trace.took(5)
    now = clock.iso(stop.trace.began)
    loop, verdict = policy.admit(stop.loop, stop.session, stop.call.event, stop.said, tree=tree, now=now)
    return stop._replace(loop=loop, tree=tree, reading=reading), verdict


def checked(stop: Stop, until: float) -> tuple[Stop, Evidence]:
    """What the checks say; a promise loop has none. The tree is kept first: what the checks leave is not in it."""
    stop, ref, path = _kept(stop._replace(until=until), until)
    stop, found = _said(stop, until)
    found = found._replace(snapshot=found.snapshot._replace(ref=ref, snapshot_path=path))
    loop = stop.loop
    if not loop.for_a_judge:
        return _proven(stop, found, until)
    from untilgreen.events import judging  # few loops have one

    # a proof costs no money: it comes first, and leaves time for the judge
    time_for_it = min(loop.settings.judge.seconds, (until - time.monotonic()) / 2)
    stop, found = _proven(stop, found, until - time_for_it)
    return stop, judging.judged(stop, found, until, _watch(stop), ends=_would_end(stop, found))


def _kept(stop: Stop, until: float) -> tuple[Stop, str, str]:
    """The stop without its reading, the commit that is kept of it, and where; "" where it could not be kept."""
    loop, reading = stop.loop, stop.reading
    if reading is None:
        return stop, "", ""
    from untilgreen.state import snapshots  # not every stop comes so far

    last = loop.snapshots[-1].ref if loop.snapshots else loop.start_ref
    seconds = max(0.0, min(snapshots.AT_STOP, until - time.monotonic()))
    kept = snapshots.keep(stop.call.place, reading, loop.loop_id, str(loop.iteration), seconds, last)
    stop = stop._replace(reading=None, unkept=kept.why if last else "")
    return stop, kept.ref, snapshots.path_of(stop.call.place, kept.ref)


def _said(stop: Stop, until: float) -> tuple[Stop, Evidence]:
    now = clock.iso(time.time())
    if stop.loop.promise_only:
        return stop, Evidence(Snapshot(stop.loop.iteration, now), ran=True, tree=stop.tree)
    loop = _with_start(stop, until)
    from untilgreen.events import evidence  # half of what a stop imports, and not every one comes so far

    written = stop.before.edits.written if stop.before.edits else ()
    took = {name: suite.seconds for name, suite in stop.loop.suites.items() if not suite.late}
    loop, found = evidence.gather(
        *(loop, stop.call.env, until, now, stop.tree),
        written=written,
        idle=_watch(stop),
        on_outcome=stop.trace.checked,
        on_turn=under_way.Notes(stop.call.place, took).turned,
    )
    waited = bool(stop.loop.pending)
    found = found._replace(left_out=(*found.left_out, *_against(stop, loop)), waited=waited)
    return stop._replace(loop=loop), found


def _proven(stop: Stop, found: Evidence, until: float) -> tuple[Stop, Evidence]:
    """What stands behind a green that would end the loop."""
    loop = stop.loop
    if not _would_end(stop, found):
        return stop._replace(loop=loop._replace(proof=None)), found
    from untilgreen.events import proof

    shown = proof.prove(stop.call.place, loop, stop.call.env, found, until, _watch(stop))
    return stop._replace(loop=loop._replace(proof=shown)), proof.with_proof(found, shown)


def _would_end(stop: Stop, found: Evidence) -> bool:
    """Whether a loop ends by what its checks say, unless something else stands against it."""
    ends = stop.loop.settings.marker != "require" or stop.said is not None
    met = ends and policy.is_met(found) and not policy.is_untouched(stop.loop, found)
    return met and not stop.loop.promise_only


def _with_start(stop: Stop, until: float) -> Loop:
    """The loop; where what passed at the start must still pass, with what the checks say of the start."""
    loop = stop.loop
    if not loop.completion_criteria.preserve or loop.base:
        return loop
    from untilgreen.events import preserved

    return loop._replace(base=preserved.at_start(stop.call.place, loop, stop.call.env, until, _watch(stop)))


def _against(stop: Stop, loop: Loop) -> Iterator[str]:
    """What stands against a green of this loop, whatever its checks say."""
    if loop.base:
        from untilgreen.events import preserved

        yield from preserved.unknown(loop)
    if stop.loop.replaced_counts:
        yield f"replaced {stop.loop.replaced}"
    sealed = seal.read(stop.call.env, stop.call.place)
    if sealed is not None and sealed.changed:
        yield brief.changed_by_hand(sealed.changed)


def judged(stop: Stop, evidence: Evidence) -> tuple[Stop, Verdict]:
    """Steps 5, for a prompt that came while the checks ran, and 9 to 12."""
    event = stop.call.event
    loop, users = policy.users_turn(stop.loop, store.read_session(stop.call.place), event, stop.tree)
    if users:
        return stop._replace(loop=loop), Allow(users, policy.STILL_RUNNING, 5)
    loop = loop._replace(prompts_seen=stop.session.prompts, turn_id=event.prompt_id)
    verdict = policy.judge(loop, evidence, stop.said, clock.iso(time.time()))
    if loop.settings.judge.progress and isinstance(verdict, Release):
        from untilgreen.events import judging

        stop, verdict = judging.with_progress(stop._replace(loop=loop), evidence, verdict, _watch(stop))
    if loop.settings.attempts > 1 and isinstance(verdict, Release):
        from untilgreen.events import attempting

        verdict = attempting.considered(stop.call.place, verdict)
    if isinstance(verdict, Allow) and verdict.notice == policy.PENDING:
        loop = loop._replace(current=evidence.snapshot)
    if isinstance(verdict, Allow) and policy.is_untouched(loop, evidence):
        # what the checks leave behind (a lock file, a build) is no work of the agent
        loop = loop._replace(tree_at_start=_tree(stop))
    return stop._replace(loop=loop), verdict


def words(stop: Stop, verdict: Verdict) -> tuple[Loop, str, str]:
    """The loop as it goes on or ends, and what is said."""
    catalogued = catalogue.words(stop.loop.settings.lang)
    loop = stop.loop if isinstance(verdict, Allow) else verdict.loop
    text = user = ""
    evidence = stop.evidence
    told = evidence.told if evidence else ()
    if evidence and evidence.pending:
        told = (*told, catalogued["pending"].format(what=evidence.pending))
    if isinstance(verdict, Allow) and verdict.notice == policy.PENDING and evidence:
        user = notices.waiting(loop, evidence.pending, catalogued)
    elif isinstance(verdict, Allow):
        prompt = stop.call.event.prompt_id or f"prompt {store.read_session(stop.call.place).prompts}"
        if verdict.notice and loop.told != prompt:  # once for each prompt
            loop, user = loop._replace(told=prompt), notices.running(loop, catalogued)
    elif isinstance(verdict, Release):
        beside = (*_left_over(loop), *told, *times.were_ended(loop), *_ways_back(loop))
        text = "\n".join((notices.ended(loop, catalogued), *filter(None, beside)))
    elif len(loop.attempts) > len(stop.loop.attempts):
        from untilgreen.core import attempts

        text, user = attempts.told(loop, catalogued), attempts.shown(loop, catalogued)
    else:
        weakened = () if evidence is None else evidence.against if policy.is_strict(loop) else evidence.weakened
        text = report.held(loop, catalogued, weakened, told)
        beside = (*told, *times.were_ended(loop))
        user = notices.held(loop, catalogued, time.time() - stop.trace.began, weakened, beside)
    if stop.unkept and isinstance(verdict, Release):
        text = f"{text}\n{notices.unkept(stop.unkept)}"
    elif stop.unkept:
        user = "\n".join(filter(None, (user, notices.unkept(stop.unkept))))
    return loop._replace(last_output=text[:2_000]), text, user


def _left_over(loop: Loop) -> tuple[str, ...]:
    """What is left of several attempts."""
    if not loop.attempts:
        return ()
    from untilgreen.core import attempts

    return (attempts.left_over(loop),) if attempts.is_undone(loop) else ()


def _ways_back(loop: Loop) -> tuple[str, ...]:
    """Where the loop did not reach its end, how its work is undone."""
    if loop.stop_reason == "complete" or not loop.start_ref:
        return ()
    from untilgreen.core import attempts, ways_back
    from untilgreen.project.tools import on_path

    by_hand = on_path("git", loop.project, os.environ, trusted=False) != ""
    return ways_back.told(
        attempts.with_best_last(loop), os.path.relpath(loop.snapshot_path, loop.project) if by_hand else ""
    )


def same(before: Known, now: Known) -> bool:
    """Whether the loop and its round are those that were judged."""
    loop, still = before.loop, now.running
    return loop is not None and still is not None and (still.loop_id, still.iteration) == (loop.loop_id, loop.iteration)


def settled(stop: Stop, now: Known, verdict: Verdict, loop: Loop, moment: float) -> Known:
    """The loop with the time of its next round, and with what edits found meanwhile; a session whose loop is over is
    let go with all that it wrote."""
    before, edits = stop.before, now.edits
    if loop.settings.attempts > 1 and before.loop is not None:
        from untilgreen.events import attempting

        attempting.undo(stop.call.place, before.loop, loop)
    if now.loop is not None and before.loop is not None and loop.current is before.loop.current:
        loop = loop._replace(current=now.loop.current)
    if loop.active and now.loop and now.loop.parked and before.loop and not before.loop.parked:
        loop = now.loop.parking(loop)  # its session ended meanwhile
    elif loop.active and not loop.paused:
        loop = loop._replace(round_started=moment)
    if isinstance(verdict, Continue):
        loop = loop._replace(last_iteration_at=clock.iso(moment))
    if edits is not None and not loop.active:
        from untilgreen.core import automatic
        from untilgreen.state import originals

        newest = loop.snapshots[-1].items if loop.snapshots else ()
        edits = originals.released(
            stop.call.place, before.edits or edits._replace(unjudged=()), edits, stop.trace.began
        )
        edits = automatic.remembered(edits, (item.id for item in newest))
    return Known(loop, edits)


def unsaved(stop: Stop, verdict: Verdict | None, why: str) -> Reply:
    """A loop that cannot count must not go on: the agent is let go, and told why as far as possible."""
    call, catalogued = stop.call, catalogue.words(stop.loop.settings.lang)
    reason = f"the state could not be saved: {why}"
    log.write(call.place.base, reason)
    if isinstance(verdict, Release):
        text = f"{notices.ended(verdict.loop, catalogued)}\nuntilgreen: {reason}"
        over = verdict.loop
    else:
        loop = stop.loop if verdict is None or isinstance(verdict, Allow) else verdict.loop
        over = policy.over(loop, "error", reason, loop.updated_at)
        text = notices.ended(over, catalogued)
    stop.trace.decided(12, "release", reason, text)
    return speak(call, "release", Message(text, desktop=notified(call, over)))


def _tree(stop: Stop) -> str:
    return worktree.fingerprint(stop.loop.project, stop.call.place.base)


def _watch(stop: Stop) -> Callable[[], bool]:
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
