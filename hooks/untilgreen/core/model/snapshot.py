"""What is measured: snapshots, the project's text, first results."""

from untilgreen.core import secrets
from untilgreen.core.record import NamedTuple


class FileDetail(NamedTuple):
    """Counts of one file."""

    #: posix, relative to the project root
    path: str
    error_count: int = 0
    warning_count: int = 0
    info_count: int = 0
    security_issues: int = 0
    tests_failed: int = 0
    #: check to the number of its findings of each severity
    by_check: dict[str, dict[str, int]] = {}


class Item(NamedTuple):
    """One thing that must go before the loop is green: its identity, and how it reads."""

    id: str
    #: "error", "warning", "info", "security", "test", "custom" (a failed command), "judge", "hook", "review" or "check"
    #: (a broken check)
    kind: str
    stage: str
    check: str
    #: in one line but for the tail of a command's output
    text: str
    #: where it is; "" and 0 where that is not known
    file: str = ""
    line: int = 0
    #: of a failing test its id within the file: with that it is run again (`TestId`)
    rule: str = ""
    #: as in `Diagnostic`
    column: int = 0
    cure: str = ""

    @property
    def place(self) -> str:
        """Where it is, as it is told."""
        return secrets.place(self.file, self.line)


class Used(NamedTuple):
    """Tokens of one model, by what they cost."""

    input: int = 0
    output: int = 0
    #: written to the cache, for five minutes and for an hour
    cache_write: int = 0
    cache_write_1h: int = 0
    cache_read: int = 0


class Use(NamedTuple):
    """What models used: all tokens, and USD at list prices, None where they are not known."""

    tokens: int = 0
    cost: float | None = None


class Answered(NamedTuple):
    """An answer of a model."""

    model: str
    used: Used


class ReadSoFar(NamedTuple):
    """A host's record of models' answers, as far as it was read."""

    #: in bytes
    offset: int = 0
    #: model to what its answers used
    used: dict[str, Used] = {}
    #: the newest answers by their ids, not in `used`: lines that come may say more of them
    newest: dict[str, Answered] = {}


class Spending(NamedTuple):
    """What a loop's models used since it began."""

    #: what was answered before this moment does not count
    since: str
    #: record to how far it was read
    records: dict[str, ReadSoFar] = {}
    #: session to what the host's status line said that it cost, in USD
    billed: dict[str, float] = {}
    tokens: int = 0
    #: in USD, as far as it is known
    cost: float = 0.0
    #: the models whose prices are not known
    unpriced: tuple[str, ...] = ()
    #: counted stops in a row at which nothing new could be read
    unread: int = 0
    #: what was used before the limits began anew
    before: Use = Use(0, 0.0)

    @property
    def use(self) -> Use:
        """All of it."""
        return Use(self.tokens, None if self.unpriced else self.cost)


class Judgement(NamedTuple):
    """One answer about one criterion."""

    criterion: str
    #: None: there was no answer that could be read
    success: bool | None
    #: in one line; without an answer why there is none
    reason: str = ""
    #: what it would do next, a line each
    suggestions: tuple[str, ...] = ()
    #: the file name of the program that answered
    by: str = ""
    #: the end of what it printed, where that was no answer
    tail: str = ""
    #: how long it took
    seconds: float = 0.0

    @property
    def shown(self) -> str:
        """`judged by claude: yes: Each flag is described.`"""
        answer = {True: "yes", False: "no", None: "no answer"}[self.success]
        return f"judged by {self.by}: {answer}: {self.reason}"


class Snapshot(NamedTuple):
    """The state of the checks at one counted stop."""

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
    #: stage to the number of failing items, None where the stage is unknown
    scores: dict[str, int | None] = {}
    #: check to "clean", "found", "broken", "absent" or "pending"
    outcomes: dict[str, str] = {}
    #: check to the number of its failing items
    failing_by_check: dict[str, int] = {}
    #: check to the number of tests that it ran
    ran: dict[str, int] = {}
    #: the fingerprint of the set of failing items
    failing: str = ""
    #: kept for the newest snapshots only; the counts stay
    items: tuple[Item, ...] = ()
    #: suppressions added and tests lost since the start, all of them part of the scores
    weakened: int = 0
    #: check of tests to how many of them did not run, as something that failed before them still does
    not_run: dict[str, int] = {}
    #: the work tree of that moment, as a commit in our own store of git objects; "" where it was not kept
    ref: str = ""
    #: that store; "" as above
    snapshot_path: str = ""
    #: what the judge said; none where it was not asked. Kept for the newest snapshots only
    judged: tuple[Judgement, ...] = ()
    #: what the round used, None where nobody looked
    usage: Use | None = None


class Text(NamedTuple):
    """What is counted by reading the project."""

    #: by kind
    suppressions: dict[str, int] = {}
    #: how many are defined
    tests: int = 0
    #: fingerprints of the checkers' configuration by name: "mypy.ini", "pyproject.toml [tool.ruff]"
    config: dict[str, str] = {}
    #: False when time ran out: nothing may be concluded then
    complete: bool = False
    #: by which rules it was counted; texts of two versions cannot be compared, and the first did not write it down
    version: int = 1
    #: how often one definition stands for several tests
    folded: int = 0
    #: the command lines whose files are configuration: the folder of each, and its words
    commands: tuple[tuple[str, ...], ...] = ()


class First(NamedTuple):
    """A check's first result in this loop."""

    outcome: str
    items: tuple[str, ...] = ()
    tests_run: int = 0


class Before(NamedTuple):
    """What a check said when the loop began and the agent had done nothing yet."""

    #: "clean", "found" or "broken"
    outcome: str
    #: of its findings those that count; where only new ones do, those that do not for that reason
    failing: int = 0
    #: the identities of its findings; where all count, of those only behind which others may be hidden
    items: tuple[str, ...] = ()
    #: what it could not look at: why it was broken, or the place that hides others
    unread: str = ""


class Suite(NamedTuple):
    """The last run of all tests of a check."""

    tests: int
    seconds: float
    #: it was ended before its end
    late: bool = False
