"""Which tests a round runs first, and which checks have not answered yet. Pure.

What failed last runs first: a stop looks only at that, as long as any of it is red. The whole suite runs before
anything is called green, and at every third round at the latest. A command of the user's own may ask for something that
goes on elsewhere (CI, a deployment); its answer is *not yet* until then.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from untilgreen.core.foreign import strip
from untilgreen.core.model.check import Check
from untilgreen.core.model.loop import Loop
from untilgreen.core.model.outcome import Broken, Clean, FirstGo, Found, Outcome, Pending, Result, TestId
from untilgreen.core.model.settings import CheckSetting
from untilgreen.core.model.snapshot import Snapshot, Suite
from untilgreen.core.record import NamedTuple
from untilgreen.core.verdict.identity import each_identified

_IN_A_ROW = 2  # rounds that may go by without a whole run
_QUICK, _FEW = 5.0, 5  # seconds of a suite of which any part runs first; of a slower one at most this part
_USUAL = CheckSetting()


class Hints(NamedTuple):
    """What runs of tests left behind: check to the tests that an edit turned red, and to those that the changes touch,
    which a long suite runs alone as long as nobody needs its answer."""

    red: Mapping[str, Sequence[TestId]] = {}
    touched: Mapping[str, Sequence[TestId]] = {}


def first_goes(loop: Loop, planned: Iterable[Check], hints: Hints) -> dict[str, FirstGo]:
    """Check to what it runs first: what kept the loop from being green at its last counted stop, and what the hints
    name. None for a check that did not know then what all fails: something was hidden, or more failed than is kept. Nor
    where only a whole run can earn another round: a part of the tests is never a best."""
    earns = loop.settings.budget.adaptive and _is_last(loop)
    before, goes = loop.history.newest, {}
    if earns or loop.settings.tests == "whole" or before is None or not _is_known(before):
        return {}
    for check in planned:
        items = [item for item in before.items if item.check == check.name]
        named = all(item.kind == "test" and item.rule for item in items)
        suite = loop.history.suites.get(check.name)
        newest = loop.history.snapshots[-_IN_A_ROW:]
        tired = all(check.name in one.not_run or one.outcomes.get(check.name) == "pending" for one in newest)
        complete = len(items) == before.failing_by_check.get(check.name)
        few = suite and (suite.seconds <= _QUICK or _FEW * len(items) <= suite.tests)  # else it may run nearly twice
        if not (suite and few and named and complete) or tired:
            continue
        tests = (*(TestId(item.file, item.rule) for item in items), *hints.red.get(check.name, ()))
        more = hints.touched.get(check.name, ()) if suite.seconds > _QUICK and not ends(loop) else ()
        alone = 0 < _FEW * len(more) <= suite.tests
        tests = tuple(dict.fromkeys((*tests, *(more if alone else ()))))
        if 0 < len(tests) < suite.tests:
            goes[check.name] = FirstGo(tests, suite.tests, alone)
    return goes


def _is_known(snapshot: Snapshot) -> bool:
    """Whether it is known which tests fail, of those that were asked."""
    return snapshot.scores.get("tests") is not None or "pending" in snapshot.outcomes.values()


def stands(loop: Loop, outcome: Outcome) -> bool:
    """Whether the outcome shows that something is red for sure, so that a stop need not wait for the other checks: what
    was left at the last counted stop and still is. Never where what they say could end the loop, and not more than
    twice in a row."""
    before = loop.history.newest
    tired = all(one.not_run or "pending" in one.outcomes.values() for one in loop.history.snapshots[-_IN_A_ROW:])
    if before is None or ends(loop) or tired or loop.settings.tests == "whole" or not isinstance(outcome, Found):
        return False
    left = before.ids
    return any(key in left for key, _ in each_identified(outcome.diagnostics))


def ends(loop: Loop) -> bool:
    """Whether what the checks say could end the loop."""
    limit = loop.asked.completion_criteria.stagnation_limit
    return _is_last(loop) or 0 < limit <= loop.rounds.no_progress_count + 1


def _is_last(loop: Loop) -> bool:
    return loop.rounds.iteration >= loop.settings.max_iterations


def suites(results: Iterable[Result], known: Mapping[str, Suite], seconds: Mapping[str, float]) -> dict[str, Suite]:
    """`known` with the whole runs among these results; `seconds`: how long each check took. What came to its end
    before keeps the time that it took then."""
    now = dict(known)
    for check, outcome in results:
        if check.stage != "tests":
            continue
        took, old = seconds.get(check.name, 0.0), now.get(check.name, Suite(0, 0.0))
        if isinstance(outcome, Clean | Found) and outcome.tests and getattr(outcome, "not_run", None) is None:
            now[check.name] = Suite(outcome.tests.run, took, counted_by=outcome.tests.by)
        elif isinstance(outcome, Broken) and outcome.late:
            now[check.name] = old._replace(seconds=old.seconds if old.tests else took, late=True)
    return now


def settled(
    results: Sequence[Result], since: Mapping[str, float], checks: Mapping[str, CheckSetting], now: float
) -> tuple[tuple[Result, ...], dict[str, float]]:
    """The results, one that is pending for too long as Broken; and since when each that is not over yet has been so.
    `now` and `since` are in seconds since the epoch."""
    waited_for = pending_names(results)
    began = {name: min(since.get(name, now), now) for name in waited_for}

    def end(name: str, one: Outcome) -> Outcome:
        most = checks.get(name, _USUAL).pending_minutes
        if not isinstance(one, Pending) or one.unread or now - began[name] < most * 60:
            return one
        return Broken(f"still pending after {most:g} min", one.reason)

    return tuple((check, end(check.name, one)) for check, one in results), began


def tell_pending(waiting: Iterable[str], since: Mapping[str, float], now: float) -> str:
    """`ci, 3 min; deploy, 0 min`: what is waited for, and for how long already."""
    return "; ".join(f"{strip(name)}, {int((now - since.get(name, now)) // 60)} min" for name in waiting)


def pending_names(results: Iterable[Result]) -> tuple[str, ...]:
    """The checks whose answer is not there yet, wherever it is made."""
    return tuple(check.name for check, one in results if isinstance(one, Pending) and not one.unread)


def tell_unread(results: Iterable[Result], known: Mapping[str, Suite], words: Mapping[str, str]) -> Iterator[str]:
    """A line for each check that the stop did not wait for."""
    for check, one in results:
        if isinstance(one, Pending) and one.unread and one.some and check.name in known:
            yield words["affected"].format(ran=f"{one.some.run:,}", of=f"{known[check.name].tests:,}")
        elif isinstance(one, Pending) and one.unread:
            yield words["unread"].format(check=check.name)
