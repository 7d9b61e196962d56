"""What is measured: snapshots, the project's text, first results."""

from collections import Counter

from untilgreen.core import secrets
from untilgreen.core.record import NamedTuple

# what is kept of a snapshot: items of a check, of one of tests, files
_ITEMS, _TESTS, _FILES = 200, 1_000, 500


class FileDetail(NamedTuple):
    """Counts of one file."""

    path: str  #: posix, relative to the project root
    error_count: int = 0
    warning_count: int = 0
    info_count: int = 0
    security_issues: int = 0
    tests_failed: int = 0
    by_check: dict[str, dict[str, int]] = {}  #: check to the number of its findings of each severity


class Item(NamedTuple):
    """One thing that must go before the loop is green: its identity, and how it reads."""

    id: str
    kind: str  #: "error", "warning", "info", "security", "test", "custom", "judge", "hook", "review", "check" (broken)
    stage: str
    check: str
    text: str  #: in one line but for the tail of a command's output
    file: str = ""  #: where it is; "" and 0 where that is not known
    line: int = 0
    rule: str = ""  #: of a failing test its id within the file: with that it is run again (`TestId`)
    column: int = 0  #: as in `Diagnostic`
    cure: str = ""
    cause: str = ""  #: as in `Diagnostic`

    @property
    def place(self) -> str:
        return secrets.place(self.file, self.line)


class Used(NamedTuple):
    """Tokens of one model, by what they cost."""

    input: int = 0
    output: int = 0
    cache_write: int = 0  #: written to the cache, for five minutes and for an hour
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

    offset: int = 0  #: in bytes
    used: dict[str, Used] = {}  #: model to what its answers used
    newest: dict[str, Answered] = {}  #: the newest answers by id, not in `used`: lines that come may say more of them


class Spending(NamedTuple):
    """What a loop's models used since it began."""

    since: str  #: what was answered before this moment does not count
    records: dict[str, ReadSoFar] = {}  #: record to how far it was read
    billed: dict[str, float] = {}  #: session to what the host's status line said that it cost, in USD
    tokens: int = 0
    cost: float = 0.0  #: in USD, as far as it is known
    unpriced: tuple[str, ...] = ()  #: the models whose prices are not known
    unread: int = 0  #: counted stops in a row at which nothing new could be read
    before: Use = Use(0, 0.0)  #: what was used before the limits began anew

    @property
    def use(self) -> Use:
        return Use(self.tokens, None if self.unpriced else self.cost)


class Judgement(NamedTuple):
    """One answer about one criterion."""

    criterion: str
    success: bool | None  #: None: there was no answer that could be read
    reason: str = ""  #: in one line; without an answer why there is none
    suggestions: tuple[str, ...] = ()  #: what it would do next, a line each
    by: str = ""  #: the file name of the program that answered
    tail: str = ""  #: the end of what it printed, where that was no answer
    seconds: float = 0.0  #: how long it took

    @property
    def shown(self) -> str:
        """`judged by claude: yes: Each flag is described.`"""
        answer = {True: "yes", False: "no", None: "no answer"}[self.success]
        return f"judged by {self.by}: {answer}: {self.reason}"


class Counted(NamedTuple):
    """Items of one kind of a check of which only their number is told."""

    kind: str
    stage: str
    check: str
    ids: str  #: their identities, a line each


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
    scores: dict[str, int | None] = {}  #: stage to the number of failing items, None where the stage is unknown
    outcomes: dict[str, str] = {}  #: check to "clean", "found", "broken", "absent" or "pending"
    failing_by_check: dict[str, int] = {}  #: check to the number of its failing items
    ran: dict[str, int] = {}  #: check to the number of tests that it ran
    failing: str = ""  #: the fingerprint of the set of failing items
    items: tuple[Item, ...] = ()  #: kept for the newest snapshots only; the counts stay
    weakened: int = 0  #: suppressions added and tests lost since the start, all of them part of the scores
    not_run: dict[str, int] = {}  #: check of tests to how many did not run, as something that failed before still does
    ref: str = ""  #: the work tree then, as a commit in our own store of git objects; "" where it was not kept
    snapshot_path: str = ""  #: that store; "" as above
    judged: tuple[Judgement, ...] = ()  #: what the judge said, if it was asked; kept for the newest snapshots only
    usage: Use | None = None  #: what the round used, None where nobody looked
    around: str = ""  #: a value of what the checks depended on beside the tree
    beyond: tuple[Counted, ...] = ()  #: the items beyond the first ones of each check, where it was stored

    @property
    def every(self) -> tuple[Item, ...]:
        """All items; of those `beyond` only who they are."""
        counted = (Item(key, one.kind, one.stage, one.check, "") for one in self.beyond for key in one.ids.split("\n"))
        return (*self.items, *counted)

    @property
    def ids(self) -> set[str]:
        """The identities of all items."""
        return {item.id for item in self.items}.union(*(one.ids.split("\n") for one in self.beyond))

    @property
    def number_beyond(self) -> int:
        """How many items are beyond."""
        return sum(one.ids.count("\n") + 1 for one in self.beyond)

    def bounded(self, characters: int = 3_000) -> "Snapshot":
        """The snapshot with the first items of each check, each of so many `characters`, and the others in `beyond`."""
        told = Counter[str]()
        kept, rest = [], dict[tuple[str, str, str], list[str]]()
        for one in self.items:
            told[one.check] += 1
            if told[one.check] <= (_TESTS if one.kind == "test" else _ITEMS):
                kept.append(one._replace(text=one.text[:characters]))
            else:
                rest.setdefault((one.kind, one.stage, one.check), []).append(one.id)
        counted = (Counted(*key, "\n".join(ids)) for key, ids in rest.items())
        details = self.file_details[:_FILES]
        return self._replace(items=tuple(kept), beyond=(*self.beyond, *counted), file_details=details)


class Text(NamedTuple):
    """What is counted by reading the project."""

    suppressions: dict[str, int] = {}  #: by kind
    tests: int = 0  #: how many are defined
    config: dict[
        str, str
    ] = {}  #: fingerprints of the checkers' configuration: "mypy.ini", "pyproject.toml [tool.ruff]"
    complete: bool = False  #: False when time ran out: nothing may be concluded then
    version: int = 1  #: the rules by which it was counted: only texts of one version compare; the first wrote none
    folded: int = 0  #: how often one definition stands for several tests
    commands: tuple[tuple[str, ...], ...] = ()  #: command lines whose files are configuration: folder, words


class First(NamedTuple):
    """A check's first result in this loop."""

    outcome: str
    items: tuple[str, ...] = ()
    tests_run: int = 0
    counted_by: str = ""  #: as `Tests.by`


class Before(NamedTuple):
    """What a check said when the loop began and the agent had done nothing yet."""

    outcome: str  #: "clean", "found" or "broken"
    failing: int = 0  #: of its findings those that count; where only new ones do, those that do not for that reason
    items: tuple[str, ...] = ()  #: the identities of its findings; where all count, of those alone that may hide others
    unread: str = ""  #: what it could not look at: why it was broken, or the place that hides others


class Suite(NamedTuple):
    """The last run of all tests of a check."""

    tests: int
    seconds: float
    late: bool = False  #: it was ended before its end
    counted_by: str = ""  #: as `Tests.by`
