"""The work tree of the start asked again. At a green that would end a loop: the tests of the start on today's code, and
today's tests on that of the start; and for `preserve`, once, what all checks said there: what passed must still pass.
"""

import re
import time
from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Mapping, Sequence
from functools import partial

from untilgreen.checks.elsewhere import rerun
from untilgreen.checks.plan.planning import scope_of
from untilgreen.checks.run.checking import Watch
from untilgreen.core.model.check import Absent, Check
from untilgreen.core.model.event import Place
from untilgreen.core.model.groups import Against, Buts, Proof
from untilgreen.core.model.loop import Loop
from untilgreen.core.model.outcome import Broken, Clean, Found, Names, TestId
from untilgreen.core.model.snapshot import First
from untilgreen.core.record import NamedTuple
from untilgreen.core.trees import Tree, differing
from untilgreen.core.verdict import blame, measure, proof
from untilgreen.core.verdict.policy import Evidence
from untilgreen.core.words import brief
from untilgreen.loops.stop import probing
from untilgreen.loops.stop.on_trees import BY_FILES, Ask, Asking, OnTree, Runner, failed, on_start, start_and_now
from untilgreen.loops.stop.steps import Stop, StopStep
from untilgreen.project.fakes import checker_configs, closely, fed, text
from untilgreen.project.tree import worktree
from untilgreen.project.tree.layout import below_any
from untilgreen.state import clock
from untilgreen.state.trees import Missing, TreeStore

_NO_TIME, _UNKNOWN = "no time", "unknown"
_LEFT_OUT = r"no test ran: \d+ .*(?:skipped|ignored)$"
_UNKEPT = "the work tree of the start is not kept"


def look_at_start(stop: Stop, took: Mapping[str, float], until: float) -> tuple[dict[str, First], Buts]:
    """What the checks of the loop say of the start, and what they do not say, which stands against its green. `took`:
    check to the seconds that it just took."""
    base = stop.loop.start.base or _at_start(stop, took, until)
    names = [name for name, one in base.items() if one.outcome == _UNKNOWN]
    return base, (Against("start_unknown", ", ".join(names)),) if names else ()


def _at_start(stop: Stop, took: Mapping[str, float], until: float) -> dict[str, First]:
    """Check to its result on the tree of the start, `unknown` where that could not be had; none where nobody waits
    for it any more. Raises processes.Interrupted, trust.Unread."""
    loop, own = stop.loop, stop.loop.settings.checks
    # what may be pending is asked elsewhere, and says nothing about this tree
    planned = tuple(one for one in loop.checks.counting if not (one.name in own and own[one.name].pending))
    try:
        with TreeStore(stop.call.place.base, loop.project) as objects:
            kept = on_start(loop, objects.tree(loop.start.start_ref), objects)
            watch = rerun.bounded(Watch(until, stop.unwanted), took.values())
            results = rerun.run(scope_of(loop, stop.call.env), planned, watch, at=kept).results
    except OSError:  # not kept, or not any more: told as what is not known
        results = ()
    if stop.unwanted():
        return {}
    known = measure.first_results(tuple(one for one in results if not rerun.is_unknown(one[1])), {}, whole=True)
    return {check.name: First(_UNKNOWN) for check in planned} | known


def prove_green(stop: Stop, _step: StopStep, until: float) -> Stop:
    """What stands behind a green that would end the loop. Lost tests are told by name where that is known."""
    loop, found = stop.loop, stop.evidence
    shown = prove(stop.call.place, loop, stop.call.env, found, until, stop.unwanted)
    named = proof.lost(shown) if shown else 0
    weaker = tuple(one for one in found.weakened if not named or one.kind != "fewer")
    more, now = max(0, named - found.lost), found.snapshot
    scores = {stage: n if n is None or stage != "tests" else n + more for stage, n in now.scores.items()}
    snapshot = now._replace(scores=scores, weakened=now.weakened + more)
    weaker = (*weaker, *(one for one in _new_configuration(stop, until) if one not in weaker))
    found = found._replace(proof=shown, weakened=weaker, snapshot=snapshot)
    return stop._replace(loop=loop.put(loop.history._replace(proof=shown)), evidence=found)


def _new_configuration(stop: Stop, until: float) -> Iterator[Against]:
    """What configures the checks, was written since the start, and is ignored: nobody listed it, or read it."""
    root, untouched, then = stop.loop.project, clock.untouched(stop.loop), stop.loop.start.text
    ignored = worktree.ignored(root) if stop.evidence.ignored is None else stop.evidence.ignored
    paths = [path for path in ignored or () if path[-1] != "/" and not worktree.left_out(path, "")]
    if written := [path for path in paths if not untouched(path)]:
        known = then.config if then else {}
        names = (name for name in text.read(root, written, until).config if name.partition(" [")[0] in written)
        yield from (Against("new", name) for name in names if name not in known)


def prove(
    place: Place, loop: Loop, env: Mapping[str, str], found: Evidence, until: float, idle: Callable[[], bool]
) -> Proof | None:
    """What is shown of a green loop; None where no test was changed and none is new. `until` and `idle` as in
    `checking.run`. Raises processes.Interrupted, trust.Unread."""
    there = loop.checks.counting
    checks = [check for check in there if check.stage == "tests"] or [one for one in there if one.checker == "custom"]
    if not checks:
        return None
    if not loop.start.start_ref or not found.snapshot.ref:
        return Proof(unproven=_UNKEPT)
    may_change = proof.may_change(loop.settings.tests_may_change)
    try:
        with TreeStore(place.base, loop.project) as objects:
            start, own = start_and_now(objects, loop, found)
            kept = fed.BothTrees(start, own, objects.content, objects.write)
            along = closely.along(start, own, kept.read, _running(found))
            mixed = partial(fed.mixed, kept, fed.examined(kept))
            trees = proof.trees(start, own, lambda path: path in along or may_change(path), mixed, fed.side(kept))
            settings = {path for path in differing(start, own) if checker_configs.configures(path)}
            trees = trees._replace(configured=proof.laid(trees.as_were, start, settings), start=start)
            product = probing.product(start, own, found)
            if not (trees.changed or trees.fresh or product):
                return None
            took = [_took(loop, check, found) for check in checks]
            runner = Runner(scope_of(loop, env), loop, start, objects, rerun.bounded(Watch(until, idle), took))
            within = _Within(until, runner.watch.until)
            asked = probing.Probing(loop, trees, product, kept, runner.watch.until)
            asking = {
                check: probing.probed(asked, check, _of_check(loop, check, trees, found, within), found)
                for check in checks
            }
            shown = proof.joined(runner.together(asking, (trees.as_were, trees.before, trees.now)))
            return shown if trees.changed or trees.fresh or shown != Proof() else None
    except Missing:
        return Proof(unproven=_UNKEPT)
    except OSError as error:
        return Proof(unproven=f"the work tree of the start cannot be made: {error.strerror or error}")


def _running(found: Evidence) -> Callable[[str], bool]:
    """Says of a file of tests whether any of it ran; of each where no runner tells files."""
    ran = {test.file for names in found.names.values() for test in (*names.passed, *names.failed)}
    return lambda path: not any(ran) or not ran.isdisjoint((path, path.rpartition("/")[0]))


class _Within(NamedTuple):
    """When the stop is over, and when the runs for its proof are, of the monotonic clock."""

    stop: float
    runs: float


def _took(loop: Loop, check: Check, found: Evidence) -> float:
    suite = loop.history.suites.get(check.name)
    return found.took.get(check.name, suite.seconds if suite else 0.0)


def _of_check(loop: Loop, check: Check, trees: proof.Trees, found: Evidence, within: _Within) -> Asking:
    """What is shown of one check: it asks for each run, and gets what that came to."""
    now, took = found.names.get(check.name), _took(loop, check, found)
    below = [path for path in trees.as_were if below_any(path, (check.root,))]
    changed = frozenset(path for path in trees.changed if below_any(path, (check.root,)))
    fresh = sorted(path for path in trees.fresh if below_any(path, (check.root,)))
    as_were, before, quiet, asked = None, None, tuple[str, ...](), _named(check, proof.suites(changed))
    if not changed and not fresh:
        return Proof()
    failing: tuple[TestId, ...] = ()
    # a file of the product that was changed for its tests has some
    if changed and any(proof.is_suite(path) or (path in changed and fed.holds_tests(path)) for path in below):
        if time.monotonic() + took > within.stop:
            return Proof(unproven=_NO_TIME)
        tree, asked, as_were = yield from _as_were(trees, asked)
        quiet = yield from _quiet(trees, asked, as_were)
        if isinstance(as_were.outcome, Found):
            failing = yield from _surely_failing(loop, check, tree, failed(check, as_were))
        elif isinstance(as_were.outcome, Broken | Absent):
            late = isinstance(as_were.outcome, Broken) and as_were.outcome.late
            slower = f"{_NO_TIME}: {check.name} took {brief.spent(took)}, and much longer in a copy"
            no_time = _NO_TIME if time.monotonic() >= within.stop else slower
            return Proof(unproven=no_time if late else as_were.outcome.reason)
    # what new tests say of the code of the start is told, no more, and those that fail there run once more
    takes = as_were.seconds if as_were else took * _share(now, fresh)
    if fresh and 2 * takes <= rerun.spare(took) and time.monotonic() + took < within.runs:
        # in a quick suite it shows of all tests that they were red
        before = yield Ask(trees.before, _named(check, fresh) if took > rerun.QUICK else ())
    theirs, ours = as_were.names if as_were else None, before.names if before else None
    # what could not be loaded on the code of the start: all of its tests are red there
    fell = before.outcome.diagnostics if before and isinstance(before.outcome, Found) else ()
    unloaded = frozenset(one.file for one in fell if one.hides and one.file)
    suspects = (*failing, *(ours.failed if ours else ()), *(TestId(path, "") for path in sorted(unloaded)))
    reached = any(path.endswith("/") for path in changed)  # one file may be why others pass
    unfit = (yield from _failing(check, trees.now, suspects, whole=reached)) or frozenset()
    runs = proof.Runs(now, theirs, failing, ours, unloaded, unfit, whole=not asked)
    shown = proof.told_by(runs, changed, fresh)
    return shown._replace(skipped=tuple(dict.fromkeys((*shown.skipped, *quiet))))


def _as_were(
    trees: proof.Trees, asked: tuple[TestId, ...]
) -> Generator[Ask, OnTree, tuple[Tree, tuple[TestId, ...], OnTree]]:
    """What the tests of the start came to on today's code, on which tree, and of which files: none for all."""
    ran = yield Ask(trees.as_were, asked)
    if asked and _left_out(ran) and _left_out((yield Ask(trees.start, asked))):
        asked, ran = (), (yield Ask(trees.as_were))  # in these files there was nothing to pass
    if not isinstance(ran.outcome, Clean) and trees.configured != trees.as_were:
        # today's settings may ask for what is no more there, or not yet, or for another runner
        again = yield Ask(trees.configured, asked)
        if isinstance(again.outcome, Clean) or (_is_broken(ran) and not _is_broken(again)):
            return trees.configured, asked, again
    return trees.as_were, asked, ran


def _quiet(trees: proof.Trees, asked: tuple[TestId, ...], as_were: OnTree) -> Generator[Ask, OnTree, tuple[str, ...]]:
    """Of the changed files the tests that today's code leaves out as they were, and that of the start does not."""
    skipped = [one for one in (as_were.names.skipped if as_were.names else ()) if one.file in trees.changed]
    then = (yield Ask(trees.start, asked)).names if skipped else None
    return tuple(one.id for one in skipped if then and one in {*then.passed, *then.failed})


def _left_out(ran: OnTree) -> bool:
    return isinstance(ran.outcome, Broken) and re.match(_LEFT_OUT, ran.outcome.reason) is not None


def _is_broken(ran: OnTree) -> bool:
    return isinstance(ran.outcome, Broken) and not ran.outcome.late


def _surely_failing(
    loop: Loop, check: Check, tree: Tree, failing: Sequence[TestId]
) -> Generator[Ask, OnTree, tuple[TestId, ...]]:
    """Those of the tests that fail once more: one that fails now and then shows nothing."""
    again, new = (yield from _failing(check, tree, failing)), loop.settings.count == "new"
    surely = (one for one in failing if again is None or one in again)
    return tuple(one for one in surely if not blame.is_spared(check, one, loop.start.blame, new=new))


def _named(check: Check, files: Iterable[str]) -> tuple[TestId, ...]:
    """The files of tests to run, where their runner can be told them; none for the whole suite."""
    return tuple(TestId(path, "") for path in files) if check.checker in BY_FILES else ()


def _share(now: Names | None, files: Collection[str]) -> float:
    """How much of the suite's tests are in these files."""
    ran = [test.file in files for test in (*now.passed, *now.failed)] if now else []
    return sum(ran) / len(ran) if ran else 1.0


def _failing(
    check: Check, tree: Tree, tests: Sequence[TestId], *, whole: bool = False
) -> Generator[Ask, OnTree, frozenset[TestId] | None]:
    """Those of the tests that fail on a tree, alone if their runner can be told them; None where it cannot be run."""
    if not tests:
        return frozenset()
    alone = tuple(tests) if check.checker != "custom" and not whole and all(test.file for test in tests) else ()
    ran = yield Ask(tree, alone)
    if alone and isinstance(ran.outcome, Broken):  # not all of them are there
        ran = yield Ask(tree)
    return None if isinstance(ran.outcome, Broken) else frozenset(failed(check, ran)).intersection(tests)
