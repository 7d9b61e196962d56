"""A stop on its way to a verdict, and what is particular to the stop of a loop and to one without: its policy."""

from collections.abc import Callable

from untilgreen.core.model.event import Reply, Session
from untilgreen.core.model.loop import Known, Loop, Verdict
from untilgreen.core.model.settings import Settings
from untilgreen.core.model.snapshot import Snapshot
from untilgreen.core.record import NamedTuple, Protocol
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


class Arrival(NamedTuple):
    """A stop as it comes: who asks, and what is known of the session then."""

    call: Call
    trace: Trace
    before: Known
    settings: Settings = Settings()


class Stop(NamedTuple):
    """A stop on its way to a verdict: what came, and what was learned since."""

    call: Call
    trace: Trace
    #: what was known of the session when it came
    before: Known
    #: what is judged: the loop that runs, or the rounds of this prompt
    loop: Loop
    session: Session
    #: the marker that closes the agent's last message
    said: Marker | None = None
    #: the work tree's fingerprint, "" where nobody asks
    tree: str = ""
    #: the work tree as that was made of, until the checks run
    reading: WorkTree | None = None
    #: which files there are, None where nobody asked
    listing: Listing | None = None
    #: why it could not be kept, where it could before
    unkept: str = ""
    #: seconds that it has, and when all that is run for it is over, of the monotonic clock
    deadline: float = 0.0
    until: float = 0.0
    #: asked while something runs: whether nobody waits for it any more
    unwanted: Callable[[], bool] = lambda: False
    #: what is known for the verdict: each step adds to it
    evidence: Evidence = Evidence(Snapshot(0, ""), ran=False)
    #: how it is decided, None as long as it is not
    verdict: Verdict | None = None
    #: the loop's own judgement, None before its checks ran
    own: Verdict | None = None
    #: hooks and reviews that did not do their work, and why; what a review found and no longer holds for
    skipped: tuple[str, ...] = ()
    let_by: tuple[str, ...] = ()
    #: without a loop: what each check found
    held: tuple[Held, ...] = ()
    #: without a loop: a check did not do its work, and what it did not see is still to be judged
    unseen: bool = False


class Policy(Protocol):
    """What is particular to the stop of a loop, or to one without."""

    def settings(self, arrival: Arrival, /) -> Settings | Reply:
        """The settings that are in force, or what is answered where nothing is judged."""

    def begun(self, arrival: Arrival, /) -> Stop | None:
        """The stop; None where there is nothing to judge any more."""

    def admitted(self, stop: Stop, /) -> tuple[Stop, Verdict | None]:
        """Steps 3 to 6. No verdict means: run the checks."""

    def decided(self, stop: Stop, /) -> tuple[Stop, Verdict]:
        """The checks, step 5 again, for a prompt that came while they ran, and steps 9 to 12."""

    def words(self, stop: Stop, verdict: Verdict, /) -> tuple[Loop, str, str]:
        """The loop as it is to be saved; what is said to whom the verdict is for, and to the user beside that."""

    def same(self, before: Known, now: Known, /) -> bool:
        """StopStep 8: whether what was judged is still what is known."""

    def settled(self, stop: Stop, now: Known, verdict: Verdict, loop: Loop, moment: float, /) -> Known:
        """What is to be known from now on; `moment`: in seconds since the epoch."""

    def unsaved(self, stop: Stop, verdict: Verdict | None, why: str, /) -> Reply:
        """What is said where nothing can be counted: the agent is let go."""
