"""A stop of a loop is a list of steps. A new step is a file with a `run`, and a row here (docs/adding-a-step.md).

The steps are taken in the order of their priority; those of one priority as they stand. The user's completion hooks
stand among them with the priorities that they were given. A step that its loop does not want is not loaded. The first
that gives the stop its verdict is the last.
"""

import math
import time
from collections.abc import Callable, Sequence

from untilgreen.core.model.loop import Loop, Release
from untilgreen.core.model.settings import HookSetting
from untilgreen.core.record import NamedTuple
from untilgreen.core.verdict import limits, policy
from untilgreen.loops.stop.stop_policy import Stop

FIRST, LOOP, REVIEW = -(10**9), 20, 30


def always(_stop: Stop) -> bool:
    """Every stop of a loop wants it."""
    return True


def nothing(_stop: Stop) -> float:
    """It may be left without any time."""
    return 0.0


class StopStep(NamedTuple):
    """A row: `loops/stop/MODULE.py` has `run(stop, step, until)`, which gives the stop with what it brings."""

    name: str
    #: asked when its turn comes, and before its module is loaded
    wanted: Callable[[Stop], bool]
    module: str
    priority: int = LOOP
    #: seconds that those in front of it leave to it, if it is wanted by then
    owed: Callable[[Stop], float] = nothing
    #: of the time that is left: this much it may always take
    share: float = 0.5


def would_end(stop: Stop) -> bool:
    """Whether the loop ends by what its checks say, unless something else stands against it."""
    ends = stop.loop.settings.markers.marker != "require" or stop.said is not None
    met = ends and policy.is_met(stop.evidence) and not policy.is_untouched(stop.loop, stop.evidence)
    return met and not stop.loop.asked.promise_only


def asks_others(loop: Loop) -> bool:
    """Whether somebody beside the loop itself says whether the agent may stop."""
    return bool(loop.settings.hooks or loop.settings.review.wanted)


def _has_judge(stop: Stop) -> bool:
    return bool(stop.loop.for_a_judge)


def _seconds_of_judge(stop: Stop) -> float:
    return stop.loop.settings.judge.seconds if stop.evidence.ran else 0.0  # it is asked once all else is met


def _runs_checks(stop: Stop) -> bool:
    return not stop.loop.asked.promise_only


def _knows_start(stop: Stop) -> bool:
    base = stop.loop.start.base
    unknown = not base or any(one.outcome == "unknown" for one in base.values())
    return stop.loop.asked.completion_criteria.preserve and _runs_checks(stop) and unknown


def _has_budget(stop: Stop) -> bool:
    return limits.is_measured(stop.loop.settings) and stop.evidence.spending is None


def _may_go_on(stop: Stop) -> bool:
    return stop.loop.settings.judge.progress and isinstance(stop.verdict, Release)


def _has_attempts(stop: Stop) -> bool:
    return stop.loop.settings.attempts > 1 and isinstance(stop.verdict, Release)


#: how a stop comes to its verdict
STEPS = (
    StopStep("tree", lambda stop: stop.reading is not None, "keeping", FIRST),  # what the rest leaves is not in it
    StopStep("start", _knows_start, "preserved", share=1.0),
    StopStep("checks", _runs_checks, "evidence", owed=lambda _: math.inf),
    StopStep("proof", would_end, "proof"),  # it costs no money: it comes before the judge
    StopStep("judge", _has_judge, "judging", owed=_seconds_of_judge),
    StopStep("loop", always, "verdict"),
    StopStep(
        "review",
        lambda stop: stop.loop.settings.review.wanted,
        "reviewing",
        REVIEW,
        lambda stop: stop.loop.settings.review.seconds,
    ),
)
#: what is looked up for a verdict
MEASURES = (StopStep("spending", _has_budget, "spending"),)
#: what may make one more round of an end
ENDS = (StopStep("progress", _may_go_on, "progress"), StopStep("attempts", _has_attempts, "attempting"))
#: what is done once there is a verdict, or nobody objected
LAST = (StopStep("completion", lambda stop: asks_others(stop.loop), "completing"),)


def in_order(loop: Loop) -> list[StopStep]:
    """The steps of a stop with the user's own hooks among them."""
    hooks = (_of_hook(one) for one in loop.settings.hooks)
    return sorted((*STEPS, *hooks), key=lambda step: step.priority)


def _of_hook(hook: HookSetting) -> StopStep:
    return StopStep(hook.name, always, "hook_commands", hook.priority, lambda stop: hook.share * stop.deadline)


def decided(stop: Stop) -> Stop:
    """The stop with its verdict."""
    rows = in_order(stop.loop)
    for number, step in enumerate(rows):
        if stop.verdict is None and step.wanted(stop):
            stop = _taken(step, stop, rows[number + 1 :])
    return taken(LAST, stop)


def taken(rows: Sequence[StopStep], stop: Stop) -> Stop:
    """The stop after each of these steps that it wants."""
    for step in rows:
        if step.wanted(stop):
            stop = _taken(step, stop, ())
    return stop


def _taken(step: StopStep, stop: Stop, behind: Sequence[StopStep]) -> Stop:
    """Take the step. Those behind it get their time, or half of what is left together."""
    now = time.monotonic()
    left = max(0.0, stop.until - now)
    owed = sum(one.owed(stop) for one in behind if one.wanted(stop))
    run = __import__(f"{__package__}.{step.module}", fromlist=["run"]).run
    after: Stop = run(stop, step, now + max(left - owed, left * step.share))
    return after
