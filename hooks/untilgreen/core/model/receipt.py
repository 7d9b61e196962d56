"""What a loop proved, for somebody who has the same tree and nothing else."""

from untilgreen.core.model.groups import Proof
from untilgreen.core.model.snapshot import Judgement
from untilgreen.core.record import NamedTuple

RECEIPT_VERSION = 1


class Witness(NamedTuple):
    """A check of the last round."""

    name: str
    call: str  #: how it was called, and whence that call is: `mypy -p pkg (tox.ini: mypy)`
    version: str  #: its tool's, when the receipt was written; "" where the tool does not say
    outcome: str  #: "clean", "found", "broken" or "absent"; none is pending at a green
    tests: int = 0  #: how many tests ran; 0 where it runs none


class LoopReceipt(NamedTuple):
    """What was judged, by what, and what came of it. Times are ISO 8601 in UTC."""

    schema_version: int
    untilgreen: str  #: the release that judged
    loop_id: str
    task: str
    final_status: str  #: how the loop ended: COMPLETE, STOPPED, BLOCKED, CANCELLED, FAILED
    verified: bool  #: green, with nothing against it
    declared: bool  #: the agent said that it was done, and nothing was judged
    tree: str  #: the work tree at the end, as git names it: that of a commit which holds all of it
    base: str  #: the work tree at the start
    criteria: tuple[str, ...]  #: what had to hold, by name
    checks: tuple[Witness, ...]
    proof: Proof | None  #: null where no test was changed and none was new
    but: tuple[str, ...]  #: what stands against the green
    rounds: int
    started_at: str
    ended_at: str
    seconds: float  #: that the agent worked
    judged: tuple[Judgement, ...] = ()  #: what a judge said of the criteria that no check decides

    @property
    def green(self) -> bool:
        return self.final_status == "COMPLETE" and not self.declared
