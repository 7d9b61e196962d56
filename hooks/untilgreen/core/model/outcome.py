"""What a check ends as: four outcomes, never fewer, and one that is no end yet; what its tool is given and leaves."""

from untilgreen.core.model.check import Absent, Check
from untilgreen.core.record import Literal, NamedTuple


class Diagnostic(NamedTuple):
    """One finding."""

    check: str
    #: a posix path relative to the project root, "" when the finding has none
    file: str
    #: counted from 1; 0: unknown
    line: int
    #: of a failing test its id within the file
    rule: str
    #: "error", "warning", "info", "security" or "test" (a failing test)
    severity: str
    message: str
    #: the text of the line, part of the finding's identity
    source: str = ""
    #: others may be hidden behind this one (a syntax error)
    hides: bool = False
    #: counted from 1; 0: the tool does not say it. No part of the identity
    column: int = 0
    #: the command that mends it, where the tool itself says that this is safe
    cure: str = ""


class Tests(NamedTuple):
    """How many tests ran (skipped ones did not) and how many of them failed."""

    run: int
    failed: int


class TestId(NamedTuple):
    """Which test: a posix path, and its id within that file; of one that failed `Diagnostic.file` and `rule`."""

    file: str
    id: str


class Names(NamedTuple):
    """The tests of a run, as the report names them: each once, in its order. The same test has the same name in every
    run, whatever comes of it."""

    passed: tuple[TestId, ...] = ()
    failed: tuple[TestId, ...] = ()
    skipped: tuple[TestId, ...] = ()


class FirstGo(NamedTuple):
    """What a check of tests runs first: those that failed last. `of`: how many there are in all."""

    tests: tuple[TestId, ...]
    of: int


class Clean(NamedTuple):
    """The check ran to its end and has nothing to say."""

    tests: Tests | None = None

    @property
    def kind(self) -> Literal["clean"]:
        """Its word in files."""
        return "clean"


class Found(NamedTuple):
    """The check ran and found this; never empty."""

    diagnostics: tuple[Diagnostic, ...]
    tests: Tests | None = None
    #: the severities that made the tool fail by its own exit code; none where that is 0
    failing: tuple[str, ...] = ()
    #: only what failed last ran: how many other tests did not; None where everything ran
    not_run: int | None = None

    @property
    def kind(self) -> Literal["found"]:
        """Its word in files."""
        return "found"


class Broken(NamedTuple):
    """The check did not do its work: never green."""

    reason: str
    #: the end of what it printed
    tail: str = ""
    #: it had too little time
    late: bool = False

    @property
    def kind(self) -> Literal["broken"]:
        """Its word in files."""
        return "broken"


class Pending(NamedTuple):
    """What the check asks for has not ended yet: neither red nor green."""

    #: the last line that it printed
    reason: str = ""

    @property
    def kind(self) -> Literal["pending"]:
        """Its word in files."""
        return "pending"


Outcome = Clean | Found | Broken | Absent | Pending


class Output(NamedTuple):
    """What a process left behind."""

    #: None when it never ended by itself
    code: int | None
    stdout: str
    stderr: str
    report: str = ""
    #: why it never ended by itself
    why: str = ""
    #: how long it ran
    seconds: float = 0.0
    #: it had too little time
    late: bool = False


class Setting(NamedTuple):
    """What a checker may use to build its command line and to read the answer.

    `tool` and `root` are absolute paths; those of files are posix paths relative to `root`.
    """

    tool: str
    root: str
    security: bool = False
    #: the project's own Python for a type checker outside of the project; "" when the tool is inside, or none is known
    interpreter: str = ""
    #: imports can be resolved: the tool is inside, the interpreter is known, or Node's packages are there
    resolves: bool = True
    #: where the tool may write a report
    report: str = ""
    #: how to call the tool by the root's configuration, in the checker's own words
    variant: str = ""
    #: the project's own words behind the tool's name; none where it says nothing
    call: tuple[str, ...] = ()
    #: only these files are looked at
    files: tuple[str, ...] = ()
    #: the text of this one file comes on stdin
    stdin: str = ""
    #: the files that the checker is for, where it asked for a list
    listed: tuple[str, ...] = ()

    @property
    def named(self) -> tuple[str, ...]:
        """The files to name on the command line of a tool that finds none by itself."""
        return self.files or self.listed


Result = tuple[Check, Outcome]
