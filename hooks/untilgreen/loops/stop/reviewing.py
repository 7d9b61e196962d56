"""A review at a stop that everything else allows: a command, or the host's own program, looks at the diff since the
loop began."""

import time

from untilgreen.checkers.checker import unfinished
from untilgreen.checks import asking
from untilgreen.core.model.loop import Continue
from untilgreen.core.model.outcome import Output
from untilgreen.core.model.snapshot import Item
from untilgreen.core.verdict import completion, measure
from untilgreen.core.verdict.completion import Decision
from untilgreen.core.words import judgement, review
from untilgreen.loops.stop import completing, judge, judging
from untilgreen.loops.stop.steps import StopStep
from untilgreen.loops.stop.stop_policy import Stop
from untilgreen.loops.stop.verdict import judged

_READ = 200_000  # characters of what it printed


def run(stop: Stop, step: StopStep, until: float) -> Stop:
    """What it finds holds, as often as it may, and is told after that."""
    completing.shown(stop, review.NAME, review.STAGE)
    said = _reviewed(stop, min(until, time.monotonic() + stop.loop.settings.review.seconds))
    if stop.unwanted():
        return completing.stepped_aside(completing.noted(stop, step, Decision("skip")))
    if isinstance(said, str):
        return completing.noted(stop, step, completion.broken(said), review.NAME)
    outcomes = stop.evidence.snapshot.outcomes
    items = review.items(said, review.NAME if review.NAME not in outcomes else f"{review.NAME} of the diff")
    told = f"{len(items)} finding{'' if len(items) == 1 else 's'}"
    if items and stop.loop.reviews >= stop.loop.settings.review.most:
        stop = completing.noted(stop, step, Decision("skip", told))
        return stop._replace(let_by=(*stop.let_by, f"{review.NAME}: {told}"))
    stop = completing.noted(_with(stop, items), step, Decision("continue", told) if items else Decision("skip"))
    if items:
        stop = judged(stop)
        if isinstance(stop.verdict, Continue):
            loop = stop.verdict.loop
            stop = stop._replace(verdict=stop.verdict._replace(loop=loop._replace(reviews=loop.reviews + 1)))
    return stop


def _with(stop: Stop, items: tuple[Item, ...]) -> Stop:
    """The stop with what was found; that nothing was is worth something where the checks did their work."""
    snapshot = stop.evidence.snapshot
    if not (items or {"clean", "found"}.intersection(snapshot.outcomes.values())):
        return stop
    if stop.loop.settings.hooks:  # none of them objects any more
        snapshot = snapshot._replace(scores=snapshot.scores | {completion.STAGE: 0})
    snapshot = measure.added(snapshot, review.STAGE, items[0].check if items else review.NAME, items)
    return stop._replace(evidence=stop.evidence._replace(snapshot=snapshot))


def _reviewed(stop: Stop, until: float) -> tuple[review.Remark, ...] | str:
    """What it found, or why there is nothing to read. Raises as `judge.ask`."""
    loop, own, env = stop.loop, stop.loop.settings.review, stop.call.env
    diff = judging.diff_of(stop, loop.start.start_ref, until)
    if not diff.strip():
        return ()
    shown = judging.beside(stop, diff)
    prompt = judgement.question(review.ASKED, review.FORM, shown, judge.fence(shown))
    if own.command:
        called = asking.find(own.command[0], loop.project, loop.checks.asked, env) or own.command[0]
        program = judge.commands_own((called, *own.command[1:]), loop.project, env)
    else:
        called = judge.hosts_own(loop.project, env)
        if not called:
            return f"{judge.host()} is not installed"
        program = judge.headless(called, review.SCHEMA, env)
    program = program._replace(seconds=own.seconds)
    [output] = asking.ask(loop.project, program, [prompt], env, until, stop.unwanted)
    return _read(output, by_code=bool(own.command))


def _read(output: Output, *, by_code: bool) -> tuple[review.Remark, ...] | str:
    if why := unfinished(output):
        return why
    said = f"{output.stdout[:_READ].strip()}\n{output.stderr[:_READ].strip()}"
    return review.read(output.code or 0, judge.opened(output.stdout, review.FLAG), said, by_code=by_code)
