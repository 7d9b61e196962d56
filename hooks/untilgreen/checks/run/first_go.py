"""What failed last runs before the whole suite, and answers for it while any of it is still red."""

import os

from untilgreen import checkers
from untilgreen.checks.run.processes import COMMAND, Job
from untilgreen.core.model.check import Check
from untilgreen.core.model.outcome import FirstGo, Found, Outcome, Setting, TestId


def job(root: str, check: Check, setting: Setting, go: FirstGo, whole: Job) -> Job | None:
    """The run of the failing tests alone, before `whole`; None where its runner cannot be told them, or a file that
    they are in is gone. `root`: the project's; `setting`: with a report of its own."""
    select = None if check.checker == "custom" else checkers.get(check.checker).runner.select
    paths = {test: os.path.join(root, test.file) for test in go.tests}
    if select is None or not all(os.path.exists(path) for path in paths.values()):
        return None
    tests = tuple(
        TestId(os.path.relpath(path, setting.root) if test.file else "", test.id) for test, path in paths.items()
    )
    for some in (tests, tuple(dict.fromkeys(test._replace(id="") for test in tests))):
        argv = select(setting, some)
        if argv and sum(len(os.fsencode(word)) + 1 for word in argv) <= COMMAND:
            return whole._replace(argv=argv, report=setting.report)
    return None


def standing(go: FirstGo, result: Outcome) -> Found | None:
    """The outcome as one of a part of the tests; None where it does not show that one of them still fails, and
    nothing that may hide others: then the whole suite has to say."""
    if not isinstance(result, Found) or result.tests is None or any(one.hides for one in result.diagnostics):
        return None
    failing = {TestId(one.file, one.rule) for one in result.diagnostics}
    return result._replace(not_run=max(0, go.of - result.tests.run)) if failing & {*go.tests} else None
