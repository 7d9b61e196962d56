"""The failing tests of a stop are run again: alone, in company, and on the tree of the start."""

import os
import time
from collections.abc import Callable, Mapping, Sequence

from untilgreen import checkers
from untilgreen.checkers import naming
from untilgreen.checks.plan.planning import CheckScope
from untilgreen.checks.run import checking
from untilgreen.core.model.check import Check
from untilgreen.core.model.loop import Loop
from untilgreen.core.model.outcome import Broken, Found, Names, Outcome, Result, TestId
from untilgreen.core.model.tree import Entry, Tree
from untilgreen.core.record import NamedTuple
from untilgreen.core.verdict import blame, measure
from untilgreen.core.verdict.blame import Accused, Court, Retrial
from untilgreen.core.verdict.identity import identify

_LEAST = 1.0  # seconds without which no run begins


class _Means(NamedTuple):
    """How tests are run again: what of the project, until when (of time.monotonic), and whether they are wanted."""

    scope: CheckScope
    until: float
    idle: Callable[[], bool]


class _At(NamedTuple):
    """Another tree of the project, and what gives the content of its files."""

    tree: Tree
    read: Callable[[Entry], bytes]


class _Answers(NamedTuple):
    """What a run said, by check."""

    outcomes: Mapping[str, Outcome]
    names: Mapping[str, Names]


def judged(
    loop: Loop,
    scope: CheckScope,
    results: Sequence[Result],
    names: Mapping[str, Names],
    rules: measure.Standard,
    watch: checking.Watch,
) -> Court:
    """Whose the failing tests are. `names`: of the tests that ran."""
    settings = loop.settings
    accused = _accused(results, names, rules)
    run = blame.to_run(accused, loop.start.blame, settings.blame.blame_tests if settings.blame.blame_seconds else 0)
    means = _Means(scope, min(watch.until, time.monotonic() + settings.blame.blame_seconds), watch.idle)
    if not run or not _time(means):
        return Court(accused, loop.start.blame)
    alone = _ends(run, _again(means, run))
    new = [one for one in run if alone.get(one.key) == "passed" and one.key not in loop.start.blame]
    red = [one for one in run if alone.get(one.key) == "failed"]
    start = _at_start(loop, means, red) if red and loop.start.start_ref and _time(means) else {}
    company = _company(loop, means, new) if new else {}
    return blame.judged(accused, run, loop.start.blame, Retrial(alone, company, start), not _time(means))


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


def _time(means: _Means) -> bool:
    return means.until - time.monotonic() >= _LEAST


def _again(means: _Means, tests: Sequence[Accused], at: _At | None = None, *, files: bool = False) -> _Answers:
    """These tests without the others, or all tests of their `files`; those of one check in one process."""
    planned = list({one.check.name: one.check for one in tests}.values())
    looks = {}
    for check in planned:
        theirs = (one.test for one in tests if one.check.name == check.name)
        looks[check.name] = checking.Look(
            tests=tuple(dict.fromkeys(one._replace(id="") if files else one for one in theirs))
        )
    return _said(means, planned, looks, at)


def _company(loop: Loop, means: _Means, tests: Sequence[Accused]) -> Mapping[str, str]:
    """These tests among all others, where there is time for all of them."""
    room = means.until - time.monotonic()
    took = {name: suite.seconds for name, suite in loop.history.suites.items()}
    quick = {one.check.name: one.check for one in tests if took.get(one.check.name, 0.0) < room}
    return _ends(tests, _said(means, list(quick.values()), {})) if quick and _time(means) else {}


def _said(
    means: _Means, planned: Sequence[Check], looks: Mapping[str, checking.Look], at: _At | None = None
) -> _Answers:
    """What the checks say here, or at another tree."""
    names: dict[str, Names] = {}

    def named(check: Check, theirs: Names) -> None:
        names[check.name] = theirs

    if at is None:
        results = checking.run(means.scope, planned, checking.Watch(means.until, means.idle, on_names=named), looks)
    else:
        from untilgreen.checks.elsewhere import start_tree

        results = start_tree.check_at(
            means.scope, planned, *at, means.until, idle=means.idle, looks=looks, on_names=named
        )
    return _Answers({check.name: outcome for check, outcome in results}, names)


def _at_start(loop: Loop, means: _Means, tests: Sequence[Accused]) -> Mapping[str, str]:
    """These tests on the tree of the start."""
    from untilgreen.state import snapshots
    from untilgreen.state.trees import TreeStore

    try:
        with TreeStore(os.path.dirname(loop.history.snapshot_path), loop.project) as store:
            tree = store.tree(loop.start.start_ref)
            there = [one for one in tests if _is_in(one.test.file, tree)]
            ends = {one.key: "gone" for one in tests if one not in there}
            ends |= _ends_at(means, there, _At(tree, lambda entry: store.read(entry.name))) if there else {}
    except OSError:
        return {}
    if "failed" in ends.values() and snapshots.skipped(loop.history.snapshot_path, loop.project, loop.start.start_ref):
        return {key: end for key, end in ends.items() if end != "failed"}  # it may be for what was not kept
    return ends


def _is_in(path: str, tree: Tree) -> bool:
    """Whether there is this file, or folder; a test without one may be anywhere."""
    return not path or path in tree or any(one.startswith(f"{path}/") for one in tree)


def _ends_at(means: _Means, tests: Sequence[Accused], at: _At) -> dict[str, str]:
    """What is said at the tree; a runner that does not begin where it is told one test that was not there runs their
    files."""
    from untilgreen.checks.elsewhere import start_tree

    said = _again(means, tests, at)
    ends = _ends(tests, said)
    refused = [
        name
        for name, outcome in said.outcomes.items()
        if isinstance(outcome, Broken) and not outcome.late and not outcome.reason.endswith(start_tree.NOTHING)
    ]
    again = [one for one in tests if one.check.name in refused]
    if again and _time(means):
        ends |= _ends(again, _again(means, again, at, files=True))
    return ends


def _ends(tests: Sequence[Accused], said: _Answers) -> dict[str, str]:
    """What a run says of each test, as `Retrial` has it."""
    ends: dict[str, str] = {}
    for one in tests:
        outcome, names = said.outcomes.get(one.check.name), said.names.get(one.check.name)
        found = outcome.diagnostics if isinstance(outcome, Found) else ()
        if outcome is None or isinstance(outcome, Broken) or any(each.hides for each in found):
            continue
        if any((each.file, each.rule) == one.test for each in found) or (names and one.test in names.failed):
            ends[one.key] = "failed"
        elif names:
            ends[one.key] = "passed" if one.test in names.passed else "gone"
    return ends
