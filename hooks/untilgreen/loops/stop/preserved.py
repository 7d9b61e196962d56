"""What the checks say of the work tree as it was when the loop began: what passed there must still pass."""

from untilgreen.checks.elsewhere import rerun
from untilgreen.checks.elsewhere.materialise import KeptTree
from untilgreen.checks.plan.planning import scope_of
from untilgreen.checks.run.checking import Watch
from untilgreen.core.model.snapshot import First
from untilgreen.core.verdict import measure
from untilgreen.loops.stop.steps import StopStep
from untilgreen.loops.stop.stop_policy import Stop
from untilgreen.state.trees import TreeStore

_UNKNOWN = "unknown"


def run(stop: Stop, _step: StopStep, until: float) -> Stop:
    """The loop knows what its checks say of the start; what they did not say stands against its green."""
    loop = stop.loop
    base = loop.start.base or _at_start(stop, until)
    names = [name for name, one in base.items() if one.outcome == _UNKNOWN]
    told = (f"what {', '.join(names)} said of the start is not known",) if names else ()
    evidence = stop.evidence._replace(left_out=(*stop.evidence.left_out, *told))
    return stop._replace(loop=loop.put(loop.start._replace(base=base)), evidence=evidence)


def _at_start(stop: Stop, until: float) -> dict[str, First]:
    """Check to its result on the tree of the start, `unknown` where that could not be had; none where nobody waits
    for it any more. Raises processes.Interrupted, trust.Unread."""
    loop, own = stop.loop, stop.loop.settings.checks
    # what may be pending is asked elsewhere, and says nothing about this tree
    planned = tuple(one for one in loop.checks.plan if not (one.absent or (one.name in own and own[one.name].pending)))
    try:
        with TreeStore(stop.call.place.base, loop.project) as objects:
            kept = KeptTree(objects.tree(loop.start.start_ref), lambda entry: objects.read(entry.name))
            watch = Watch(until, stop.unwanted)
            results = rerun.run(scope_of(loop, stop.call.env), planned, watch, at=kept).results
    except OSError:  # not kept, or not any more: told as what is not known
        results = ()
    if stop.unwanted():
        return {}
    known = measure.first_results(tuple(one for one in results if not rerun.is_unknown(one[1])), {})
    return {check.name: First(_UNKNOWN) for check in planned} | known
