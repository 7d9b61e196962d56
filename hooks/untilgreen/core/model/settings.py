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
    green: bool = False  #: what the project calls green: the linters, type checkers, tests and builds that it chose
    only: tuple[str, ...] = ()  #: of these only "lint", "types", "tests", "build"; () for all
    judge: tuple[str, ...] = ()  #: criteria for a judge, in words: those that the start named
    stagnation_limit: int = 3


class CheckSetting(NamedTuple):
    """`checks.NAME` of the configuration, or one `--check`."""

    command: tuple[str, ...] = ()
    timeout: float = 0.0  #: in seconds
    ok: tuple[int, ...] = (0,)
    pending: tuple[int, ...] = ()  #: the exit codes that mean: not yet
    pending_minutes: float = 60.0  #: for how long that may be so
    enabled: bool = True
    root: str = "."
    format: str = ""  #: of its report, "" where the exit code alone decides
    pattern: str = ""  #: for the format "regex"


class JudgeSetting(NamedTuple):
    """`judge` of the configuration."""

    command: tuple[str, ...] = ()
    seconds: float = 120.0  #: in seconds
    criteria: tuple[str, ...] = ()  #: in words, for every loop of the project
    progress: bool = False


class Notify(NamedTuple):
    """`notify` of the configuration: who else is told how a loop ended, or that it is paused."""

    command: tuple[str, ...] = ()  #: words; run without a shell
    on: tuple[str, ...] = ("complete", "blocked", "stuck", "paused")


class Memory(NamedTuple):
    """`memory` of the configuration: what is kept of a loop for who knows nothing of it."""

    summary_file: str = "ralph-summary.md"  #: the names of its files, in the session's folder
    feedback_file: str = "ralph-feedback.md"
    state_file: str = "ralph-iteration.json"
    max_chars: int = 8_000  #: of the summary
    compress: tuple[str, ...] = ()  #: words; run without a shell


class HookSetting(NamedTuple):
    """One of `hooks` of the configuration: a command that is asked whether the agent may stop."""

    name: str = ""
    command: tuple[str, ...] = ()  #: words; run without a shell
    priority: int = 10  #: the lowest is asked first
    share: float = 0.25  #: of the stop's deadline


class ReviewSetting(NamedTuple):
    """`review` of the configuration: who looks at the diff when everything else allows the stop."""

    command: tuple[str, ...] = ()  #: words; run without a shell
    agent: bool = False  #: the host's own program is asked where there is no command
    seconds: float = 120.0
    most: int = 2  #: how often it holds a loop

    @property
    def wanted(self) -> bool:
        return self.agent or bool(self.command)


class ContextSetting(NamedTuple):
    """What `untilgreen run` tells the agent for a round, beside the task, the summary and the feedback."""

    include_last_n_messages: int = 0


class Price(NamedTuple):
    """`prices.MODEL` of the configuration: USD for a million tokens."""

    input: float = 0.0
    output: float = 0.0
    cache_write: float | None = None  #: None: what is usual for its input
    cache_write_1h: float | None = None
    cache_read: float | None = None


class AutoSetting(NamedTuple):
    """What holds the agent without a loop."""

    auto: str = "new"
    auto_tests: str = "fast"


class BudgetSetting(NamedTuple):
    """What a loop may use beside rounds and minutes."""

    adaptive: bool = False
    iteration_minutes: float = 0.0
    max_tokens: int = 0
    max_cost: float = 0.0
    prices: dict[str, Price] = {}  #: by the model's name, or its beginning
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


class ToolSetting(NamedTuple):
    """Which tools run, and in what environment."""

    env_remove: tuple[str, ...] = ()
    without: tuple[str, ...] = ()  #: checks, or their tools, that are left out
    warm: bool = False


class Settings(NamedTuple):
    """The resolved configuration; what is in its groups lies flat in a document, under the configuration's names."""

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
    tools: ToolSetting = ToolSetting()

    @staticmethod
    def flat() -> frozenset[str]:
        """Its groups, as in `Loop.flat`."""
        return frozenset(("unasked", "budget", "markers", "blame", "tools"))
