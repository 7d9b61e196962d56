"""The nouns: what a host says, what a check found, what is answered.

NamedTuples, not dataclasses: immutable, equal by value, and cheap to import in a
process that lives for one hook call.
"""

from typing import Any, NamedTuple

# --- what a host tells us ---------------------------------------------------


class Task(NamedTuple):
    """Something that runs in the background while the agent wants to stop.

    `kind` is "agent" (a sub-agent), "shell" or "wakeup" (a one-shot timer);
    `command` is the shell's command line, "" for the others.
    """

    id: str
    kind: str
    command: str = ""


class Event(NamedTuple):
    """One hook call of one host, in our words.

    `name`: "stop", "prompt", "session-start", "session-end" or "other".
    `session`: the host's id as sent; "" when there is none (somebody runs the hook by hand).
    `message`: the agent's last message; None when the host did not send the key at all.
    `source`: why a session starts ("startup", "resume", "clear", "compact", "fork") or ends.
    `turn_goes_on`: the host says that a stop hook already made this turn go on.
    """

    name: str
    host: str
    session: str = ""
    cwd: str = ""
    prompt_id: str = ""
    prompt: str = ""
    message: str | None = None
    messages: tuple[str, ...] | None = None
    transcript: str = ""
    agent_id: str = ""
    permission_mode: str = ""
    source: str = ""
    client: str = ""
    tasks: tuple[Task, ...] = ()
    turn_goes_on: bool = False


# --- what a check ends as -----------------------------------------------------


class Diagnostic(NamedTuple):
    """One finding.

    `file` is a posix path relative to the project root ("" when it has none), `line` is
    1-based (0: unknown), `severity` is "error", "warning", "info", "security" or "test"
    (a failing test, whose `rule` is its id within the file). `source` is the text of the line,
    part of the identity. `hides`: others may be hidden behind this one (a syntax error).
    """

    check: str
    file: str
    line: int
    rule: str
    severity: str
    message: str
    source: str = ""
    hides: bool = False


class Tests(NamedTuple):
    """How many tests ran (skipped ones did not) and how many of them failed."""

    run: int
    failed: int


class Clean(NamedTuple):
    """The check ran to its end and has nothing to say."""

    tests: Tests | None = None


class Found(NamedTuple):
    """The check ran and found this; never empty."""

    diagnostics: tuple[Diagnostic, ...]
    tests: Tests | None = None


class Broken(NamedTuple):
    """The check did not do its work: never green. `tail` is the end of what it printed."""

    reason: str
    tail: str = ""


class Absent(NamedTuple):
    """The check does not apply, or its tool is not there."""

    reason: str


Outcome = Clean | Found | Broken | Absent


class Output(NamedTuple):
    """What a process left behind. `code` is None when it never ended by itself (`why` says it)."""

    code: int | None
    stdout: str
    stderr: str
    report: str = ""
    why: str = ""
    seconds: float = 0.0


class Setting(NamedTuple):
    """What a checker may use to build its command line and to read the answer.

    `tool` and `root` are absolute paths. `interpreter`: the project's own Python for a type
    checker that lives outside of it, "" when the tool lives inside or none is known;
    `resolves`: imports can be resolved (tool inside, or interpreter known). `report`: a path that
    the tool may write a report to. `files_configured`: the tool's own configuration names its files.
    """

    tool: str
    root: str
    security: bool = False
    interpreter: str = ""
    resolves: bool = True
    report: str = ""
    files_configured: bool = False
    isolated: bool = False


class Check(NamedTuple):
    """One check of one root. `name` is "ruff", or "ruff@backend" below the project root;
    `root` is a posix path relative to the project root, "." for the root itself."""

    name: str
    checker: str
    root: str
    stage: str
    tool: str
    interpreter: str = ""
    absent: str = ""
    added: bool = False


# --- what a loop remembers ------------------------------------------------------


class Criteria(NamedTuple):
    """What must hold before the agent may stop. Counts first, then checks taken as a whole."""

    zero_errors: bool = True
    zero_warnings: bool = False
    zero_security: bool = False
    tests_pass: bool = False
    lint_clean: bool = False
    type_check: bool = False
    build_success: bool = False
    custom: bool = False
    preserve: bool = False
    stagnation_limit: int = 3


class FileDetail(NamedTuple):
    """Counts of one file, relative posix path."""

    path: str
    error_count: int = 0
    warning_count: int = 0
    info_count: int = 0
    security_issues: int = 0
    tests_failed: int = 0


class Item(NamedTuple):
    """One thing that must go before the loop is green: its identity, and how it reads.

    `kind`: "error", "warning", "info", "security", "test", "check" (a broken or failing check).
    """

    id: str
    kind: str
    stage: str
    check: str
    text: str


class Snapshot(NamedTuple):
    """The state of the checks at one counted stop.

    `scores`: stage to the number of failing items, None where the stage is unknown.
    `outcomes`: check to "clean", "found", "broken" or "absent". `failing_by_check`: check to the number
    of its failing items; `failing`: fingerprint of the set of them. `items` is kept for the newest snapshots
    only; counts stay.
    """

    iteration: int
    timestamp: str
    error_count: int = 0
    warning_count: int = 0
    info_count: int = 0
    security_issues: int = 0
    tests_passed: bool = False
    tests_run: int = 0
    tests_failed: int = 0
    file_details: tuple[FileDetail, ...] = ()
    scores: dict[str, int | None] = {}
    outcomes: dict[str, str] = {}
    failing_by_check: dict[str, int] = {}
    failing: str = ""
    items: tuple[Item, ...] = ()


class Text(NamedTuple):
    """What is counted by reading the project: suppressions by kind, test definitions, and the
    fingerprints of the checkers' configuration by name ("mypy.ini", "pyproject.toml [tool.ruff]").
    `complete` is False when time ran out: then nothing may be concluded from it."""

    suppressions: dict[str, int] = {}
    tests: int = 0
    config: dict[str, str] = {}
    complete: bool = False


class First(NamedTuple):
    """A check's first result in this loop."""

    outcome: str
    items: tuple[str, ...] = ()
    tests_run: int = 0


class CheckSetting(NamedTuple):
    """`checks.NAME` of the configuration, or one `--check`. Times in seconds."""

    command: tuple[str, ...] = ()
    timeout: float = 0.0
    ok: tuple[int, ...] = (0,)
    enabled: bool = True
    root: str = "."


class Settings(NamedTuple):
    """The resolved configuration; a running loop uses the copy in its state."""

    auto: str = "new"
    max_iterations: int = 10
    max_minutes: float = 60
    stagnation_limit: int = 3
    marker: str = "trust"
    completion_promise: str = ""
    success_regex: str = ""
    blocked_regex: str = ""
    criteria: tuple[str, ...] = ()
    preset: str = ""
    lang: str = "en"
    deadline: float = 540.0
    state_dir: str = ""
    env_remove: tuple[str, ...] = ()
    hold_style: str = "exit"
    strict: bool = False
    severity: dict[str, dict[str, str]] = {}
    checks: dict[str, CheckSetting] = {}


SCHEMA_VERSION = 1


class Loop(NamedTuple):
    """`loop_state.json`, field by field and in this order. Times are ISO 8601 in UTC, but for
    `round_started`, which is in seconds since the epoch (0: the clock stands still).

    `prompts_at_start` and `own_prompt` count the user's prompts of the session (see
    `Session`); `own_prompt` -1 means that the loop's own prompt is not known yet. `answered`: prompts
    up to this number were given their turn. `prompts_seen`: how many there were at the last counted
    stop. `asked`: tool to the environment folder that it named (poetry and its like are slow to ask).
    `told`: the prompt for which the user was last told that the loop is still running.
    """

    schema_version: int
    loop_id: str
    active: bool
    session_id: str
    started_at: str
    updated_at: str
    iteration: int
    max_iterations: int
    task_description: str
    target_files: tuple[str, ...]
    completion_criteria: Criteria
    snapshots: tuple[Snapshot, ...] = ()
    completion_reason: str | None = None
    final_status: str | None = None
    mode: str = "loop"
    status: str = "running"
    stop_reason: str | None = None
    verified: bool | None = None
    description: str = ""
    completion_promise: str = ""
    marker: str = "trust"
    last_iteration_at: str | None = None
    ended_at: str | None = None
    elapsed_seconds: float = 0.0
    no_progress_count: int = 0
    lateral_count: int = 0
    last_output: str = ""
    current: Snapshot | None = None
    evidence: tuple[dict[str, Any], ...] = ()
    project: str = ""
    strict: bool = False
    max_minutes: float = 60
    promise_only: bool = False
    round_started: float = 0.0
    prompts_at_start: int = 0
    own_prompt: int = -1
    prompts_seen: int = 0
    answered: int = 0
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


class Session(NamedTuple):
    """`session.json`: what is known of a session beside its loop; only session-loop writes it.

    `prompts`: how many prompts its user sent while a loop ran or waited (a host's own notifications
    are none). `turn`: the number of the prompt that began the newest turn (a prompt typed while a
    turn runs does not begin one); `turn_id`: that prompt's id, "" where the host sends none;
    `turn_started`: seconds since the epoch; `tree`: the work tree's fingerprint then.
    `client`: the host's process id, "" when unknown.
    """

    prompts: int = 0
    turn: int = 0
    turn_id: str = ""
    turn_started: float = 0.0
    tree: str = ""
    client: str = ""
    started_at: str = ""
    ended_at: str = ""


# --- what is answered -------------------------------------------------------------


class Allow(NamedTuple):
    """Nothing to do with us, or not now. `notice` is one line for the user, or ""."""

    reason: str
    notice: str = ""


class Continue(NamedTuple):
    """Not green yet: the loop goes into its next round."""

    loop: Loop


class Release(NamedTuple):
    """Let go, and say why: the loop is over."""

    loop: Loop


Verdict = Allow | Continue | Release


class Reply(NamedTuple):
    """What the process says to the host: two streams and an exit code."""

    code: int = 0
    stdout: str = ""
    stderr: str = ""
