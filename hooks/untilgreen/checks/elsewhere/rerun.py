"""Checks once more, of which only some tests may run: here, or on another tree of the project in a private folder. A
check is Broken where that tree cannot be had there as it would be in the work tree."""

import os
import time
from collections.abc import Iterable, Mapping, Sequence

from untilgreen.checkers.checker import MEASURING
from untilgreen.checks.plan.planning import CheckScope
from untilgreen.checks.run import checking, processes, report_folder
from untilgreen.checks.run.portions import Look
from untilgreen.core.model.check import Check
from untilgreen.core.model.outcome import Broken, Found, Names, Outcome, Result
from untilgreen.core.record import NamedTuple
from untilgreen.project import trust

TYPE_CHECKING = False
if TYPE_CHECKING:  # what makes a copy is loaded where one is made
    from untilgreen.checks.elsewhere.materialise import KeptTree
    from untilgreen.checks.elsewhere.private_copy import Copy

_NOTHING = "nothing is concluded"
# what a check may take once more, of the time that it just took; and in any case, in seconds
_TIMES, _LEAST = 3.0, 10.0
# seconds of a suite up to which nobody minds that it runs again; of a slower one the share that a stop may take
# besides, and in any case so many seconds
QUICK, _SHARE, _FREE = 5.0, 0.2, 2.0


class Answers(NamedTuple):
    """What the checks said, in the order of the plan, and their tests by name where they tell them."""

    results: tuple[Result, ...]
    names: Mapping[str, Names]


def bounded(watch: checking.Watch, took: Iterable[float]) -> checking.Watch:
    """The watch of runs of checks that took so many seconds a moment ago: no run of them may cost a stop much more."""
    until = time.monotonic() + max(_LEAST, _TIMES * max(took, default=0.0))
    return watch._replace(until=min(watch.until, until))


def spare(took: float) -> float:
    """The seconds that may go into what only tells more, beside checks that took so many."""
    return max(_FREE, _SHARE * took) if took > QUICK else float("inf")


def run(
    scope: CheckScope,
    planned: Sequence[Check],
    watch: checking.Watch,
    looks: Mapping[str, Look] = {},
    at: "KeptTree | None" = None,
) -> Answers:
    """What the checks of the work tree's plan say of it, or of the tree `at`. Paths are relative to the project root.

    The folder of the copy is gone when this returns or raises, but for that of a loop's start. Raises trust.Unread,
    processes.Interrupted.
    """
    if at is None:
        names = dict[str, Names]()
        own = watch._replace(on_names=lambda check, theirs: names.update({check.name: theirs}))
        return Answers(checking.run(scope, planned, own, looks), names)
    if not (scope.trusted and (scope.begins or trust.trusted(scope.root, scope.env))):
        return _broken(planned, trust.NO_MORE)
    with processes.heard() as signals:
        own = watch._replace(idle=lambda: bool(signals) or watch.idle())
        try:
            from untilgreen.checks.elsewhere import private_place

            folder = report_folder.staying if at.start else report_folder.made
            with folder(scope.env, private_place.places(scope.root, scope.env), scope.root) as private:
                ran = _in_copy(scope, planned, own, looks, at, os.path.realpath(private))
        except OSError as error:
            ran = _broken(planned, f"its tree could not be had: {error}: {_NOTHING}")
    if signals:
        raise processes.Interrupted(signals[0])
    return ran


def is_unknown(outcome: Outcome) -> bool:
    """Whether another tree could not be had in time, or as it would be in the work tree: nothing is known of it."""
    return isinstance(outcome, Broken) and (outcome.late or outcome.reason.endswith(_NOTHING))


def _in_copy(
    scope: CheckScope,
    planned: Sequence[Check],
    watch: checking.Watch,
    looks: Mapping[str, Look],
    at: "KeptTree",
    private: str,
) -> Answers:
    """The checks in a copy in a folder of ours. Raises OSError, processes.Interrupted."""
    from untilgreen.checks.elsewhere import private_copy, unfit

    copy = private_copy.make_copy(
        scope.root, planned, scope.env, at, private, lambda: time.monotonic() >= watch.until or watch.idle()
    )
    if copy is None:
        return _broken(planned, f"there was no time for its tree: {_NOTHING}", late=True)
    why = unfit.reasons(planned, copy, at.tree, scope.root, scope.settings)
    fit = tuple(_unmeasured(copy.check(one)) for one in planned if not why[one.name])
    own = {name: one._replace(command=copy.move.words(one.command)) for name, one in scope.settings.checks.items()}
    asked = {name: copy.move.path(folder) for name, folder in scope.asked.items()}
    settings = scope.settings._replace(checks=own)
    moved = scope._replace(root=copy.root, settings=settings, env=copy.env, asked=asked, files=frozenset(), begins=True)
    ran = run(moved, fit, watch, looks)
    outcomes = {check.name: outcome for check, outcome in ran.results}
    imported = copy.told.heard()
    results = []
    for check in planned:
        outcome, reason = outcomes.get(check.name), why[check.name] or imported
        if outcome and not reason and (built := unfit.unbuilt(check, outcome, copy)):
            reason = f"{built} is built of other sources"
        if outcome and not reason:
            results.append((check, _home(outcome, copy)))
        else:
            results.append((check, check.absent or Broken(f"{reason}: {_NOTHING}")))
    broken = {check.name for check, outcome in results if isinstance(outcome, Broken)}
    return Answers(tuple(results), {name: names for name, names in ran.names.items() if name not in broken})


def _unmeasured(check: Check) -> Check:
    """The check without its threshold of coverage: the tests of another time say nothing about it."""
    return check._replace(call=tuple(word for word in check.call if not word.startswith(MEASURING)))


def _broken(planned: Sequence[Check], why: str, *, late: bool = False) -> Answers:
    return Answers(tuple((check, check.absent or Broken(why, late=late)) for check in planned), {})


def _home(outcome: Outcome, copy: "Copy") -> Outcome:
    """What was said of the copy, as said of the project."""
    back = copy.move.back
    if isinstance(outcome, Broken):
        return outcome._replace(reason=back(outcome.reason), tail=back(outcome.tail))
    if not isinstance(outcome, Found):
        return outcome
    return outcome._replace(diagnostics=tuple(one._replace(message=back(one.message)) for one in outcome.diagnostics))
