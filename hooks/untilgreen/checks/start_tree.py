"""Another tree of the project, checked in a private folder: what the checks say of it, by the project's own tools.

Where that tree cannot be had there as it would be in the work tree, a check is Broken: nothing is concluded from it.
"""

import os
import time
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from untilgreen.checks import checking, materialise, processes, report_folder
from untilgreen.checks.planning import CheckScope
from untilgreen.core.model.check import Check
from untilgreen.core.model.outcome import Broken, FirstGo, Found, Names, Outcome, Result
from untilgreen.core.model.tree import Tree
from untilgreen.project import trust

NOTHING = "nothing is concluded"
_LINKED = (".venv", "venv", "env", "node_modules", "vendor", ".tox", ".nox")


class _Run(NamedTuple):
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
        ran = _Run(_all(planned, "not trusted any more (`untilgreen trust`)"))
    else:
        with processes.heard() as signals:

            def over() -> bool:
                return bool(signals) or time.monotonic() >= until or idle()

            try:
                with report_folder.made(scope.env) as private:
                    copy = os.path.join(os.path.realpath(private), os.path.basename(scope.root))
                    ran = _there(scope, planned, tree, read, copy, over, until, idle, looks, first)
            except OSError as error:
                ran = _Run(_all(planned, f"its tree could not be had: {error}: {NOTHING}"))
        if signals:
            raise processes.Interrupted(signals[0])
    for check, outcome in ran.results:
        on_outcome(check, outcome, ran.seconds.get(check.name, 0.0))
        if on_names and check.name in ran.names and not isinstance(outcome, Broken):
            on_names(check, ran.names[check.name])
    return ran.results


def _there(
    scope: CheckScope,
    planned: Sequence[Check],
    tree: Tree,
    read: materialise.Read,
    copy: str,
    over: Callable[[], bool],
    until: float,
    idle: Callable[[], bool],
    looks: Mapping[str, checking.Look],
    first: Mapping[str, FirstGo],
) -> _Run:
    """The checks in `copy`, a folder that is not there yet. Raises OSError, processes.Interrupted."""
    os.mkdir(copy, 0o700)
    if not materialise.write(tree, read, scope.root, copy, over):
        return _Run(_all(planned, f"there was no time for its tree: {NOTHING}", late=True))
    _link(scope.root, copy)
    seconds, names = dict[str, float](), dict[str, Names]()
    ran = checking.run(
        scope._replace(root=copy, begins=True),
        tuple(_moved(check, scope.root, copy) for check in planned),
        until,
        idle,
        looks,
        lambda check, _outcome, took: seconds.update({check.name: took}),
        first,
        on_names=lambda check, theirs: names.update({check.name: theirs}),
    )
    told = [(check, _home(outcome, copy, scope.root)) for check, (_, outcome) in zip(planned, ran, strict=True)]
    return _Run(tuple(told), seconds, names)


def _all(planned: Sequence[Check], why: str, *, late: bool = False) -> tuple[Result, ...]:
    return tuple((check, check.absent or Broken(why, late=late)) for check in planned)


def _link(work: str, copy: str) -> None:
    for name in _LINKED:
        if os.path.isdir(os.path.join(work, name)) and not os.path.lexists(os.path.join(copy, name)):
            os.symlink(os.path.join(work, name), os.path.join(copy, name))


def _moved(check: Check, work: str, copy: str) -> Check:
    def there(path: str) -> str:
        return copy + path[len(work) :] if path.startswith(work + os.sep) else path

    return check._replace(tool=there(check.tool), interpreter=there(check.interpreter))


def _home(outcome: Outcome, copy: str, work: str) -> Outcome:
    """What was said of the copy, as said of the project."""
    if isinstance(outcome, Broken):
        return outcome._replace(reason=outcome.reason.replace(copy, work), tail=outcome.tail.replace(copy, work))
    if not isinstance(outcome, Found):
        return outcome
    told = (one._replace(message=one.message.replace(copy, work)) for one in outcome.diagnostics)
    return outcome._replace(diagnostics=tuple(told))
