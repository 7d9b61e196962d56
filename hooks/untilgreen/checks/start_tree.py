"""Another tree of the project, checked in a private folder: what the checks say of it, by the project's own tools.

Where that tree cannot be had there as it would be in the work tree, a check is Broken: nothing is concluded from it.
"""

import os
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import NamedTuple

from untilgreen.checks import checking, materialise, private_copy, processes, report_folder, witness
from untilgreen.checks.planning import CheckScope
from untilgreen.core.model.check import Check
from untilgreen.core.model.outcome import Broken, FirstGo, Found, Names, Outcome, Result
from untilgreen.core.model.tree import Tree
from untilgreen.project import trust

NOTHING = "nothing is concluded"


class _There(NamedTuple):
    """What came of the checks in the copy."""

    results: tuple[Result, ...]
    seconds: Mapping[str, float] = {}
    names: Mapping[str, Names] = {}


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
            over = partial(_over, signals, until, idle)
            try:
                with report_folder.made(scope.env) as private:
                    folder = os.path.realpath(private)
                    copy = private_copy.made(scope.root, planned, scope.env, tree, read, folder, over)
                    ran = _there(scope, planned, copy, until, idle, looks, first)
            except OSError as error:
                ran = _There(_all(planned, f"its tree could not be had: {error}: {NOTHING}"))
        if signals:
            raise processes.Interrupted(signals[0])
    for check, outcome in ran.results:
        on_outcome(check, outcome, ran.seconds.get(check.name, 0.0))
        if on_names and check.name in ran.names and not isinstance(outcome, Broken):
            on_names(check, ran.names[check.name])
    return ran.results


def _over(signals: Sequence[int], until: float, idle: Callable[[], bool]) -> bool:
    return bool(signals) or time.monotonic() >= until or idle()


def _there(
    scope: CheckScope,
    planned: Sequence[Check],
    copy: private_copy.Copy | None,
    until: float,
    idle: Callable[[], bool],
    looks: Mapping[str, checking.Look],
    first: Mapping[str, FirstGo],
) -> _There:
    """The checks in the copy, where there is one. Raises OSError, processes.Interrupted."""
    if copy is None:
        return _There(_all(planned, f"there was no time for its tree: {NOTHING}", late=True))
    seconds, names = dict[str, float](), dict[str, Names]()
    ran = checking.run(
        _moved(scope, copy),
        tuple(map(copy.check, planned)),
        until,
        idle,
        looks,
        lambda check, _outcome, took: seconds.update({check.name: took}),
        first,
        on_names=lambda check, theirs: names.update({check.name: theirs}),
    )
    if leaked := witness.heard(copy.told):
        inside = os.path.relpath(leaked, scope.root)
        return _There(_all(planned, f"{inside} was imported from the work tree: {NOTHING}"), seconds)
    told = [(check, _home(outcome, copy)) for check, (_, outcome) in zip(planned, ran, strict=True)]
    return _There(tuple(told), seconds, names)


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
