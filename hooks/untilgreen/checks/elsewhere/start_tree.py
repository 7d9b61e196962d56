"""Another tree of the project, checked in a private folder: what the checks say of it, by the project's own tools.

Where that tree cannot be had there as it would be in the work tree, a check is Broken: nothing is concluded from it.
"""

import os
import time
from collections.abc import Callable, Mapping, Sequence

from untilgreen.checks.elsewhere import materialise, private_copy, unfit
from untilgreen.checks.plan.planning import CheckScope
from untilgreen.checks.run import checking, processes, report_folder
from untilgreen.core.model.check import Check
from untilgreen.core.model.outcome import Broken, FirstGo, Found, Names, Outcome, Result
from untilgreen.core.model.tree import Tree
from untilgreen.core.record import NamedTuple
from untilgreen.project import trust

NOTHING = "nothing is concluded"


class _There(NamedTuple):
    """What came of the checks in the copy."""

    results: tuple[Result, ...]
    seconds: Mapping[str, float] = {}
    names: Mapping[str, Names] = {}


class _How(NamedTuple):
    """As in `checking.run`."""

    until: float
    idle: Callable[[], bool]
    looks: Mapping[str, checking.Look]
    first: Mapping[str, FirstGo]


def check_at(
    scope: CheckScope,
    planned: Sequence[Check],
    tree: Tree,
    read: materialise.Read,
    until: float,
    *,
    idle: Callable[[], bool] = lambda: False,
    looks: Mapping[str, checking.Look] = {},
    first: Mapping[str, FirstGo] = {},
    on_outcome: checking.OnOutcome = processes.ignore,
    on_names: checking.OnNames | None = None,
) -> tuple[Result, ...]:
    """Run the checks of the work tree's plan on `tree`; each with its outcome, in the order of the plan.

    `read` gives what an entry holds. The rest is as in `checking.run`; paths are relative to the project root. The
    folder is gone when this returns or raises. Raises trust.Unread, processes.Interrupted.
    """
    if not (scope.trusted and (scope.begins or trust.trusted(scope.root, scope.env))):
        ran = _There(_all(planned, "not trusted any more (`untilgreen trust`)"))
    else:
        with processes.heard() as signals:
            how = _How(until, lambda: bool(signals) or idle(), looks, first)
            try:
                with report_folder.apart(scope.env) as private:
                    ran = _in_copy(scope, planned, tree, read, os.path.realpath(private), how)
            except OSError as error:
                ran = _There(_all(planned, f"its tree could not be had: {error}: {NOTHING}"))
        if signals:
            raise processes.Interrupted(signals[0])
    for check, outcome in ran.results:
        on_outcome(check, outcome, ran.seconds.get(check.name, 0.0))
        if on_names and check.name in ran.names and not isinstance(outcome, Broken):
            on_names(check, ran.names[check.name])
    return ran.results


def _in_copy(
    scope: CheckScope, planned: Sequence[Check], tree: Tree, read: materialise.Read, private: str, how: _How
) -> _There:
    """The checks in a copy in a folder of ours. Raises OSError, processes.Interrupted."""

    def over() -> bool:
        return time.monotonic() >= how.until or how.idle()

    copy = private_copy.made(scope.root, planned, scope.env, tree, read, private, over)
    if copy is None:
        return _There(_all(planned, f"there was no time for its tree: {NOTHING}", late=True))
    why = unfit.reasons(planned, copy, tree, scope.root, scope.settings)
    seconds, names = dict[str, float](), dict[str, Names]()
    ran = checking.run(
        _moved(scope, copy),
        tuple(copy.check(one) for one in planned if not why[one.name]),
        checking.Watch(
            how.until,
            how.idle,
            on_outcome=lambda check, _outcome, took: seconds.update({check.name: took}),
            on_names=lambda check, theirs: names.update({check.name: theirs}),
        ),
        how.looks,
        how.first,
    )
    outcomes = {check.name: outcome for check, outcome in ran}
    imported = copy.told.heard()
    told = ((one, _judged(one, outcomes.get(one.name), why[one.name] or imported, copy)) for one in planned)
    return _There(tuple(told), seconds, names)


def _judged(check: Check, outcome: Outcome | None, why: str, copy: private_copy.Copy) -> Outcome:
    """What may be concluded: `why` says that it is nothing."""
    if outcome and not why and (built := unfit.unbuilt(check, outcome, copy)):
        why = f"{built} is built of other sources"
    if outcome and not why:
        return _home(outcome, copy)
    return check.absent or Broken(f"{why}: {NOTHING}")


def _moved(scope: CheckScope, copy: private_copy.Copy) -> CheckScope:
    own = {name: one._replace(command=copy.move.words(one.command)) for name, one in scope.settings.checks.items()}
    asked = {name: copy.move.path(folder) for name, folder in scope.asked.items()}
    settings = scope.settings._replace(checks=own)
    return scope._replace(root=copy.root, settings=settings, env=copy.env, asked=asked, begins=True)


def _all(planned: Sequence[Check], why: str, *, late: bool = False) -> tuple[Result, ...]:
    return tuple((check, check.absent or Broken(why, late=late)) for check in planned)


def _home(outcome: Outcome, copy: private_copy.Copy) -> Outcome:
    """What was said of the copy, as said of the project."""
    back = copy.move.back
    if isinstance(outcome, Broken):
        return outcome._replace(reason=back(outcome.reason), tail=back(outcome.tail))
    if not isinstance(outcome, Found):
        return outcome
    told = (one._replace(message=back(one.message)) for one in outcome.diagnostics)
    return outcome._replace(diagnostics=tuple(told))
