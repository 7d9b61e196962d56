"""A review at a stop that everything else allows: a command, or the host's own program, looks at the diff since the
loop began."""

from collections.abc import Callable

from untilgreen.checkers.checker import unfinished
from untilgreen.checks import asking
from untilgreen.core.model.outcome import Output
from untilgreen.core.verdict.policy import Evidence
from untilgreen.core.words import judgement, review
from untilgreen.loops.stop import judge, judging
from untilgreen.loops.stop.stop_policy import Stop

_READ = 200_000  # characters of what it printed


def reviewed(
    stop: Stop, found: Evidence, seconds: float, until: float, idle: Callable[[], bool]
) -> tuple[review.Remark, ...] | str:
    """What it found, or why there is nothing to read. Raises as `judge.ask`."""
    loop, own = stop.loop, stop.loop.settings.review
    diff = judging.diff_of(stop, found, loop.start.start_ref, until)
    if not diff.strip():
        return ()
    shown = judging.exhibits(stop, found, diff)
    prompt = judgement.question(review.ASKED, review.FORM, shown, judge.fence(shown))
    if own.command:
        called = asking.find(own.command[0], loop.project, loop.checks.asked, stop.call.env) or own.command[0]
        program = judge.commands_own((called, *own.command[1:]), loop.project, stop.call.env)
    else:
        called = judge.hosts_own(loop.project, stop.call.env)
        if not called:
            return f"{judge.host()} is not installed"
        program = judge.headless(called, review.SCHEMA, stop.call.env)
    program = program._replace(seconds=seconds)
    [output] = asking.ask(loop.project, program, [prompt], stop.call.env, until, idle)
    return _read(output, by_code=bool(own.command))


def _read(output: Output, *, by_code: bool) -> tuple[review.Remark, ...] | str:
    if why := unfinished(output):
        return why
    said = f"{output.stdout[:_READ].strip()}\n{output.stderr[:_READ].strip()}"
    return review.read(output.code or 0, judge.opened(output.stdout, review.FLAG), said, by_code=by_code)
