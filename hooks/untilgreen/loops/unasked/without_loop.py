"""The stop of a session that edits files and in which nobody began a loop (`auto` in the configuration): what `stop`
asks of it.

"new": what the session itself put into the files that it wrote holds it; "all": every error and security finding of
the project does. Of tests, where they are asked for, those that it turned red. Never a broken check, at most five
rounds a prompt; and what was let go once never holds again.
"""

import time

from untilgreen.core.model.event import Place, Reply
from untilgreen.core.model.groups import Against
from untilgreen.core.model.loop import SAID, Allow, Continue, Known, Loop, Release, Verdict
from untilgreen.core.model.settings import Settings
from untilgreen.core.model.snapshot import Snapshot
from untilgreen.core.verdict import automatic, policy
from untilgreen.core.verdict.policy import Evidence
from untilgreen.core.words import notices
from untilgreen.loops.stop.payload import Call, notice
from untilgreen.loops.stop.steps import Stop
from untilgreen.loops.stop.trace import CHECKS, Trace
from untilgreen.loops.unasked import new_findings
from untilgreen.settings import effective
from untilgreen.state import catalogue, clock, locks, log, originals, store, under_way

_SPOKEN = "the user has spoken"


def settings(call: Call, trace: Trace, _before: Known) -> Settings | Reply:
    found = effective.effective(call.place.root, call.env)
    if isinstance(found, str):
        trace.decided(0, "unjudged", found)
        told = isinstance(found, effective.Unequipped)
        return Reply() if told else notice(f"the stop was not judged: {found}", call)
    if found.unasked.auto == "off":
        return trace.allowed(7, 'no loop runs, and the configuration says auto = "off"')
    return found


def begun(call: Call, trace: Trace, before: Known, settings: Settings) -> Stop | None:
    """The stop, in the rounds of its prompt. Where the host names no prompt, one that was typed while the turn was
    held begins none: the host says that the turn goes on."""
    edits, event, session = before.edits, call.event, store.read_session(call.place)
    if edits is None or not edits.unjudged or before.running:
        return None
    prompt = event.prompt_id or f"prompt {session.prompts}"
    goes_on = edits.held is not None and event.prompt_id == "" and event.turn_goes_on
    turn = edits.turn
    if turn is None or not (turn.turns.turn_id == prompt or goes_on):
        now = time.time()
        turn = automatic.new_turn(edits, settings, prompt, _name(before, call.place, now), clock.iso(now))
    return Stop(call, trace, before, turn._replace(settings=automatic.with_own_limits(settings)), session)


def _name(before: Known, place: Place, now: float) -> str:
    """What the session's rounds without a loop are called: as they were, or as the document that edit hooks made."""
    if before.edits is not None and before.edits.turn is not None:
        return before.edits.turn.loop_id
    if before.loop is not None and not before.loop.begun:
        return before.loop.loop_id
    try:
        return store.fresh_id(place.base, now)
    except (OSError, locks.Busy):  # then the rounds cannot be saved either, and that is said
        return f"loop-{int(now)}"


def admitted(stop: Stop) -> tuple[Stop, Verdict | None]:
    """Steps 3 to 6."""
    turn = stop.loop
    ended = policy.ended_by(turn, stop.said, clock.iso(time.time()))
    if ended is not None:
        return stop, ended
    if turn.active and stop.session.prompts > turn.turns.prompts_seen:
        return stop, Allow(_SPOKEN, step=5)  # while the turn was held: it goes first
    turn, verdict = policy.waiting_for(turn, stop.call.event)
    return stop._replace(loop=turn), verdict


def decided(stop: Stop) -> tuple[Stop, Verdict]:
    """What holds of what the checks say, and the verdict by that, if no prompt came while they ran."""
    edits, call = stop.before.edits, stop.call
    assert edits is not None
    turned = under_way.Notes(call.place, {}).turned
    held, broken = new_findings.held(call, edits, stop.loop.settings, stop.until, stop.trace.checked, turned)
    snapshot = new_findings.snapshot(held, stop.loop.rounds.iteration, clock.iso(time.time()))
    buts = tuple(Against("said", one) for one in broken)
    evidence = Evidence(snapshot, ran=True, left_out=buts, english=catalogue.english())
    stop = stop._replace(held=tuple(held), evidence=evidence)
    stop.trace.passed(CHECKS)
    if store.read_session(call.place).prompts > stop.session.prompts:
        return stop, Allow(_SPOKEN, step=5)
    turn = stop.loop.put(stop.loop.turns._replace(prompts_seen=stop.session.prompts))
    verdict = automatic.judge(turn, evidence, clock.iso(time.time()))
    ended = isinstance(verdict, Release) and verdict.loop.end.stop_reason == "complete"
    # what a broken check did not see is still to be judged
    unseen = bool(evidence.but) and (isinstance(verdict, Allow) or ended)
    return stop._replace(loop=turn, unseen=unseen), verdict


def words(stop: Stop, verdict: Verdict) -> tuple[Loop, str, str]:
    """The rounds as they go on or end, and what is said."""
    if isinstance(verdict, Allow):
        return stop.loop, "", ""
    turn, catalogued = verdict.loop, catalogue.words(stop.loop.settings)
    if isinstance(verdict, Release):
        text, user = notices.ended(turn, catalogued, auto=True), ""
    else:
        *earlier, newest = turn.history.snapshots[-2:]
        text = notices.unasked_feedback(
            newest, earlier[0] if earlier else None, catalogued, most=turn.settings.max_iterations
        )
        user = notices.held(turn, catalogued, time.time() - stop.trace.began)
    return turn.put(turn.history._replace(last_output=text[:SAID])), text, user


def same(before: Known, now: Known) -> bool:
    """Whether no loop began meanwhile, no cancel came and no other stop was counted."""
    one, other = before.edits, now.edits
    if one is None or other is None or now.running:
        return False
    return (one.off, one.held is None) == (other.off, other.held is None)


def settled(stop: Stop, now: Known, verdict: Verdict, loop: Loop, moment: float) -> Known:
    """The edits with the rounds of this prompt, and `current` with all that the checks found. Whatever was there when
    the session is let go never holds it again, whether it ever did or not."""
    before, edits, stamp = stop.before.edits, now.edits, clock.iso(moment)
    assert before is not None
    assert edits is not None
    if isinstance(verdict, Allow) and verdict.step < 7:  # not counted
        return Known(now.loop, edits._replace(turn=loop) if verdict.step == 6 else edits)
    edits = new_findings.looked_at(edits, stop.held, not isinstance(verdict, Continue))
    if not isinstance(verdict, Continue):
        newest = loop.history.snapshots[-1].items if loop.history.snapshots else ()
        known = (key for one in stop.held for key in one.known)
        edits = automatic.remembered(edits, (*known, *(item.id for item in newest)))
        if not stop.unseen:
            edits = originals.released(stop.call.place, before, edits, stop.trace.began)
    state = now.loop
    if state is not None and stop.held:
        seen = state.history.current or Snapshot(state.rounds.iteration, stamp)
        state = state.put(state.history._replace(current=new_findings.seen(seen, stop.held, stamp)))
    return Known(
        state, edits._replace(turn=loop.put(loop.clock._replace(last_iteration_at=stamp, judged_by=stop.call.by)))
    )


def unsaved(stop: Stop, _verdict: Verdict | None, why: str) -> Reply:
    """What cannot count must not hold."""
    reason = f"the state could not be saved: {why}"
    log.write(stop.call.place.base, f"a stop without a loop was not judged: {why}")
    stop.trace.decided(12, "allow", reason)
    return notice(f"{reason}; the stop was not judged", stop.call)
