"""Checks that no edit can fix: a tool that refuses an option of ours, one that says the same whatever it is asked,
tests that never came to their end within their time. They hold nobody: they are told, and stand against the green. In
doubt a check holds, as do tests that came to their end before.
"""

from collections.abc import Callable, Sequence

from untilgreen.checks.plan.planning import CheckScope
from untilgreen.checks.run import processes, report_folder, settling
from untilgreen.checks.run.checking import Watch
from untilgreen.core.model.check import Absent, Check
from untilgreen.core.model.loop import Loop
from untilgreen.core.model.outcome import Broken, Outcome, Result, Setting
from untilgreen.core.model.snapshot import Suite
from untilgreen.core.verdict import baseline
from untilgreen.core.verdict.identity import normalise
from untilgreen.core.verdict.measure import WAS_SO
from untilgreen.core.words import brief
from untilgreen.loops.stop import times
from untilgreen.loops.stop.steps import Stop
from untilgreen.state import catalogue

_SECONDS = 10.0  # for a program to tell its version


def set_aside(
    stop: Stop,
    scope: CheckScope,
    results: Sequence[Result],
    planned: Sequence[Check],
    watch: Watch,
    untouched: Callable[[str], bool],
) -> tuple[tuple[Result, ...], tuple[Check, ...], tuple[str, ...]]:
    """The results with such checks as absent; the plan: what does not come to its end is not run again in this loop;
    and what a first stop tells of them. `untouched`: whether nobody wrote a file since the start. Raises
    processes.Interrupted, trust.Unread."""
    unable, never, endless = dict[str, Absent](), dict[str, Absent](), dict[str, Broken]()
    start, first = stop.loop.start, not stop.loop.history.snapshots
    for check, outcome in results:
        if not isinstance(outcome, Broken):
            continue
        suite = stop.loop.history.suites.get(check.name)
        if outcome.late and suite and suite.tests:
            endless[check.name] = _endless(outcome, suite)
        why = Absent("unable", check.name, f"{outcome.reason}{WAS_SO}")
        before = start.before.get(check.name)
        if before is None:  # nobody looked then; a crash may be of what was installed since
            was_so = bool(outcome.ours) and start.tools.get(check.name) == check.tool and untouched(check.tool)
        else:
            was_so = (before.outcome, before.unread) == ("broken", normalise(outcome.reason))
        if outcome.late and suite and suite.seconds and not _ended_before(stop.loop, check, suite):
            never[check.name] = why._replace(why=outcome.reason)
        elif was_so and not outcome.late and check.checker != "custom" and _is_its_own(scope, check, outcome, watch):
            unable[check.name] = why
    gone: dict[str, Outcome] = {**unable, **never, **endless}
    settled = tuple((check, gone.get(check.name, outcome)) for check, outcome in results)
    plan = tuple(one._replace(absent=never.get(one.name, one.absent)) for one in planned)
    words = catalogue.words(stop.loop.settings)
    kinds = {"broken"} if first else set()
    news = [one for one in baseline.left_out(settled) if one.kind in kinds and one.check not in never]
    return settled, plan, (*brief.tell_against(words, news), *times.too_slow(stop.loop, words, never))


def _endless(outcome: Broken, suite: Suite) -> Broken:
    """What is said of tests that came to their end before."""
    now = outcome.reason.replace("timed out after", "did not end within")
    return outcome._replace(reason=f"{now}; {brief.spent(suite.seconds)} last time: an endless loop?")


def _ended_before(loop: Loop, check: Check, suite: Suite) -> bool:
    """Whether these tests ever came to their end, as far as this project remembers."""
    said = (one.outcomes.get(check.name) for one in loop.history.snapshots)
    return suite.tests > 0 or any(one in ("clean", "found") for one in said)


def _is_its_own(scope: CheckScope, check: Check, outcome: Broken, watch: Watch) -> bool:
    """Whether nothing of the project is why: where none of it lies the program says the same of our options, or of
    whatever it is asked."""
    with report_folder.made(scope.env) as folder:
        job = processes.Job(check.name, outcome.ours or (check.tool, "--version"), folder, _SECONDS)
        env = processes.environment(scope.env, scope.settings.tools.env_remove) | processes.quiet()
        said = processes.run((job,), env, watch.until, watch.idle)[check.name]
    again = settling.outcome_of(scope, said, check, Setting(check.tool, folder), "", job.argv)
    return isinstance(again, Broken) and (again.reason, again.tail) == (outcome.reason, outcome.tail)
