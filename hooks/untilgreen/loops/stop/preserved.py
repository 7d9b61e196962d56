"""What the checks say of the work tree as it was when the loop began: what passed there must still pass."""

from collections.abc import Callable, Mapping

from untilgreen.checks.elsewhere import rerun
from untilgreen.checks.elsewhere.materialise import KeptTree
from untilgreen.checks.plan.planning import scope_of
from untilgreen.checks.run.checking import Watch
from untilgreen.core.model.event import Place
from untilgreen.core.model.loop import Loop
from untilgreen.core.model.outcome import Result
from untilgreen.core.model.snapshot import First
from untilgreen.core.verdict import measure
from untilgreen.loops.stop.steps import StopStep
from untilgreen.loops.stop.stop_policy import Stop
from untilgreen.state.trees import TreeStore

_UNKNOWN = "unknown"


def run(stop: Stop, _step: StopStep, until: float) -> Stop:
    """The loop knows what its checks say of the start; what they did not say stands against its green."""
    loop = stop.loop
    base = loop.start.base or at_start(stop.call.place, loop, stop.call.env, until, stop.unwanted)
    names = [name for name, one in base.items() if one.outcome == _UNKNOWN]
    told = (f"what {', '.join(names)} said of the start is not known",) if names else ()
    evidence = stop.evidence._replace(left_out=(*stop.evidence.left_out, *told))
    return stop._replace(loop=loop.put(loop.start._replace(base=base)), evidence=evidence)


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
