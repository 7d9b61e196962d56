"""The stop of a session whose loop runs: what `stop` asks of it."""

import os
import time
from collections.abc import Callable, Iterator
from contextlib import suppress

from untilgreen.core.model.event import Message, Reply
from untilgreen.core.model.loop import SAID, Allow, Continue, Known, Loop, Release, Verdict
from untilgreen.core.model.settings import Settings
from untilgreen.core.model.snapshot import Snapshot
from untilgreen.core.verdict import policy
from untilgreen.core.verdict.policy import Evidence
from untilgreen.core.words import notices
from untilgreen.core.words.brief import Words
from untilgreen.loops.stop import steps
from untilgreen.loops.stop.payload import Call, notify, speak
from untilgreen.loops.stop.steps import Stop, StopStep
from untilgreen.loops.stop.trace import CHECKS, Trace
from untilgreen.state import catalogue, clock, log, noted, snapshots, store
from untilgreen.state.place import SESSION, STATE


def settings(_call: Call, _trace: Trace, before: Known) -> Settings | Reply:
    """Those that the loop began with."""
    return before.running.settings if before.running else Reply()


def begun(call: Call, trace: Trace, before: Known, _settings: Settings) -> Stop | None:
    """The stop of the loop that runs, with the round's time: from its start, or from a prompt that came later."""
    loop = before.running
    if loop is None:
        return None
    session = store.read_session(call.place)
    since = 0.0 if loop.rests else max(loop.clock.round_started, session.turn_started)
    worked = max(0.0, trace.began - since) if since else 0.0
    loop = loop.worked(worked)._replace(host=call.event.host)
    if loop.rest.parked:  # its session is there again, be it without a prompt
        loop = loop.put(loop.rest._replace(parked="", parked_until=""))._replace(status="running")
    return Stop(call, trace, before, loop, session)


def admitted(stop: Stop) -> tuple[Stop, Verdict | None]:
    """Steps 3 to 6."""
    reading = noted.read(stop.loop.project, stop.call.place.base)
    tree = reading.fingerprint
    stop.trace.took(5)
    now = clock.iso(stop.trace.began)
    loop, verdict = policy.admit(stop.loop, stop.session, stop.call.event, stop.said, tree=tree, now=now)
    if loop.observed.evidence:
        from untilgreen.core.words import report

        stop.trace.own_runs = report.own_runs(loop, tree, catalogue.words(loop.settings))
    return stop._replace(loop=loop, tree=tree, reading=reading), verdict


def decided(stop: Stop) -> tuple[Stop, Verdict]:
    loop = stop.loop
    planned = () if loop.asked.promise_only else loop.checks.plan
    unknown = dict.fromkeys(one.stage for one in planned if not one.absent)  # until the checks have run
    snapshot = Snapshot(loop.rounds.iteration, clock.iso(time.time()), scores=unknown)
    evidence = Evidence(snapshot, ran=loop.asked.promise_only, tree=stop.tree, english=catalogue.english())
    stop = steps.decide(stop._replace(evidence=evidence, unwanted=_unwanted(stop)))
    assert stop.verdict is not None
    return stop, stop.verdict


def keep_tree(stop: Stop, _step: StopStep, until: float) -> Stop:
    """Its snapshot names the commit that is kept of it, and where; or the stop says why it could not be kept."""
    loop, reading, place = stop.loop, stop.reading, stop.call.place
    assert reading is not None
    last = loop.history.newest.ref if loop.history.newest else loop.start.start_ref
    seconds = max(0.0, min(snapshots.AT_STOP, until - time.monotonic()))
    found = snapshots.keep(place, reading, loop.loop_id, str(loop.rounds.iteration), seconds, last)
    snapshot = stop.evidence.snapshot._replace(ref=found.ref, snapshot_path=snapshots.path_of(place, found.ref))
    stop = stop._replace(reading=None, listing=reading.listing(), unkept=found.why if last else "")
    return stop._replace(evidence=stop.evidence._replace(snapshot=snapshot))


def judge_loop(stop: Stop, step: StopStep, _until: float) -> Stop:
    """The stop with the loop's own verdict; with none yet where the loop is complete, and others are to be asked."""
    stop.trace.passed(CHECKS)
    stop = judged(stop)
    own = stop.verdict
    assert own is not None
    if not steps.asks_others(stop):
        return stop
    from untilgreen.core.verdict.completion import Decision

    complete = isinstance(own, Release) and own.loop.end.stop_reason == "complete"
    says = Decision("continue") if isinstance(own, Continue) else Decision("skip")
    if not complete and not isinstance(own, Continue):
        says = Decision("stop", own.reason if isinstance(own, Allow) else own.loop.end.stop_reason or "")
    stop.trace.answered(step.name, step.priority, says)
    return stop._replace(own=own, verdict=None if complete else own)


def judged(stop: Stop) -> Stop:
    """Steps 5, for a prompt that came while the checks ran, and 9 to 12."""
    event, place = stop.call.event, stop.call.place
    loop, users = policy.users_turn(stop.loop, store.read_session(place), event, stop.tree)
    if users:
        return stop._replace(loop=loop, verdict=Allow(users, policy.STILL_RUNNING, 5))
    loop = loop.put(loop.turns._replace(prompts_seen=stop.session.prompts, turn_id=event.prompt_id))
    stop = steps.take(steps.MEASURES, stop._replace(loop=loop))
    verdict = policy.judge(loop, stop.evidence, stop.said, clock.iso(time.time()))
    stop = steps.take(steps.ENDS, stop._replace(verdict=policy.honoured(verdict, loop, event)))
    if isinstance(stop.verdict, Allow) and stop.verdict.notice == policy.PENDING:
        loop = loop.put(loop.history._replace(current=stop.evidence.snapshot))
    if isinstance(stop.verdict, Allow) and policy.is_untouched(loop, stop.evidence):
        # what the checks leave behind (a lock file, a build) is no work of the agent
        now = noted.fingerprint(loop.project, place.base)
        loop = loop.put(loop.history._replace(tree_at_start=now))
    return stop._replace(loop=loop)


def _unwanted(stop: Stop) -> Callable[[], bool]:
    """Asks while something runs: has the loop ended, or its user spoken? What it gives raises store.Unreadable."""
    loop, call = stop.loop, stop.call
    files = tuple(call.place.file(name) for name in (STATE, SESSION))

    def stamps() -> tuple[int, ...]:
        return tuple(os.stat(path).st_mtime_ns if os.path.exists(path) else 0 for path in files)

    seen, over, heard = stamps(), False, _broken_off(call)

    def unwanted() -> bool:
        nonlocal seen, over
        heard()
        now = stamps()
        if not over and now != seen:
            seen = now
            current = store.known_here(call.place, call.event.session).running
            over = current is None or current.loop_id != loop.loop_id
            over = over or policy.users_turn(loop, store.read_session(call.place), call.event, stop.tree)[1] != ""
        return over

    return unwanted


def _broken_off(call: Call) -> Callable[[], None]:
    """Asks while something runs: has its user broken the turn off, and the host lets this run on? What it gives raises
    Interrupted."""
    path, seen = call.event.transcript, 0
    if call.event.message is not None or not path or not call.host.facts.stops_when_interrupted:
        return lambda: None

    import signal

    from untilgreen.checks.run import processes

    def heard() -> None:
        nonlocal seen
        with suppress(OSError):
            now = os.stat(path).st_mtime_ns
            if now != seen and call.host.interrupted(path):
                raise processes.Interrupted(signal.SIGINT)
            seen = now

    return heard


def words(stop: Stop, verdict: Verdict) -> tuple[Loop, str, str]:
    """The loop as it goes on or ends, and what is said."""
    catalogued, evidence = catalogue.words(stop.loop.settings), stop.evidence
    loop = stop.loop if isinstance(verdict, Allow) else verdict.loop
    text = user = ""
    told = (*evidence.told, catalogued["pending"].format(what=evidence.pending)) if evidence.pending else evidence.told
    unkept = (notices.tell(loop, catalogued, "unkept", why=stop.unkept),) if stop.unkept else ()
    if isinstance(verdict, Release):
        from untilgreen.core.verdict import attempts

        left_over = attempts.left_over(loop, catalogued) if attempts.is_undone(loop) else ""
        beside = (*told, *_were_ended(loop, catalogued), *_ways_back(loop, catalogued), *unkept)
        text = "\n".join((notices.ended(loop, catalogued), *filter(None, (left_over, *beside))))
        return loop.put(loop.history._replace(last_output=text[:SAID])), text, ""
    if isinstance(verdict, Allow) and verdict.notice == policy.PENDING:
        user = notices.tell(loop, catalogued, "waiting", what=evidence.pending)
    elif isinstance(verdict, Allow) and verdict.notice == policy.CAPPED:
        host, most = stop.call.host.facts.title, stop.call.event.most_holds
        user = notices.tell(loop, catalogued, "capped", host=host, n=most)
    elif isinstance(verdict, Allow):
        prompt = stop.call.event.prompt_id or f"prompt {store.read_session(stop.call.place).prompts}"
        if verdict.notice and loop.rest.told != prompt:  # once for each prompt
            loop, user = loop.put(loop.rest._replace(told=prompt)), notices.tell(loop, catalogued, "paused")
    elif len(loop.rounds.attempts) > len(stop.loop.rounds.attempts):
        from untilgreen.core.verdict import attempts

        text, user = attempts.told(loop, catalogued), attempts.shown(loop, catalogued)
    else:
        told = (*told, catalogued["one_more"]) if loop.spent.extended > stop.loop.spent.extended else told
        weakened = evidence.against if policy.is_strict(loop) else evidence.weakened
        text = notices.feedback(loop, catalogued, weakened, (*told, *stop.trace.own_runs))
        beside = (*told, *_were_ended(loop, catalogued))
        user = notices.held(loop, catalogued, time.time() - stop.trace.began, weakened, beside)
    user = "\n".join(filter(None, (user, *unkept)))
    return loop.put(loop.history._replace(last_output=text[:SAID])), text, user


def _were_ended(loop: Loop, words: Words) -> Iterator[str]:
    """A line for each check that did not come to its end at the last stop."""
    outcomes = loop.history.newest.outcomes if loop.history.newest else {}
    if broken := {name for name, outcome in outcomes.items() if outcome == "broken"}:
        from untilgreen.loops.stop import times

        yield from times.too_slow(loop, words, broken)


def _ways_back(loop: Loop, words: Words) -> Iterator[str]:
    """Where the loop did not reach its end, how its work is undone."""
    from untilgreen.core.verdict import attempts
    from untilgreen.project.tools import on_path

    if loop.end.stop_reason != "complete" and loop.start.start_ref:
        by_hand = on_path("git", loop.project, os.environ, trusted=False) != ""
        path = os.path.relpath(loop.history.snapshot_path, loop.project) if by_hand else ""
        yield from attempts.ways_back(loop, path, words)


def same(before: Known, now: Known) -> bool:
    """Whether the loop and its round are those that were judged."""
    known = [(one.loop_id, one.rounds.iteration) for one in (before.loop, now.running) if one]
    return len(known) == 2 and known[0] == known[1]


def settled(stop: Stop, now: Known, verdict: Verdict, loop: Loop, moment: float) -> Known:
    """The loop with the time of its next round, and with what edits found meanwhile; a session whose loop is over is
    let go with all that it wrote."""
    before, edits = stop.before.loop, now.edits
    if loop.settings.attempts > 1 and before is not None:
        from untilgreen.loops.stop import attempting

        attempting.undo(stop.call.place, before, loop)
    if now.loop is not None:  # what the agent ran is kept by the hooks of its tools, meanwhile too
        if before is not None and loop.history.current is before.history.current:
            loop = loop.put(loop.history._replace(current=now.loop.history.current))
        runs = now.loop.observed.evidence
        if runs:
            from untilgreen.core.verdict.evidence import aged

            runs = aged(runs, stop.tree)
        loop = loop.put(loop.observed._replace(evidence=runs, tool_errors=now.loop.observed.tool_errors))
    if loop.active and now.loop and now.loop.rest.parked and before and not before.rest.parked:
        loop = now.loop.parking(loop)  # its session ended meanwhile
    elif loop.active and not loop.rest.paused:
        loop = loop.put(loop.clock._replace(round_started=moment))
    if isinstance(verdict, Continue):
        loop = loop.put(loop.clock._replace(last_iteration_at=clock.iso(moment), judged_by=stop.call.by))
    if edits is not None and not loop.active:
        from untilgreen.core.verdict import automatic
        from untilgreen.state import originals

        judged_edits = stop.before.edits or edits._replace(unjudged=())
        edits = originals.released(stop.call.place, judged_edits, edits, stop.trace.began)
        newest = loop.history.snapshots[-1].items if loop.history.snapshots else ()
        edits = automatic.remembered(edits, (item.id for item in newest))
    return Known(loop, edits)


def unsaved(stop: Stop, verdict: Verdict | None, why: str) -> Reply:
    """A loop that cannot count must not go on: the agent is let go, and told why as far as possible."""
    call, catalogued = stop.call, catalogue.words(stop.loop.settings)
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
    notify(call, over)
    return speak(call, "release", Message(text))
