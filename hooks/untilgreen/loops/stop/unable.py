"""Checks that could do no work before the loop began, whatever the project says: a tool that refuses an option of ours,
one that says the same whatever it is asked, one that has not come to its end since it is known. No edit mends them, so
they hold nobody: they are told, and stand against the green. In doubt a check holds.
"""

import os
from collections.abc import Sequence

from untilgreen.checks.plan.planning import CheckScope
from untilgreen.checks.run import processes, report_folder, settling
from untilgreen.checks.run.checking import Watch
from untilgreen.core.model.check import Absent, Check
from untilgreen.core.model.loop import Loop
from untilgreen.core.model.outcome import Broken, Result, Setting
from untilgreen.core.verdict import baseline
from untilgreen.core.verdict.identity import normalise
from untilgreen.core.verdict.measure import WAS_SO
from untilgreen.core.words import brief
from untilgreen.loops.stop.steps import Stop
from untilgreen.state import catalogue, clock

_SECONDS = 10.0  # for a program to tell its version


def set_aside(
    stop: Stop, scope: CheckScope, results: Sequence[Result], planned: Sequence[Check], watch: Watch
) -> tuple[tuple[Result, ...], tuple[Check, ...], tuple[str, ...]]:
    """The results with such checks as absent; the plan: what does not come to its end is not run again in this loop;
    and what a first stop tells of them. Raises processes.Interrupted, trust.Unread."""
    unable, never, first = dict[str, Absent](), dict[str, Absent](), not stop.loop.history.snapshots
    for check, outcome in results:
        if isinstance(outcome, Broken):
            why = Absent("unable", check.name, f"{outcome.reason}{WAS_SO}")
            suite = stop.loop.history.suites.get(check.name)
            if outcome.late and first and suite and suite.late and not suite.tests:
                never[check.name] = why
            elif not outcome.late and check.checker != "custom" and _is_unable(stop, scope, check, outcome, watch):
                unable[check.name] = why
    gone = unable | never
    settled = tuple((check, gone.get(check.name, outcome)) for check, outcome in results)
    plan = tuple(one._replace(absent=never.get(one.name, one.absent)) for one in planned)
    news = [one for one in baseline.left_out(settled) if one.kind == "broken"] if first else ()
    return settled, plan, brief.tell_against(catalogue.words(stop.loop.settings), news)


def _is_unable(stop: Stop, scope: CheckScope, check: Check, outcome: Broken, watch: Watch) -> bool:
    """Whether the check was broken for the same reason when the loop began, and nothing of the project is why: where
    none of it lies its program says the same of our options, or of whatever it is asked."""
    before = stop.loop.start.before.get(check.name)
    if before is None:  # nobody looked then; a crash may be of what was installed since
        was_so = outcome.ours != () and _is_untouched(stop.loop, check)
    else:
        was_so = (before.outcome, before.unread) == ("broken", normalise(outcome.reason))
    if not was_so:
        return False
    with report_folder.made(scope.env) as folder:
        job = processes.Job(check.name, outcome.ours or (check.tool, "--version"), folder, _SECONDS)
        env = processes.environment(scope.env, scope.settings.env_remove) | processes.quiet()
        said = processes.run((job,), env, watch.until, watch.idle)[check.name]
    again = settling.outcome_of(scope, said, check, Setting(check.tool, folder), "", job.argv)
    return isinstance(again, Broken) and (again.reason, again.tail) == (outcome.reason, outcome.tail)


def _is_untouched(loop: Loop, check: Check) -> bool:
    """Whether it is the program of the start, and nobody wrote or replaced it since then."""
    try:
        changed = max(os.stat(check.tool).st_ctime, os.lstat(check.tool).st_ctime)
    except OSError:
        return False
    return loop.start.tools.get(check.name) == check.tool and clock.iso(changed) < loop.started_at
