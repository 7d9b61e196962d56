"""What of checks runs before the rest: the tests that failed last, and a build that others look at."""

import itertools
import os
from collections.abc import Sequence

from untilgreen import checkers
from untilgreen.checks.run import processes
from untilgreen.core.model.check import ENGINES, Check
from untilgreen.core.model.outcome import Setting, TestId


def placed(jobs: Sequence[tuple[Check, processes.Job]]) -> tuple[processes.Job, ...]:
    """The jobs, those that look at what is built behind those that build it: what CI builds before its tests, and a
    tsc that writes. Where tests begin with a build of their own the rest of their folder is behind them."""
    looking = [(check, job) for check, job in jobs if check.checker in ("tsc", "npm-script", "npm-test")]
    # two runs of turbo or nx would both build what their tasks need, in the same place
    engines = [job.name for check, job in jobs if check.call[:1] and check.call[0] in ENGINES]
    if not looking and len(engines) < 2:
        return tuple(job for _, job in jobs)
    from untilgreen.checkers.js import npm_script, tsc

    tests = [(check, job) for check, job in looking if check.checker == "npm-test"]
    own = {check.root: (job.name,) for check, job in tests if npm_script.builds(job.cwd)}
    built = tuple(job.name for check, job in jobs if check.caller == "tests")
    written = tuple(job.name for check, job in looking if check.checker == "tsc" and tsc.is_build(check.call))
    behind = {job.name: own.get(check.root, built) for check, job in looking}
    behind |= {job.name: built if check.root in own else (*built, *written) for check, job in tests}
    behind |= {second: (first, *behind.get(second, ())) for first, second in itertools.pairwise(engines)}
    return tuple(job._replace(behind=behind.get(job.name, ())) for _, job in jobs)


def first(
    root: str, checker: str, setting: Setting, wanted: Sequence[TestId], whole: processes.Job
) -> processes.Job | None:
    """The run of these tests alone, in the place of `whole`; None where its runner cannot be told them, or a file that
    they are in is gone. `root`: the project's."""
    select = None if checker == "custom" else checkers.get(checker).runner.select
    paths = {test: os.path.join(root, test.file) for test in wanted}
    if select is None or not all(os.path.exists(path) for path in paths.values()):
        return None
    tests = tuple(
        TestId(os.path.relpath(path, setting.root) if test.file else "", test.id) for test, path in paths.items()
    )
    for some in (tests, tuple(dict.fromkeys(test._replace(id="") for test in tests))):
        argv = select(setting, some)
        if argv and sum(len(os.fsencode(word)) + 1 for word in argv) <= processes.COMMAND:
            return whole._replace(argv=argv, report=setting.report)
    return None


def touching(check: Check, setting: Setting, paths: Sequence[str], whole: processes.Job) -> processes.Job | None:
    """The run of those tests that the runner itself finds for these files of the project; None where it cannot."""
    select = None if check.checker == "custom" else checkers.get(check.checker).runner.touching
    argv = select(setting, [os.path.relpath(path, check.root) for path in paths]) if select else ()
    return whole._replace(argv=argv) if argv else None
