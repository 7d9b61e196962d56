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

    kind: str  #: "test", "lint", "types" or "build"
    command: str  #: in one line, without secrets
    cwd: str  #: where it ran; "" where nobody knows
    scope: str  #: "whole", "narrowed" to a part, or "unknown"
    success: bool | None  #: None: not known
    exit_code: int | None  #: of the whole command line, None where the host does not tell
    counts: Counts | None
    error: str  #: why it failed, as it said itself; "" where it did not
    tool_name: str
    tool_use_id: str
    agent_id: str  #: the sub-agent that ran it, "" for the agent itself
    iteration: int
    at: str
    stale: bool = False  #: files changed after it, as the last stop found
    tree: str = ""  #: the work tree's fingerprint after it, "" where it was not to be had
    words: tuple[str, ...] = ()  #: as in `commands.SingleRun`


class ToolError(NamedTuple):
    """A call of a tool that failed: unresolved until the same tool does its work on the same."""

    tool: str
    about: str  #: the file (relative to the project where it lies there), the command, or what else it was called on
    message: str  #: in one line, without secrets
    at: str
    iteration: int
    what: str  #: "shell", "edit" or "other": the success of others nobody tells us
    agent_id: str = ""
    kinds: tuple[str, ...] = ()  #: as in `AgentRun`, of a command that checks something
    resolved: bool = False


class Attempt(NamedTuple):
    """An attempt that got stuck, and was undone down to the best round so far."""

    until: int  #: its last round
    why: str  #: why it ended, as a loop that is stuck says it
    best: int  #: the round whose work tree was put back, and how much was left then
    left: int
    changed: tuple[str, ...] = ()  #: what it had changed beside that, `shop.py +10 -3` each


class Proof(NamedTuple):
    """The start's tests, as they were, on today's code; new and edited ones on the start's. By their runner's names."""

    fixed: int = 0  #: how many that fail on the code of the start pass now
    kept: int = 0  #: how many of the start pass as they were
    failing: tuple[str, ...] = ()  #: those of the start that fail as they were
    propped: tuple[str, ...] = ()  #: those that nobody edited, and fail with the fixtures, helpers, data of the start
    skipped: tuple[str, ...] = ()  #: those of the start that pass as they were, but are skipped now
    gone: tuple[
        str, ...
    ] = ()  #: those of the start that pass as they were, but did not run now, nor any in their place
    idle: tuple[str, ...] = ()  #: new ones that pass on the code of the start, too
    blind: tuple[str, ...] = ()  #: those that pass with another expectation, too
    outside: tuple[str, ...] = ()  #: those that fail where nothing looks like tests
    shifted: tuple[str, ...] = ()  #: those with an answer that is right for their very numbers alone
    by_heart: tuple[str, ...] = ()  #: those of which what is given and expected stands in what is new in the product
    naming: tuple[str, ...] = ()  #: files of the product that name tests
    unproven: str = ""  #: why nothing can be said of the tests of the start; "" where it can


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
    given_rounds: int = 0  #: rounds in a row that a judge gave it because it saw progress where the numbers show none
    best: dict[str, int | None] = {}  #: the best scores so far
    seen: tuple[str, ...] = ()  #: fingerprints of the failing items of counted stops
    attempts: tuple[Attempt, ...] = ()  #: attempts that were stuck, and undone
    attempt_limits: tuple[float, ...] = ()  #: the rounds and minutes that each attempt has; none before the second


class Checks(NamedTuple):
    """What is run at a stop."""

    plan: tuple[Check, ...] = ()
    asked: dict[str, str] = {}  #: tool to the environment folder that it named (poetry and its like are slow to ask)
    judge: str = ""  #: the program of the judge, "" where it was not there when the loop began

    @property
    def counting(self) -> list[Check]:
        """Those that are there, and not only told."""
        return [check for check in self.plan if not (check.absent or check.told)]


class Observed(NamedTuple):
    """What the agent did, as hooks saw it."""

    evidence: tuple[AgentRun, ...] = ()
    tool_errors: tuple[ToolError, ...] = ()  #: calls of the agent's tools that failed


class Against(NamedTuple):
    """What stands against a green. Catalogues tell it as `against_KIND`."""

    kind: str
    detail: str = ""
    number: int = 1
    check: str = ""
    place: str = ""  #: the file that shows it


Buts = tuple[Against, ...]


class Start(NamedTuple):
    """What was there when the loop began."""

    initial: Snapshot | None = None
    text: Text | None = None  #: the project's text
    before: dict[str, Before] = {}  #: check to what it said; no entry where it did not come to an end then
    tools: dict[str, str] = {}  #: check to its program
    first: dict[str, First] = {}  #: check to its first result
    base: dict[str, First] = {}  #: check to its result on the start's work tree, where what passed must still pass
    start_ref: str = ""  #: the work tree as a commit in our own store of git objects; "" where it was not kept
    blame: dict[
        str, str
    ] = {}  #: whose failing tests are, by check and name: "yours", "old", "flaky", "order", "unknown", "later"
    replaced: str = ""  #: the loop that it took the place of, as it is told
    replaced_counts: bool = False  #: it stands against its green: nobody typed it at the host's prompt
    unserved: Buts = ()  #: what people test with there and no check runs


class Clock(NamedTuple):
    """How long it worked."""

    elapsed_seconds: float = 0.0
    round_started: float = 0.0  #: seconds since the epoch; 0: the clock stands still
    last_iteration_at: str | None = None
    judged_by: str = ""  #: the registration that had this stop judged, as its launcher's path


class Spent(NamedTuple):
    """What it used of its budgets."""

    round_seconds: float = 0.0  #: of the seconds that it worked, those of the round that goes on
    extended: int = 0  #: rounds beyond what was asked for, as each was the best so far; `settings` have them, too
    spending: Spending | None = None  #: None where nobody looked
    sessions: tuple[str, ...] = ()  #: the sessions that had it before


class Rest(NamedTuple):
    """What it waits for, why it rests, and what its user was told of it."""

    paused: str = ""  #: why it holds nobody until its user says "go on"; "" where it holds
    parked: str = ""  #: why it rests until its session goes on, by itself; "" where it does not
    parked_until: str = ""  #: when the model can be asked again, where the host's error names that
    told: str = ""  #: the prompt for which the user was last told that the loop is still running
    waited: dict[str, int] = {}  #: background task to how often a stop waited for it
    pending: dict[
        str, float
    ] = {}  #: check to when it was first pending, in seconds since the epoch, until it has ended


class Turns(NamedTuple):
    """Its user's prompts, and which of them were given their turn."""

    prompts_at_start: int = 0  #: how many prompts the user had sent in the session (see `Session`) when the loop began
    own_prompt: int = -1  #: the number of the prompt that began the loop; -1: not known yet
    prompts_seen: int = 0  #: how many prompts there were at the last counted stop
    turn_id: str = ""  #: the prompt id of the turn that was held at the last counted stop
    answered: int = 0  #: prompts up to this number were given their turn
    answered_tree: str = ""  #: the work tree's fingerprint when they were
    turn_holds: int = 0  #: how many stops of the turn that goes on were held


class History(NamedTuple):
    """What the rounds brought, and where their trees are."""

    snapshots: tuple[Snapshot, ...] = ()
    current: Snapshot | None = None  #: the newest snapshot, refreshed by edits
    last_output: str = ""
    suites: dict[str, Suite] = {}  #: check of tests to its last whole run
    known: tuple[str, ...] = ()  #: the stages whose score was known once
    proof: Proof | None = None  #: what tests on another tree showed at the last green, None where none ran
    tree: str = ""  #: the work tree's fingerprint at the last counted stop
    tree_at_start: str = ""
    snapshot_path: str = ""  #: the store of git objects in which the work trees are kept

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
    but: Buts = ()  #: what stood against the green that the reason tells
    declared: bool = False  #: it ended because the agent said so, unchecked
    ended_at: str | None = None
    ended_by: str = ""  #: the completion hook that ended it, "" where none did


Group = AskedFor | Rounds | Checks | Start | Clock | Spent | Turns | Rest | Observed | History | End
