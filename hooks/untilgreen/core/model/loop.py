"""What is known of a session in its project: its newest loop, and what it wrote; and the three verdicts on a stop."""

from typing import Literal

from untilgreen.core.model.attempt import Attempt
from untilgreen.core.model.check import Check
from untilgreen.core.model.evidence import AgentRun, ToolError
from untilgreen.core.model.proof import Proof
from untilgreen.core.model.settings import Criteria, Settings
from untilgreen.core.model.snapshot import Before, First, Snapshot, Spending, Suite, Text
from untilgreen.core.record import NamedTuple

SCHEMA_VERSION = 2
SAID = 2_000  # characters that are kept of what was said


class Loop(NamedTuple):
    """`loop_state.json`, field by field and in this order. Times are ISO 8601 in UTC.

    What a person asked for (rounds, minutes, marker, promise) is in `settings`; the file repeats `max_iterations`,
    `completion_promise` and `marker` under the names that its readers know. Where nobody began a loop, edit hooks
    keep `current` in a document that is not active and never ended.
    """

    schema_version: int
    loop_id: str
    active: bool
    session_id: str
    started_at: str
    updated_at: str
    iteration: int
    task_description: str
    target_files: tuple[str, ...]
    completion_criteria: Criteria
    snapshots: tuple[Snapshot, ...] = ()
    completion_reason: str | None = None
    final_status: str | None = None
    status: str = "running"
    stop_reason: str | None = None
    verified: bool | None = None
    description: str = ""
    last_iteration_at: str | None = None
    ended_at: str | None = None
    elapsed_seconds: float = 0.0
    #: of these, those of the round that goes on
    round_seconds: float = 0.0
    no_progress_count: int = 0
    lateral_count: int = 0
    #: what it used, None where nobody looked
    spending: Spending | None = None
    #: the sessions that had it before
    sessions: tuple[str, ...] = ()
    #: rounds that it was given beyond what was asked for, as each was the best so far; `settings` have them, too
    extended: int = 0
    #: rounds in a row that a judge gave it because it saw progress where the numbers show none
    given_rounds: int = 0
    last_output: str = ""
    current: Snapshot | None = None
    evidence: tuple[AgentRun, ...] = ()
    project: str = ""
    promise_only: bool = False
    #: it ended because the agent said so, unchecked
    declared: bool = False
    #: seconds since the epoch; 0: the clock stands still
    round_started: float = 0.0
    #: how many prompts the user had sent in the session (see `Session`) when the loop began
    prompts_at_start: int = 0
    #: the number of the prompt that began the loop; -1: not known yet
    own_prompt: int = -1
    #: how many prompts there were at the last counted stop
    prompts_seen: int = 0
    #: the prompt id of the turn that was held at the last counted stop
    turn_id: str = ""
    #: prompts up to this number were given their turn
    answered: int = 0
    #: the work tree's fingerprint when they were
    answered_tree: str = ""
    #: the prompt for which the user was last told that the loop is still running
    told: str = ""
    #: background task to how often a stop waited for it
    waited: dict[str, int] = {}
    #: check to when it was first pending, in seconds since the epoch; no entry once it has ended
    pending: dict[str, float] = {}
    initial: Snapshot | None = None
    #: the project's text when the loop began
    text: Text | None = None
    #: check to what it said when the loop began; no entry where it did not come to an end then
    before: dict[str, Before] = {}
    #: check to its program when the loop began
    tools: dict[str, str] = {}
    #: the program of the judge, "" where it was not there when the loop began
    judge: str = ""
    #: check to its first result
    first: dict[str, First] = {}
    #: check to its result on the work tree of the start, where what passed there must still pass
    base: dict[str, First] = {}
    #: check of tests to its last whole run
    suites: dict[str, Suite] = {}
    plan: tuple[Check, ...] = ()
    #: the best scores so far
    best: dict[str, int | None] = {}
    #: the stages whose score was known once
    known: tuple[str, ...] = ()
    #: fingerprints of the failing items of counted stops
    seen: tuple[str, ...] = ()
    tree_at_start: str = ""
    #: the work tree when the loop began, as a commit in our own store of git objects; "" where it was not kept
    start_ref: str = ""
    #: that store
    snapshot_path: str = ""
    #: what running tests on another tree showed at the last green, None where that was not done
    proof: Proof | None = None
    #: whose failing tests are, by check and name: "yours", "old", "flaky", "order" or "unknown"
    blame: dict[str, str] = {}
    #: the work tree's fingerprint at the last counted stop
    tree: str = ""
    #: tool to the environment folder that it named (poetry and its like are slow to ask)
    asked: dict[str, str] = {}
    settings: Settings = Settings()
    #: attempts that were stuck, and undone
    attempts: tuple[Attempt, ...] = ()
    #: the rounds and minutes that each attempt has; none before the second
    attempt_limits: tuple[float, ...] = ()
    #: the host that it is with, by its adapter's name; "" where no host has heard of it yet. One that waits goes to no
    #: other
    host: str = ""
    #: how many stops of the turn that goes on were held
    turn_holds: int = 0
    #: who began it: "user" (typed at the host's prompt), "agent" (in its own shell), "shell", "" where nobody knows
    begun_by: str = ""
    #: why it holds nobody until its user says "go on"; "" where it holds
    paused: str = ""
    #: why it rests until its session goes on, by itself; "" where it does not
    parked: str = ""
    #: when the model can be asked again, where the host's error names that
    parked_until: str = ""
    #: the loop that it took the place of, as it is told
    replaced: str = ""
    #: that stands against its green: nobody typed it, and the agent began it or it asks for less
    replaced_counts: bool = False
    #: the context preset by which the agent is told how such work is done, "" for none
    context: str = ""
    #: how often findings of a review held it
    reviews: int = 0
    #: the completion hook that ended it, "" where none did
    ended_by: str = ""
    #: calls of the agent's tools that failed
    tool_errors: tuple[ToolError, ...] = ()

    @property
    def begun(self) -> bool:
        """Whether a person or the agent began it: it runs, waits, is parked or over."""
        return self.active or self.stop_reason is not None

    @property
    def for_a_judge(self) -> tuple[str, ...]:
        """The criteria that no exit code decides: those that the start named, then those of the project's loops."""
        named = (*self.completion_criteria.judge, *self.settings.judge.criteria)
        return () if self.promise_only else tuple(dict.fromkeys(named))

    @property
    def rests(self) -> bool:
        """Whether its clock stands still: its user paused it, or it is parked."""
        return bool(self.paused or self.parked)

    def worked(self, seconds: float) -> "Loop":
        """The loop with this much more work in its round."""
        return self._replace(
            elapsed_seconds=round(self.elapsed_seconds + seconds, 3),
            round_seconds=round(self.round_seconds + seconds, 3),
        )

    def parking(self, later: "Loop") -> "Loop":
        """A later state of this parked loop, parked as it is."""
        return later._replace(status=self.status, parked=self.parked, parked_until=self.parked_until, round_started=0.0)


class Edits(NamedTuple):
    """`edits.json`: what is the session's and no loop's. Paths are relative to the project root, with slashes."""

    schema_version: int
    session_id: str
    #: the project's root: several may share a state folder
    project: str
    #: the files that the session wrote
    written: tuple[str, ...] = ()
    #: those of them that it wrote since it was last let go
    unjudged: tuple[str, ...] = ()
    #: the identities of findings that never hold this session again
    let_go: tuple[str, ...] = ()
    #: the checks whose tests were looked at, and how many failed when the session was let go, or at the first look
    tested: dict[str, int] = {}
    #: a cancel or a handover switched off stops without a loop
    off: bool = False
    #: the rounds of the prompt that was judged last without a loop, counted as a loop's are; active while it is held
    turn: Loop | None = None

    @property
    def held(self) -> Loop | None:
        """The rounds of the prompt whose stop is held."""
        return self.turn if self.turn is not None and self.turn.active else None


class Known(NamedTuple):
    """What is known of a session in its project: its newest loop, and its edits; None where nothing is."""

    loop: Loop | None = None
    edits: Edits | None = None

    @property
    def running(self) -> Loop | None:
        """The loop, if it runs."""
        return self.loop if self.loop is not None and self.loop.active else None

    @property
    def held(self) -> Loop | None:
        """The loop, if it runs, or the rounds in which a stop is held without one."""
        return self.running or (self.edits.held if self.edits else None)


class Allow(NamedTuple):
    """Nothing to do with us, or not now."""

    reason: str
    #: one line for the user, or ""
    notice: str = ""
    step: int = 0

    @property
    def kind(self) -> Literal["allow"]:
        """Its word for hosts and in files."""
        return "allow"


class Continue(NamedTuple):
    """Not green yet: the loop goes into its next round."""

    loop: Loop
    step: int = 12

    @property
    def kind(self) -> Literal["continue"]:
        """Its word for hosts and in files."""
        return "continue"


class Release(NamedTuple):
    """Let go, and say why: the loop is over."""

    loop: Loop
    step: int = 0

    @property
    def kind(self) -> Literal["release"]:
        """Its word for hosts and in files."""
        return "release"


class Limit(NamedTuple):
    """A limit that is reached: what the loop ends as, why, and which step of the verdict that is."""

    stop_reason: str
    reason: str
    step: int = 10
    #: the catalogue's words for it, and what stands in them
    words: str = ""
    values: dict[str, str] = {}


# `step`: which of the twelve steps of the verdict decided, counted from 1; 0 where the step is not asked for
Verdict = Allow | Continue | Release
