"""What completion hooks and a review have in common: loops without either never come here."""

import time

from untilgreen.core.model.check import WHOLE, Check
from untilgreen.core.model.loop import Allow
from untilgreen.core.verdict import policy
from untilgreen.core.verdict.completion import Decision
from untilgreen.loops.stop.steps import StopStep
from untilgreen.loops.stop.stop_policy import Stop
from untilgreen.loops.stop.trace import GONE
from untilgreen.loops.stop.verdict import judged
from untilgreen.state import clock, journal, store, under_way


def shown(stop: Stop, name: str, stage: str) -> None:
    """Tell those who watch that this one is asked now."""
    under_way.Notes(stop.call.place, {}).turned(Check(name, name, ".", stage, ""), WHOLE)


def noted(stop: Stop, step: StopStep, decision: Decision, what: str = "") -> Stop:
    """The stop that knows what one of them answered. `what`: its name where it is told that it did not do its work."""
    stop.trace.answered(step.name, step.priority, decision)
    skipped = (f"{what} did not do its work: {decision.broken}",) if decision.broken else ()
    return stop._replace(skipped=(*stop.skipped, *skipped))


def stepped_aside(stop: Stop) -> Stop:
    """The user spoke while one was asked, or the loop is no more what it was."""
    call = stop.call
    loop, users = policy.users_turn(stop.loop, store.read_session(call.place), call.event, stop.tree)
    return stop._replace(loop=loop, verdict=Allow(users, policy.STILL_RUNNING, 5) if users else Allow(GONE, step=8))


def complete(stop: Stop, *unsteady: str) -> Stop:
    """The stop of a loop that is complete, judged with what the hooks and the review say of that."""
    evidence = stop.evidence
    left_out = (*evidence.left_out, *stop.skipped)
    unsteady = (*evidence.unsteady, *stop.let_by, *unsteady)
    return judged(stop._replace(evidence=evidence._replace(left_out=left_out, unsteady=unsteady)))


def run(stop: Stop, _step: StopStep, _until: float) -> Stop:
    """The stop is complete where nobody objected; who was asked is told and kept in the history. The end of a promise
    loop names no buts."""
    stop = stop if stop.verdict else complete(stop)
    loop, evidence = stop.loop, stop.evidence
    said = (one for one in (*stop.skipped, *stop.let_by) if loop.asked.promise_only or one not in evidence.but)
    when, round_now, hooks = clock.iso(time.time()), loop.rounds.iteration, tuple(stop.trace.hooks)
    journal.append(stop.call.place, "completion", when, loop_id=loop.loop_id, iteration=round_now, hooks=hooks)
    return stop._replace(evidence=evidence._replace(told=(*evidence.told, *said)))
