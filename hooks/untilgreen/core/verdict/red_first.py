"""What failed last runs first: of which checks a stop looks only at that, as long as any of it is red. Pure.

The whole suite runs before anything is called green, and at every third round at the latest.
"""

from collections.abc import Iterable, Mapping

from untilgreen.core.model.check import Check
from untilgreen.core.model.loop import Loop
from untilgreen.core.model.outcome import Broken, Clean, FirstGo, Found, Result, TestId
from untilgreen.core.model.snapshot import Snapshot, Suite

_IN_A_ROW = 2  # rounds that may go by without a whole run


def first_goes(loop: Loop, planned: Iterable[Check]) -> dict[str, FirstGo]:
    """Check to what it runs first: what kept the loop from being green at its last counted stop.

    None for a check that did not know then what all fails: something was hidden, or more failed than is kept. Nor where
    only a whole run can earn another round: a part of the tests is never a best.
    """
    earns = loop.settings.budget.adaptive and loop.rounds.iteration >= loop.settings.max_iterations
    if (
        earns
        or loop.settings.tests == "whole"
        or not loop.history.snapshots
        or loop.history.snapshots[-1].scores.get("tests") is None
    ):
        return {}
    before, goes = loop.history.snapshots[-1], {}
    for check in planned:
        suite, tests = loop.history.suites.get(check.name), _failed(before, check.name)
        tired = all(check.name in one.not_run for one in loop.history.snapshots[-_IN_A_ROW:])
        if suite and 0 < len(tests) < suite.tests and not tired:
            goes[check.name] = FirstGo(tests, suite.tests)
    return goes


def _failed(before: Snapshot, check: str) -> tuple[TestId, ...]:
    """All failing tests of the check in the round before; none where one of them has no name."""
    items = [item for item in before.items if item.check == check]
    named = all(item.kind == "test" and item.rule for item in items)
    complete = len(items) == before.failing_by_check.get(check)
    return tuple(TestId(item.file, item.rule) for item in items) if named and complete else ()


def suites(results: Iterable[Result], known: Mapping[str, Suite], seconds: Mapping[str, float]) -> dict[str, Suite]:
    """`known` with the whole runs among these results; `seconds`: how long each check took."""
    now = dict(known)
    for check, outcome in results:
        if check.stage != "tests":
            continue
        took, old = seconds.get(check.name, 0.0), now.get(check.name, Suite(0, 0.0))
        if isinstance(outcome, Clean | Found) and outcome.tests and getattr(outcome, "not_run", None) is None:
            now[check.name] = Suite(outcome.tests.run, took)
        elif isinstance(outcome, Broken) and outcome.late:
            now[check.name] = old._replace(seconds=took, late=True)
    return now
