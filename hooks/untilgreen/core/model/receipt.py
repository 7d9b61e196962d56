"""What a loop proved, for somebody who has the same tree and nothing else."""

from untilgreen.core.model.groups import Proof
from untilgreen.core.model.snapshot import Judgement
from untilgreen.core.record import NamedTuple

RECEIPT_VERSION = 1


class Witness(NamedTuple):
    """A check of the last round."""

    name: str
    #: how it was called, and whence that call is: `mypy -p pkg (tox.ini: mypy)`
    call: str
    #: its tool's, when the receipt was written; "" where the tool does not say
    version: str
    #: "clean", "found", "broken" or "absent"; none is pending at a green
    outcome: str
    #: how many tests ran; 0 where it runs none
    tests: int = 0


class LoopReceipt(NamedTuple):
    """What was judged, by what, and what came of it. Times are ISO 8601 in UTC."""

    schema_version: int
    #: the release that judged
    untilgreen: str
    loop_id: str
    task: str
    #: how the loop ended: COMPLETE, STOPPED, BLOCKED, CANCELLED, FAILED
    final_status: str
    #: green, with nothing against it
    verified: bool
    #: the agent said that it was done, and nothing was judged
    declared: bool
    #: the work tree at the end, as git names it: that of a commit which holds all of it
    tree: str
    #: the work tree at the start
    base: str
    #: what had to hold, by name
    criteria: tuple[str, ...]
    checks: tuple[Witness, ...]
    #: null where no test was changed and none was new
    proof: Proof | None
    #: what stands against the green
    but: tuple[str, ...]
    rounds: int
    started_at: str
    ended_at: str
    #: that the agent worked
    seconds: float
    #: what a judge said of the criteria that no check decides
    judged: tuple[Judgement, ...] = ()

    @property
    def green(self) -> bool:
        """Whether the checks were green at the end."""
        return self.final_status == "COMPLETE" and not self.declared
