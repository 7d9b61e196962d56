"""The groups of a loop's fields, and what some of them hold. In `loop_state.json` all of them lie flat, side by side.

A field is sealed by the group it lies in (see `state.seal`): what only a stop or a start may write belongs into a
sealed one. Times are ISO 8601 in UTC.
"""

from untilgreen.core.model.check import Check
from untilgreen.core.model.settings import Criteria
from untilgreen.core.model.snapshot import Before, First, Snapshot, Spending, Suite, Text
from untilgreen.core.record import NamedTuple


class Counts(NamedTuple):
    """What a summary counts: how many ran, and how many of them failed, or what was found."""

    run: int
    failed: int


class AgentRun(NamedTuple):
    """A run of tests, a linter, a type checker or a build by the agent: one entry for each kind of its command."""

    #: "test", "lint", "types" or "build"
    kind: str
    #: in one line, without secrets
    command: str
    #: where it ran; "" where nobody knows
    cwd: str
    #: "whole", "narrowed" to a part, or "unknown"
    scope: str
    #: None: not known
    success: bool | None
    #: of the whole command line, None where the host does not tell
    exit_code: int | None
    counts: Counts | None
    #: why it failed, as it said itself; "" where it did not
    error: str
    tool_name: str
    tool_use_id: str
    #: the sub-agent that ran it, "" for the agent itself
    agent_id: str
    iteration: int
    at: str
    #: files changed after it, as the last stop found
    stale: bool = False
    #: the work tree's fingerprint after it, "" where it was not to be had
    tree: str = ""
    #: as in `commands.SingleRun`
    words: tuple[str, ...] = ()


class ToolError(NamedTuple):
    """A call of a tool that failed: unresolved until the same tool does its work on the same."""

    tool: str
    #: the file, relative to the project where it lies there, the command, or what else the tool was called on
    about: str
    #: in one line, without secrets
    message: str
    at: str
    iteration: int
    #: "shell", "edit" or "other": the success of others nobody tells us
    what: str
    agent_id: str = ""
    #: as in `AgentRun`, of a command that checks something
    kinds: tuple[str, ...] = ()
    resolved: bool = False


class Attempt(NamedTuple):
    """An attempt that got stuck, and was undone down to the best round so far."""

    #: its last round
    until: int
    #: why it ended, as a loop that is stuck says it
    why: str
    #: the round whose work tree was put back, and how much was left then
    best: int
    left: int
    #: what it had changed beside that, `shop.py +10 -3` each
    changed: tuple[str, ...] = ()


class Proof(NamedTuple):
    """The tests of the start, run as they were on today's code; and those that are new or edited, on the code of the
    start. Tests by the name that their runner gives them."""

    #: how many that fail on the code of the start pass now
    fixed: int = 0
    #: how many of the start pass as they were
    kept: int = 0
    #: those of the start that fail as they were
    failing: tuple[str, ...] = ()
    #: those that were not edited, and fail with the fixtures, helpers and data of the start
    propped: tuple[str, ...] = ()
    #: those of the start that pass as they were, but are skipped now
    skipped: tuple[str, ...] = ()
    #: those of the start that pass as they were, but did not run now, and no other ran in their place
    gone: tuple[str, ...] = ()
    #: new ones that pass on the code of the start, too
    idle: tuple[str, ...] = ()
    #: why nothing can be said of the tests of the start; "" where it can
    unproven: str = ""


class AskedFor(NamedTuple):
    """What the loop asks for."""

    target_files: tuple[str, ...]
    completion_criteria: Criteria
    promise_only: bool = False


class Rounds(NamedTuple):
    """The rounds, and how near they came."""

    iteration: int
    no_progress_count: int = 0
    lateral_count: int = 0
    #: rounds in a row that a judge gave it because it saw progress where the numbers show none
    given_rounds: int = 0
    #: the best scores so far
    best: dict[str, int | None] = {}
    #: fingerprints of the failing items of counted stops
    seen: tuple[str, ...] = ()
    #: attempts that were stuck, and undone
    attempts: tuple[Attempt, ...] = ()
    #: the rounds and minutes that each attempt has; none before the second
    attempt_limits: tuple[float, ...] = ()


class Checks(NamedTuple):
    """What is run at a stop."""

    plan: tuple[Check, ...] = ()
    #: tool to the environment folder that it named (poetry and its like are slow to ask)
    asked: dict[str, str] = {}
    #: the program of the judge, "" where it was not there when the loop began
    judge: str = ""


class Observed(NamedTuple):
    """What the agent did, as hooks saw it."""

    evidence: tuple[AgentRun, ...] = ()
    #: calls of the agent's tools that failed
    tool_errors: tuple[ToolError, ...] = ()


class Start(NamedTuple):
    """What was there when the loop began."""

    initial: Snapshot | None = None
    #: the project's text
    text: Text | None = None
    #: check to what it said; no entry where it did not come to an end then
    before: dict[str, Before] = {}
    #: check to its program
    tools: dict[str, str] = {}
    #: check to its first result
    first: dict[str, First] = {}
    #: check to its result on the work tree of the start, where what passed there must still pass
    base: dict[str, First] = {}
    #: the work tree as a commit in our own store of git objects; "" where it was not kept
    start_ref: str = ""
    #: whose failing tests are, by check and name: "yours", "old", "flaky", "order" or "unknown"
    blame: dict[str, str] = {}
    #: the loop that it took the place of, as it is told
    replaced: str = ""
    #: that stands against its green: nobody typed it, and the agent began it or it asks for less
    replaced_counts: bool = False


class Clock(NamedTuple):
    """How long it worked."""

    elapsed_seconds: float = 0.0
    #: seconds since the epoch; 0: the clock stands still
    round_started: float = 0.0
    last_iteration_at: str | None = None


class Spent(NamedTuple):
    """What it used of its budgets."""

    #: of the seconds that it worked, those of the round that goes on
    round_seconds: float = 0.0
    #: rounds that it was given beyond what was asked for, as each was the best so far; `settings` have them, too
    extended: int = 0
    #: None where nobody looked
    spending: Spending | None = None
    #: the sessions that had it before
    sessions: tuple[str, ...] = ()


class Rest(NamedTuple):
    """What it waits for, why it rests, and what its user was told of it."""

    #: why it holds nobody until its user says "go on"; "" where it holds
    paused: str = ""
    #: why it rests until its session goes on, by itself; "" where it does not
    parked: str = ""
    #: when the model can be asked again, where the host's error names that
    parked_until: str = ""
    #: the prompt for which the user was last told that the loop is still running
    told: str = ""
    #: background task to how often a stop waited for it
    waited: dict[str, int] = {}
    #: check to when it was first pending, in seconds since the epoch; no entry once it has ended
    pending: dict[str, float] = {}


class Turns(NamedTuple):
    """Its user's prompts, and which of them were given their turn."""

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
    #: how many stops of the turn that goes on were held
    turn_holds: int = 0


class History(NamedTuple):
    """What the rounds brought, and where their trees are."""

    snapshots: tuple[Snapshot, ...] = ()
    #: the newest snapshot, refreshed by edits
    current: Snapshot | None = None
    last_output: str = ""
    #: check of tests to its last whole run
    suites: dict[str, Suite] = {}
    #: the stages whose score was known once
    known: tuple[str, ...] = ()
    #: what running tests on another tree showed at the last green, None where that was not done
    proof: Proof | None = None
    #: the work tree's fingerprint at the last counted stop
    tree: str = ""
    tree_at_start: str = ""
    #: the store of git objects in which the work trees are kept
    snapshot_path: str = ""

    @property
    def newest(self) -> Snapshot | None:
        """That of the last counted stop."""
        return self.snapshots[-1] if self.snapshots else None


class End(NamedTuple):
    """How it ended; empty while it runs."""

    completion_reason: str | None = None
    final_status: str | None = None
    stop_reason: str | None = None
    verified: bool | None = None
    #: it ended because the agent said so, unchecked
    declared: bool = False
    ended_at: str | None = None
    #: the completion hook that ended it, "" where none did
    ended_by: str = ""
