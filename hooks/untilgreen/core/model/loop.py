"""What a loop and a session remember, and the three verdicts on a stop."""

from typing import Any, Literal, NamedTuple

from untilgreen.core.model.check import Check
from untilgreen.core.model.settings import Criteria, Settings
from untilgreen.core.model.snapshot import First, Snapshot, Text

SCHEMA_VERSION = 2


class Loop(NamedTuple):
    """`loop_state.json`, field by field and in this order. Times are ISO 8601 in UTC, but for
    `round_started`, which is in seconds since the epoch (0: the clock stands still).

    `prompts_at_start` and `own_prompt` count the user's prompts of the session (see
    `Session`); `own_prompt` -1 means that the loop's own prompt is not known yet. `answered`: prompts
    up to this number were given their turn, when the work tree was `answered_tree`. `prompts_seen`: how
    many there were at the last counted stop. `turn_id`: the prompt id of the turn that was held there.
    `asked`: tool to the environment folder that it named (poetry and its like are slow to ask). `told`: the
    prompt for which the user was last told that the loop is still running.

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
    no_progress_count: int = 0
    lateral_count: int = 0
    last_output: str = ""
    current: Snapshot | None = None
    evidence: tuple[dict[str, Any], ...] = ()
    project: str = ""
    promise_only: bool = False
    round_started: float = 0.0
    prompts_at_start: int = 0
    own_prompt: int = -1
    prompts_seen: int = 0
    turn_id: str = ""
    answered: int = 0
    answered_tree: str = ""
    told: str = ""
    waited: dict[str, int] = {}
    initial: Snapshot | None = None
    text: Text | None = None
    first: dict[str, First] = {}
    plan: tuple[Check, ...] = ()
    best: dict[str, int | None] = {}
    known: tuple[str, ...] = ()
    seen: tuple[str, ...] = ()
    tree_at_start: str = ""
    tree: str = ""
    asked: dict[str, str] = {}
    settings: Settings = Settings()

    @property
    def begun(self) -> bool:
        """Whether anybody began it: it runs, waits, is parked or over."""
        return self.active or self.stop_reason is not None


class Session(NamedTuple):
    """`session.json`: what is known of a session beside its loop; only session-loop writes it.

    `prompts`: how many prompts its user sent while a loop ran or waited (a host's own notifications
    are none). `turn`: the number of the prompt that began the newest turn (a prompt typed while a
    turn runs does not begin one); `turn_id`: that prompt's id, "" where the host sends none;
    `turn_started`: seconds since the epoch; `tree`: the work tree's fingerprint then. `notified`: the
    prompt id of the host's newest notification. `newest`: fingerprint of the newest prompt and its id,
    `newest_at`: when it came, in seconds since the epoch.
    `client`: the host's process id, "" when unknown. `project`: its root; several may share a state folder.
    """

    prompts: int = 0
    turn: int = 0
    turn_id: str = ""
    turn_started: float = 0.0
    tree: str = ""
    notified: str = ""
    newest: str = ""
    newest_at: float = 0.0
    client: str = ""
    started_at: str = ""
    ended_at: str = ""
    project: str = ""


class Allow(NamedTuple):
    """Nothing to do with us, or not now. `notice` is one line for the user, or "". `step`: see `Verdict`."""

    reason: str
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


# `step`: which of the twelve steps of the verdict decided, counted from 1; 0 where nobody asks
Verdict = Allow | Continue | Release
