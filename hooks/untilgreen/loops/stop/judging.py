"""Criteria in words at a stop: the judge is asked once all else is met, so it never turns a red check green."""

import time
from collections.abc import Callable

from untilgreen.core.errors import UserError
from untilgreen.core.model.check import WHOLE, Check
from untilgreen.core.model.loop import Loop, Release, Verdict
from untilgreen.core.model.outcome import Broken, Clean, Diagnostic, Found, Outcome
from untilgreen.core.model.snapshot import Judgement
from untilgreen.core.verdict.policy import Evidence, counted, is_strict, next_round
from untilgreen.core.words import judgement
from untilgreen.loops import comparing
from untilgreen.loops.stop import judge
from untilgreen.loops.stop.evidence import UNCHECKED
from untilgreen.loops.stop.payload import message_of
from untilgreen.loops.stop.stop_policy import Stop
from untilgreen.state import clock, under_way

NOT_YET = "not judged yet: the judge is asked once all else is met"
_UNKEPT = "(not known: the work tree was not kept)"
_DIFF = 30.0  # seconds for git to tell it


def judged(stop: Stop, found: Evidence, until: float, idle: Callable[[], bool], *, ends: bool) -> Evidence:
    """What the checks brought, with what the judge says of its criteria. `ends`: without it the loop would end now;
    `until` and `idle` as in `processes.run`. Raises as `judge.ask`."""
    loop, before = stop.loop, found.snapshot
    if not ends:
        first = bool(before.items) and not loop.history.snapshots
        return found._replace(told=(*found.told, NOT_YET)) if first else found
    if not loop.checks.judge:
        return found._replace(left_out=(*found.left_out, judge.absent(loop).reason))
    alone = not {"clean", "found"}.intersection(before.outcomes.values())
    named = bool(loop.asked.completion_criteria.judge)
    if alone:
        found = _alone(found, named=named)
    if found.against and is_strict(loop):
        return found
    said = _asked(stop, found, until, idle)
    if alone and not named and all(one.success for one in said):  # it ends unchecked, as if nobody had looked
        return found._replace(snapshot=before._replace(judged=said))
    return found._replace(snapshot=judgement.counted(before, said))


def _alone(found: Evidence, *, named: bool) -> Evidence:
    """What is said of a green that a judge alone stands for. Where the start named it that is no matter of the agent's,
    and `strict` does not hold for it."""
    rest = tuple(one for one in found.left_out if one != UNCHECKED)
    if named:
        return found._replace(left_out=rest, unsteady=(*found.unsteady, judgement.ALONE))
    return found._replace(left_out=(*rest, judgement.UNNAMED))


def _asked(stop: Stop, found: Evidence, until: float, idle: Callable[[], bool]) -> tuple[Judgement, ...]:
    loop = stop.loop
    shown = _exhibits(stop, found, loop.start.start_ref, until)
    questions = [[judgement.of_criterion(one), *shown] for one in loop.for_a_judge]
    under_way.Notes(stop.call.place, {}).turned(_check(loop), WHOLE)
    answers = judge.ask(loop, judgement.SUCCESS, questions, stop.call.env, until, idle)
    said = tuple(_judgement(loop, *one) for one in zip(loop.for_a_judge, answers, strict=True))
    for one in said:
        _traced(stop, loop, one)
    return said


def with_progress(stop: Stop, evidence: Evidence, stuck: Release, idle: Callable[[], bool]) -> tuple[Stop, Verdict]:
    """One more round for a loop that is stuck by its numbers, if the judge sees progress all the same. No answer is
    none. Raises as `judge.ask`."""
    loop, limit = stop.loop, stop.loop.asked.completion_criteria.stagnation_limit
    told = bool(evidence.snapshot.items) or loop.asked.promise_only
    if (
        stuck.loop.end.stop_reason != "stagnant"
        or not told
        or loop.rounds.given_rounds >= limit
        or not loop.checks.judge
    ):
        return stop, stuck
    since = loop.history.snapshots[-limit].ref if len(loop.history.snapshots) >= limit else loop.start.start_ref
    shown = [judgement.rounds(stuck.loop), *_exhibits(stop, evidence, since, stop.until)]
    [answer] = judge.ask(loop, judgement.PROGRESS, [shown], stop.call.env, stop.until, idle)
    one = _judgement(loop, "progress", answer)
    _traced(stop, loop, one)
    if not one.success:
        return stop, stuck
    more = loop.rounds.given_rounds + 1
    after = counted(loop, evidence, clock.iso(time.time()))
    after = after.put(after.rounds._replace(given_rounds=more))
    line = f"the judge sees progress, round {more} of {limit} that it gives: {one.reason}"
    stop = stop._replace(evidence=evidence._replace(told=(*evidence.told, line)))
    return stop, next_round(after, after.updated_at)


def _exhibits(stop: Stop, found: Evidence, since: str, until: float) -> list[judgement.Exhibit]:
    """What the judge is shown. `since`: the work tree with which today's is compared, as a commit that is kept."""
    return exhibits(stop, found, diff_of(stop, found, since, until))


def diff_of(stop: Stop, found: Evidence, since: str, until: float) -> str:
    """What changed since then; in brackets why that is not known."""
    now = found.snapshot
    if not (since and now.ref):
        return _UNKEPT
    seconds = max(0.0, min(_DIFF, until - time.monotonic()))
    try:
        return comparing.between(stop.call.place, since, now.ref, seconds).decode("utf-8", "replace")
    except UserError as error:
        return f"(not known: {error.reason})"


def exhibits(stop: Stop, found: Evidence, diff: str) -> list[judgement.Exhibit]:
    """What is shown beside the question."""
    message = message_of(stop.call.event, stop.call.place)
    return judgement.exhibits(stop.loop, found.snapshot, found.ends.items(), diff, message)


def _judgement(loop: Loop, criterion: str, answer: judge.Answer) -> Judgement:
    by, said = loop.checks.judge.rpartition("/")[2], answer.said
    if isinstance(said, str):
        return judgement.unanswered(criterion, by, said, answer.tail, answer.seconds)
    return Judgement(criterion, said.yes, said.reason, said.suggestions, by, seconds=answer.seconds)


def _check(loop: Loop) -> Check:
    """The judge, as it is told beside the checks."""
    return Check(judgement.NAME, judgement.NAME, ".", judgement.STAGE, loop.checks.judge)


def _traced(stop: Stop, loop: Loop, one: Judgement) -> None:
    check = _check(loop)
    outcome: Outcome = Clean()
    if one.success is None:
        outcome = Broken(one.reason)
    elif not one.success:
        outcome = Found((Diagnostic(check.name, "", 0, "", "error", one.reason),))
    stop.trace.checked(check, outcome, one.seconds, f"{one.shown} ({one.criterion})")
