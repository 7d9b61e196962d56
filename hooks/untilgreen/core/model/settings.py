"""What a loop is asked to do: its criteria, and the resolved configuration."""

from untilgreen.core.record import NamedTuple


class Criteria(NamedTuple):
    """What must hold before the agent may stop. Counts first, then checks taken as a whole."""

    zero_errors: bool = False
    zero_warnings: bool = False
    zero_security: bool = False
    test_pass: bool = False
    lint_clean: bool = False
    type_check: bool = False
    build_success: bool = False
    custom: bool = False
    preserve: bool = False
    no_tool_errors: bool = False
    #: what the project itself calls green: the linters, type checkers, tests and builds that it chose
    green: bool = False
    #: of these only "lint", "types", "tests", "build"; () for all
    only: tuple[str, ...] = ()
    #: criteria for a judge, in words: those that the start named
    judge: tuple[str, ...] = ()
    stagnation_limit: int = 3


class CheckSetting(NamedTuple):
    """`checks.NAME` of the configuration, or one `--check`."""

    command: tuple[str, ...] = ()
    #: in seconds
    timeout: float = 0.0
    ok: tuple[int, ...] = (0,)
    #: the exit codes that mean: not yet
    pending: tuple[int, ...] = ()
    #: for how long that may be so
    pending_minutes: float = 60.0
    enabled: bool = True
    root: str = "."
    #: of its report, "" where the exit code alone decides
    format: str = ""
    #: for the format "regex"
    pattern: str = ""


class JudgeSetting(NamedTuple):
    """`judge` of the configuration."""

    command: tuple[str, ...] = ()
    #: in seconds
    seconds: float = 120.0
    #: in words, for every loop of the project
    criteria: tuple[str, ...] = ()
    progress: bool = False


class Notify(NamedTuple):
    """`notify` of the configuration: who else is told how a loop ended, or that it is paused."""

    #: words; run without a shell
    command: tuple[str, ...] = ()
    on: tuple[str, ...] = ("complete", "blocked", "stuck", "paused")


class Memory(NamedTuple):
    """`memory` of the configuration: what is kept of a loop for who knows nothing of it."""

    #: the names of its files, in the session's folder
    summary_file: str = "ralph-summary.md"
    feedback_file: str = "ralph-feedback.md"
    state_file: str = "ralph-iteration.json"
    #: of the summary
    max_chars: int = 8_000
    #: words; run without a shell
    compress: tuple[str, ...] = ()


class HookSetting(NamedTuple):
    """One of `hooks` of the configuration: a command that is asked whether the agent may stop."""

    name: str = ""
    #: words; run without a shell
    command: tuple[str, ...] = ()
    #: the lowest is asked first
    priority: int = 10
    #: of the stop's deadline
    share: float = 0.25


class ReviewSetting(NamedTuple):
    """`review` of the configuration: who looks at the diff when everything else allows the stop."""

    #: words; run without a shell
    command: tuple[str, ...] = ()
    #: the host's own program is asked where there is no command
    agent: bool = False
    seconds: float = 120.0
    #: how often it holds a loop
    most: int = 2

    @property
    def wanted(self) -> bool:
        """Whether anybody reviews."""
        return self.agent or bool(self.command)


class ContextSetting(NamedTuple):
    """What `untilgreen run` tells the agent that it starts for a round, beside the task, the summary and the
    feedback."""

    include_last_n_messages: int = 0


class Price(NamedTuple):
    """`prices.MODEL` of the configuration: USD for a million tokens."""

    input: float = 0.0
    output: float = 0.0
    #: None: what is usual for its input
    cache_write: float | None = None
    cache_write_1h: float | None = None
    cache_read: float | None = None


class AutoSetting(NamedTuple):
    """What holds the agent without a loop."""

    auto: str = "new"
    auto_criteria: tuple[str, ...] = ()
    auto_tests: str = "affected"


class BudgetSetting(NamedTuple):
    """What a loop may use beside rounds and minutes."""

    adaptive: bool = False
    iteration_minutes: float = 0.0
    max_tokens: int = 0
    max_cost: float = 0.0
    #: by the model's name, or its beginning
    prices: dict[str, Price] = {}
    usage: bool = False


class MarkerSetting(NamedTuple):
    """What the agent's own word is worth, and how it is known."""

    marker: str = "verify"
    completion_promise: str = ""
    success_regex: str = ""
    blocked_regex: str = ""


class BlameSetting(NamedTuple):
    """How much is done to tell whose failing tests are."""

    blame_tests: int = 20
    blame_seconds: float = 60.0


class Settings(NamedTuple):
    """The resolved configuration; a running loop uses the copy in its state. What is in its groups lies flat in a
    document, under the names that the configuration has."""

    max_iterations: int = 10
    max_minutes: float = 60
    stagnation_limit: int = 3
    attempts: int = 1
    criteria: tuple[str, ...] = ()
    evidence: str = "run"
    count: str = "all"  # type: ignore[assignment]  # the tuple's own method of that name is not needed
    preset: str = ""
    tests: str = "first-failed"
    lang: str = "auto"
    words: str = "plain"
    deadline: float = 540.0
    state_dir: str = ""
    env_remove: tuple[str, ...] = ()
    hold_style: str = "auto"
    on_interrupt: str = "pause"
    strict: bool = False
    tests_may_change: tuple[str, ...] = ()
    severity: dict[str, dict[str, str]] = {}
    checks: dict[str, CheckSetting] = {}
    judge: JudgeSetting = JudgeSetting()
    notify: Notify = Notify()
    memory: Memory = Memory()
    hooks: tuple[HookSetting, ...] = ()
    review: ReviewSetting = ReviewSetting()
    context: ContextSetting = ContextSetting()
    unasked: AutoSetting = AutoSetting()
    budget: BudgetSetting = BudgetSetting()
    markers: MarkerSetting = MarkerSetting()
    blame: BlameSetting = BlameSetting()

    @staticmethod
    def flat() -> frozenset[str]:
        """Its groups, as in `Loop.flat`."""
        return frozenset(("unasked", "budget", "markers", "blame"))
