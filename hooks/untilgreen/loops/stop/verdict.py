"""The loop's own judgement, by what its checks brought."""

import time

from untilgreen.core.model.loop import Allow, Continue, Release
from untilgreen.core.verdict import policy
from untilgreen.loops.stop import steps
from untilgreen.loops.stop.steps import StopStep
from untilgreen.loops.stop.stop_policy import Stop
from untilgreen.loops.stop.trace import CHECKS
from untilgreen.project.tree import worktree
from untilgreen.state import clock, store


def run(stop: Stop, step: StopStep, _until: float) -> Stop:
    """The stop with its verdict; with none yet where the loop is complete, and others are to be asked."""
    stop.trace.passed(CHECKS)
    stop = judged(stop)
    own = stop.verdict
    assert own is not None
    if not steps.asks_others(stop.loop):
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
    stop = steps.taken(steps.MEASURES, stop._replace(loop=loop))
    judged_so = policy.judge(loop, stop.evidence, stop.said, clock.iso(time.time()))
    stop = steps.taken(steps.ENDS, stop._replace(verdict=policy.honoured(judged_so, loop, event)))
    verdict = stop.verdict
    if isinstance(verdict, Allow) and verdict.notice == policy.PENDING:
        loop = loop.put(loop.history._replace(current=stop.evidence.snapshot))
    if isinstance(verdict, Allow) and policy.is_untouched(loop, stop.evidence):
        # what the checks leave behind (a lock file, a build) is no work of the agent
        now = worktree.fingerprint(loop.project, place.base)
        loop = loop.put(loop.history._replace(tree_at_start=now))
    return stop._replace(loop=loop)
