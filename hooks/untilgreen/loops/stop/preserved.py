"""What the checks say of the work tree as it was when the loop began: what passed there must still pass."""

from collections.abc import Callable, Iterator, Mapping

from untilgreen.checks.elsewhere import rerun
from untilgreen.checks.elsewhere.materialise import KeptTree
from untilgreen.checks.plan.planning import scope_of
from untilgreen.checks.run.checking import Watch
from untilgreen.core.model.event import Place
from untilgreen.core.model.loop import Loop
from untilgreen.core.model.outcome import Result
from untilgreen.core.model.snapshot import First
from untilgreen.core.verdict import measure
from untilgreen.state.trees import TreeStore

_UNKNOWN = "unknown"


def at_start(
    place: Place, loop: Loop, env: Mapping[str, str], until: float, idle: Callable[[], bool]
) -> dict[str, First]:
    """Check to its result on the tree of the start, `unknown` where that could not be had; none where nobody waits
    for it any more. `until` and `idle` as in `checking.run`. Raises processes.Interrupted, trust.Unread."""
    over: list[bool] = []

    def unwanted() -> bool:
        if idle():
            over.append(True)
        return bool(over)

    own = loop.settings.checks
    # what may be pending is asked elsewhere, and says nothing about this tree
    planned = tuple(one for one in loop.checks.plan if not (one.absent or (one.name in own and own[one.name].pending)))
    scope = scope_of(loop, env)
    try:
        with TreeStore(place.base, loop.project) as objects:
            tree = objects.tree(loop.start.start_ref)
            kept = KeptTree(tree, lambda entry: objects.read(entry.name))
            results = rerun.run(scope, planned, Watch(until, unwanted), at=kept).results
    except OSError:  # not kept, or not any more: told as what is not known
        results = tuple[Result, ...]()
    if over:
        return {}
    known = measure.first_results(tuple(one for one in results if not rerun.is_unknown(one[1])), {})
    return {check.name: First(_UNKNOWN) for check in planned} | known


def unknown(loop: Loop) -> Iterator[str]:
    """What stands against a green for which what passed at the start had to be known."""
    names = [name for name, one in loop.start.base.items() if one.outcome == _UNKNOWN]
    if names:
        yield f"what {', '.join(names)} said of the start is not known"
