"""The failing tests of a stop are run again: alone, in company, and on the tree of the start."""

import os
import time
from collections.abc import Mapping, Sequence

from untilgreen import checkers
from untilgreen.checkers import naming
from untilgreen.checks.elsewhere import rerun
from untilgreen.checks.plan.planning import CheckScope
from untilgreen.checks.run import checking
from untilgreen.checks.run.portions import Look
from untilgreen.core.model.loop import Loop
from untilgreen.core.model.outcome import Broken, Found, Names, Result, TestId
from untilgreen.core.verdict import blame, measure
from untilgreen.core.verdict.blame import Accused, Court, Retrial
from untilgreen.core.verdict.identity import identify
from untilgreen.core.verdict.policy import Evidence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from untilgreen.checks.elsewhere.materialise import KeptTree

_LEAST = 1.0  # seconds without which no run begins
_FEW = 3  # tests that are judged when they fail a second time, whatever that takes


def judged(
    loop: Loop,
    scope: CheckScope,
    results: Sequence[Result],
    found: Evidence,
    rules: measure.Standard,
    watch: checking.Watch,
) -> Court:
    """Whose the failing tests are. `found`: with the tests that ran, by name. Where the stop is held anyway, one that
    fails for the first time is judged when it fails on another tree: most are mended by then."""
    settings, suites = loop.settings.blame, loop.history.suites
    known = {key: verdict for key, verdict in loop.start.blame.items() if verdict != blame.LATER}
    accused = _accused(results, found.names, rules)
    run = blame.to_run(accused, known, settings.blame_tests if settings.blame_seconds else 0)
    took = max((suites[one.check.name].seconds for one in run if one.check.name in suites), default=0.0)
    watch = checking.Watch(min(watch.until, time.monotonic() + settings.blame_seconds), watch.idle)
    watch = rerun.bounded(watch, [took])
    if not run or not _time(watch):
        return Court(accused, loop.start.blame)
    # where only new findings count nobody is held for what is old
    spare = rerun.spare(took) if not rules.new else float("inf")
    dear = blame.seconds_of(run, suites) > spare
    fresh = {one.key for one in run if one.key not in loop.start.blame}
    later = {one.key for one in run if dear and (len(run) > _FEW or one.key in fresh)}
    if not rules.new and measure.items_of(((check, one) for check, one in results if check.stage != "tests"), rules):
        is_same = found.tree == loop.history.tree
        later |= {one.key for one in run if one.key in fresh or (is_same and one.key not in known)}
    run = tuple(one for one in run if one.key not in later)
    court = blame.judged(accused, run, known, _heard(loop, scope, watch, run, spare), not _time(watch))
    return court._replace(known=court.known | dict.fromkeys(later, blame.LATER))


def _heard(loop: Loop, scope: CheckScope, watch: checking.Watch, run: Sequence[Accused], spare: float) -> Retrial:
    """What the runs say of these tests. `spare`: the seconds that what only tells more may take."""
    suites, known = loop.history.suites, loop.start.blame
    alone = _ends(run, _again(scope, watch, run)) if run else {}
    spare -= blame.seconds_of(run, suites)
    new = [one for one in run if alone.get(one.key) == "passed" and known.get(one.key, blame.LATER) == blame.LATER]
    red = [one for one in run if alone.get(one.key) == "failed"]
    ask = red and loop.start.start_ref and blame.seconds_of(red, suites) <= spare and _time(watch)
    start = _at_start(loop, scope, watch, red) if ask else {}
    # among all others, where there is time for all of them
    room = min(watch.until - time.monotonic(), spare)
    quick = {
        one.check.name: one.check
        for one in new
        if one.check.name not in suites or suites[one.check.name].seconds < room
    }
    company = _ends(new, rerun.run(scope, list(quick.values()), watch)) if quick and _time(watch) else {}
    return Retrial(alone, company, start)


def _accused(results: Sequence[Result], names: Mapping[str, Names], rules: measure.Standard) -> tuple[Accused, ...]:
    """The failing tests that count, where each can be run again and none hides others."""
    accused = []
    for check, outcome in results:
        if check.stage != "tests" or check.checker == "custom" or not isinstance(outcome, Found):
            continue
        if checkers.get(check.checker).runner.select is None or any(one.hides for one in outcome.diagnostics):
            continue
        for key, found in identify(outcome.diagnostics):
            if found.severity == "test" and measure.counts(check, key, found, rules):
                known = naming.name_of(found, names[check.name]) if check.name in names else None
                accused.append(Accused(check, key, known or TestId(found.file, found.rule)))
    return tuple(accused)


def _time(watch: checking.Watch) -> bool:
    return watch.until - time.monotonic() >= _LEAST


def _again(
    scope: CheckScope,
    watch: checking.Watch,
    tests: Sequence[Accused],
    at: "KeptTree | None" = None,
    *,
    files: bool = False,
) -> rerun.Answers:
    """These tests without the others, or all tests of their `files`; those of one check in one process."""
    planned = list({one.check.name: one.check for one in tests}.values())
    looks = {}
    for check in planned:
        theirs = (one.test for one in tests if one.check.name == check.name)
        looks[check.name] = Look(tests=tuple(dict.fromkeys(one._replace(id="") if files else one for one in theirs)))
    return rerun.run(scope, planned, watch, looks, at)


def _at_start(loop: Loop, scope: CheckScope, watch: checking.Watch, tests: Sequence[Accused]) -> Mapping[str, str]:
    from untilgreen.loops.stop.on_trees import on_start
    from untilgreen.state import snapshots
    from untilgreen.state.trees import TreeStore

    try:
        with TreeStore(os.path.dirname(loop.history.snapshot_path), loop.project) as store:
            tree = store.tree(loop.start.start_ref)
            folders = {path[:at] for path in tree for at, char in enumerate(path) if char == "/"}
            there = [one for one in tests if not one.test.file or one.test.file in tree or one.test.file in folders]
            ends = {one.key: "gone" for one in tests if one not in there}
            ends |= _ends_at(scope, watch, there, on_start(loop, tree, store)) if there else {}
    except OSError:
        return {}
    if "failed" in ends.values() and snapshots.skipped(loop.history.snapshot_path, loop.project, loop.start.start_ref):
        return {key: end for key, end in ends.items() if end != "failed"}  # it may be for what was not kept
    return ends


def _ends_at(scope: CheckScope, watch: checking.Watch, tests: Sequence[Accused], at: "KeptTree") -> dict[str, str]:
    """What is said at the tree. A runner that does not begin where one test was not there runs their files."""
    said = _again(scope, watch, tests, at)
    ends = _ends(tests, said)
    refused = [
        check.name for check, outcome in said.results if isinstance(outcome, Broken) and not rerun.is_unknown(outcome)
    ]
    again = [one for one in tests if one.check.name in refused]
    if again and _time(watch):
        ends |= _ends(again, _again(scope, watch, again, at, files=True))
    return ends


def _ends(tests: Sequence[Accused], said: rerun.Answers) -> dict[str, str]:
    """What a run says of each test, as `Retrial` has it."""
    ends: dict[str, str] = {}
    outcomes = {check.name: outcome for check, outcome in said.results}
    for one in tests:
        outcome, names = outcomes.get(one.check.name), said.names.get(one.check.name)
        found = outcome.diagnostics if isinstance(outcome, Found) else ()
        if outcome is None or isinstance(outcome, Broken) or any(each.hides for each in found):
            continue
        if any((each.file, each.rule) == one.test for each in found) or (names and one.test in names.failed):
            ends[one.key] = "failed"
        elif names:
            ends[one.key] = "passed" if one.test in names.passed else "gone"
    return ends
