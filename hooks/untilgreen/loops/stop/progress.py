"""One more round for a loop that is stuck by its numbers, if the judge sees progress all the same."""

import time

from untilgreen.core.model.loop import Release
from untilgreen.core.verdict.policy import counted, next_round
from untilgreen.core.words import judgement
from untilgreen.loops.stop import judge, judging
from untilgreen.loops.stop.steps import StopStep
from untilgreen.loops.stop.stop_policy import Stop
from untilgreen.state import clock


def run(stop: Stop, _step: StopStep, _until: float) -> Stop:
    """The judge is asked; no answer is no progress. Raises as `judge.ask`."""
    loop, evidence, stuck = stop.loop, stop.evidence, stop.verdict
    limit = loop.asked.completion_criteria.stagnation_limit
    if not isinstance(stuck, Release) or stuck.loop.end.stop_reason != "stagnant":
        return stop
    is_told = bool(evidence.snapshot.items) or loop.asked.promise_only
    if not is_told or loop.rounds.given_rounds >= limit or not loop.checks.judge:
        return stop
    snapshots = loop.history.snapshots
    since = snapshots[-limit].ref if len(snapshots) >= limit else loop.start.start_ref
    shown = [judgement.rounds(stuck.loop), *judging.exhibits(stop, since, stop.until)]
    [answer] = judge.ask(loop, judgement.PROGRESS, [shown], stop.call.env, stop.until, stop.unwanted)
    said = judging.read(loop, "progress", answer)
    judging.trace(stop, said)
    if not said.success:
        return stop
    more = loop.rounds.given_rounds + 1
    after = counted(loop, evidence, clock.iso(time.time()))
    after = after.put(after.rounds._replace(given_rounds=more))
    line = f"the judge sees progress, round {more} of {limit} that it gives: {said.reason}"
    evidence = evidence._replace(told=(*evidence.told, line))
    return stop._replace(evidence=evidence, verdict=next_round(after, after.updated_at))
