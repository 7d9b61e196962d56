"""A stop of a loop is a list of steps. A new step is a function, and a row here (docs/adding-a-step.md).

The steps are taken in the order of their priority; those of one priority as they stand. The user's completion hooks
stand among them with the priorities that they were given. A step that its loop does not want is not loaded. The first
that gives the stop its verdict is the last.
"""

import math
import time
from collections.abc import Callable, Sequence

from untilgreen.core.model.event import Reply, Session
from untilgreen.core.model.groups import Buts
from untilgreen.core.model.loop import Known, Loop, Verdict
from untilgreen.core.model.settings import HookSetting, Settings
from untilgreen.core.model.snapshot import Snapshot
from untilgreen.core.record import NamedTuple, Protocol
from untilgreen.core.verdict import policy, progress
from untilgreen.core.verdict.markers import Marker
from untilgreen.core.verdict.policy import Evidence
from untilgreen.loops.stop.payload import Call
from untilgreen.loops.stop.trace import Trace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from untilgreen.loops.unasked.new_findings import Held
    from untilgreen.project.tree.worktree import Listing, WorkTree
else:
    Held = Listing = WorkTree = object  # a name in quotes would cost 0.8 ms, as in `payload`

FIRST, LOOP, REVIEW = -(10**9), 20, 30


class Stop(NamedTuple):
    """A stop on its way to a verdict: what came, and what was learned since."""

    call: Call
    trace: Trace
    before: Known  #: what was known of the session when it came
    loop: Loop  #: what is judged: the loop that runs, or the rounds of this prompt
    session: Session
    said: Marker | None = None  #: the marker that closes the agent's last message
    tree: str = ""  #: the work tree's fingerprint, "" where nobody asks
    reading: WorkTree | None = None  #: the work tree as that was made of, until the checks run
    listing: Listing | None = None  #: which files there are, None where nobody asked
    unkept: str = ""  #: why it could not be kept, where it could before
    deadline: float = 0.0  #: seconds that it has, and when all that is run for it is over, of the monotonic clock
    until: float = 0.0
    unwanted: Callable[[], bool] = lambda: False  #: asked while something runs: whether nobody waits for it any more
    evidence: Evidence = Evidence(Snapshot(0, ""), ran=False)  #: what is known for the verdict: each step adds to it
    verdict: Verdict | None = None  #: how it is decided, None as long as it is not
    own: Verdict | None = None  #: the loop's own judgement, None before its checks ran
    skipped: Buts = ()  #: hooks and reviews that did not do their work, and why
    let_by: Buts = ()  #: what a review found and no longer holds for
    held: tuple[Held, ...] = ()  #: without a loop: what each check found
    unseen: bool = False  #: without a loop: a check did not do its work, and what it did not see is still to be judged


class Policy(Protocol):
    """What is particular to the stop of a loop (`in_loop`) or to one without (`without_loop`), in their order."""

    def settings(self, call: Call, trace: Trace, before: Known, /) -> Settings | Reply: ...
    def begun(self, call: Call, trace: Trace, before: Known, settings: Settings, /) -> Stop | None: ...
    def admitted(self, stop: Stop, /) -> tuple[Stop, Verdict | None]: ...
    def decided(self, stop: Stop, /) -> tuple[Stop, Verdict]: ...
    def words(self, stop: Stop, verdict: Verdict, /) -> tuple[Loop, str, str]: ...
    def same(self, before: Known, now: Known, /) -> bool: ...
    def settled(self, stop: Stop, now: Known, verdict: Verdict, loop: Loop, moment: float, /) -> Known: ...
    def unsaved(self, stop: Stop, verdict: Verdict | None, why: str, /) -> Reply: ...


class StopStep(NamedTuple):
    """A row: a function that gets the stop, its row and when it must have ended, and gives the stop with more."""

    name: str
    run: str  #: "module.function" in `loops/stop`
    wanted: Callable[[Stop], bool] = lambda _stop: True  #: asked when its turn comes, and before its module is loaded
    priority: int = LOOP
    owed: Callable[[Stop], float] = lambda _stop: 0.0  #: seconds that those in front leave to it, if it is wanted
    share: float = 0.5  #: of the time that is left: this much it may always take


def would_end(stop: Stop) -> bool:
    """Whether the loop ends by what its checks say, unless something else stands against it."""
    ends = stop.loop.settings.markers.marker != "require" or stop.said is not None
    met = ends and policy.is_met(stop.evidence) and not policy.is_untouched(stop.loop, stop.evidence)
    return met and not stop.loop.asked.promise_only


def asks_others(stop: Stop) -> bool:
    """Whether somebody beside the loop itself says whether the agent may stop."""
    return bool(stop.loop.settings.hooks or stop.loop.settings.review.wanted)


def _runs_checks(stop: Stop) -> bool:
    return not stop.loop.asked.promise_only or stop.loop.asked.completion_criteria.no_tool_errors


#: how a stop comes to its verdict
STEPS = (
    # what the rest leaves is not in it
    StopStep("tree", "in_loop.keep_tree", lambda stop: stop.reading is not None, FIRST),
    StopStep("checks", "evidence.run_checks", _runs_checks, owed=lambda _: math.inf),
    StopStep("steady", "steady.judge_again", would_end),
    StopStep("reading", "second_look.read_again", would_end),
    StopStep("installed", "installed.look", would_end),
    StopStep("proof", "proof.prove_green", would_end),  # it costs no money: it comes before the judge
    StopStep(
        "judge",
        "judge.judge_criteria",
        lambda stop: bool(stop.loop.for_a_judge),
        owed=lambda stop: stop.loop.settings.judge.seconds if stop.evidence.ran else 0.0,  # asked once all else is met
    ),
    StopStep("loop", "in_loop.judge_loop"),
    StopStep(
        "review",
        "completing.review_diff",
        lambda stop: stop.loop.settings.review.wanted,
        REVIEW,
        lambda stop: stop.loop.settings.review.seconds,
    ),
)
#: what is looked up for a verdict
MEASURES = (StopStep("spending", "spending.measure", lambda stop: progress.is_measured(stop.loop.settings)),)
#: what may make one more round of an end
ENDS = (
    StopStep("progress", "judge.judge_progress", lambda stop: stop.loop.settings.judge.progress),
    StopStep("attempts", "attempting.begin_next", lambda stop: stop.loop.settings.attempts > 1),
)
#: what is done once there is a verdict, or nobody objected
LAST = (StopStep("completion", "completing.conclude", asks_others),)


def in_order(loop: Loop) -> list[StopStep]:
    """The steps of a stop with the user's own hooks among them."""
    return sorted((*STEPS, *map(_of_hook, loop.settings.hooks)), key=lambda step: step.priority)


def _of_hook(hook: HookSetting) -> StopStep:
    row = StopStep(hook.name, "completing.ask_hook", priority=hook.priority)
    return row._replace(owed=lambda stop: hook.share * stop.deadline)


def decide(stop: Stop) -> Stop:
    """The stop with its verdict. Those behind a step get their time, or half of what is left together."""
    rows = in_order(stop.loop)
    for number, step in enumerate(rows):
        if stop.verdict is None:
            stop = take([step], stop, rows[number + 1 :])
    return take(LAST, stop)


def take(rows: Sequence[StopStep], stop: Stop, behind: Sequence[StopStep] = ()) -> Stop:
    """The stop after each of these steps that it wants."""
    for step in (one for one in rows if one.wanted(stop)):
        now = time.monotonic()
        left = max(0.0, stop.until - now)
        owed = sum(one.owed(stop) for one in behind if one.wanted(stop))
        module, _, name = step.run.partition(".")
        run = getattr(__import__(f"{__package__}.{module}", fromlist=[name]), name)
        stop = run(stop, step, now + max(left - owed, left * step.share))
    return stop
