"""Which checks wait for another one, where all others run at once."""

from collections.abc import Sequence

from untilgreen.checks.run import processes
from untilgreen.core.model.check import Check


def placed(jobs: Sequence[tuple[Check, processes.Job]]) -> tuple[processes.Job, ...]:
    """The jobs; where the tests begin with a build of their own the same build is done, and what was built is looked
    at, behind them."""
    waiting = {job.name: check.root for check, job in jobs if check.checker in ("tsc", "npm-script")}
    tests = {check.root: job for check, job in jobs if check.checker == "npm-test" and check.root in waiting.values()}
    if not tests:
        return tuple(job for _, job in jobs)
    from untilgreen.checkers.js import npm_script

    building = {root: job.name for root, job in tests.items() if npm_script.builds(job.cwd)}
    return tuple(job._replace(behind=building.get(waiting.get(job.name, ""), "")) for _, job in jobs)
