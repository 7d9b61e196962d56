"""Criteria in words at a stop: the judge is asked once all else is met, so it never turns a red check green."""

import time

from untilgreen.core.errors import UserError
from untilgreen.core.model.check import WHOLE, Check
from untilgreen.core.model.loop import Loop
from untilgreen.core.model.outcome import Broken, Clean, Diagnostic, Found, Outcome
from untilgreen.core.model.snapshot import Judgement
from untilgreen.core.verdict.policy import Evidence, is_strict
from untilgreen.core.words import judgement
from untilgreen.loops import back
from untilgreen.loops.stop import judge
from untilgreen.loops.stop.evidence import UNCHECKED
from untilgreen.loops.stop.payload import message_of
from untilgreen.loops.stop.steps import StopStep, would_end
from untilgreen.loops.stop.stop_policy import Stop
from untilgreen.state import under_way

NOT_YET = "not judged yet: the judge is asked once all else is met"
_UNKEPT = "(not known: the work tree was not kept)"
_DIFF = 30.0  # seconds for git to tell it


def run(stop: Stop, _step: StopStep, until: float) -> Stop:
    """What the checks brought, with what the judge says of its criteria. Raises as `judge.ask`."""
    return stop._replace(evidence=_judged(stop, stop.evidence, until))


def _judged(stop: Stop, found: Evidence, until: float) -> Evidence:
    loop, before = stop.loop, found.snapshot
    if not would_end(stop):
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
    said = _asked(stop, until)
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


def _asked(stop: Stop, until: float) -> tuple[Judgement, ...]:
    loop = stop.loop
    shown = exhibits(stop, loop.start.start_ref, until)
    questions = [[judgement.of_criterion(one), *shown] for one in loop.for_a_judge]
    under_way.Notes(stop.call.place, {}).turned(_check(loop), WHOLE)
    answers = judge.ask(loop, judgement.SUCCESS, questions, stop.call.env, until, stop.unwanted)
    said = tuple(read(loop, *one) for one in zip(loop.for_a_judge, answers, strict=True))
    for one in said:
        trace(stop, one)
    return said


def exhibits(stop: Stop, since: str, until: float) -> list[judgement.Exhibit]:
    """What the judge is shown beside its question. `since`: the work tree with which today's is compared, as a commit
    that is kept."""
    return beside(stop, diff_of(stop, since, until))


def diff_of(stop: Stop, since: str, until: float) -> str:
    """What changed since then; in brackets why that is not known."""
    now = stop.evidence.snapshot
    if not (since and now.ref):
        return _UNKEPT
    seconds = max(0.0, min(_DIFF, until - time.monotonic()))
    try:
        return back.between(stop.call.place, since, now.ref, seconds).decode("utf-8", "replace")
    except UserError as error:
        return f"(not known: {error.reason})"


def beside(stop: Stop, diff: str) -> list[judgement.Exhibit]:
    """What is shown beside the question."""
    message = message_of(stop.call.event, stop.call.place)
    return judgement.exhibits(stop.loop, stop.evidence.snapshot, stop.evidence.ends.items(), diff, message)


def read(loop: Loop, criterion: str, answer: judge.Answer) -> Judgement:
    """What the judge said of a criterion."""
    by, said = loop.checks.judge.rpartition("/")[2], answer.said
    if isinstance(said, str):
        return judgement.unanswered(criterion, by, said, answer.tail, answer.seconds)
    return Judgement(criterion, said.yes, said.reason, said.suggestions, by, seconds=answer.seconds)


def _check(loop: Loop) -> Check:
    """The judge, as it is told beside the checks."""
    return Check(judgement.NAME, judgement.NAME, ".", judgement.STAGE, loop.checks.judge)


def trace(stop: Stop, one: Judgement) -> None:
    """Note a judgement beside the checks."""
    check = _check(stop.loop)
    outcome: Outcome = Clean()
    if one.success is None:
        outcome = Broken(one.reason)
    elif not one.success:
        outcome = Found((Diagnostic(check.name, "", 0, "", "error", one.reason),))
    stop.trace.checked(check, outcome, one.seconds, f"{one.shown} ({one.criterion})")
