"""What a check ends as: four outcomes, never fewer, and one that is no end yet; what its tool is given and leaves."""

from untilgreen.core.model.check import Absent, Check
from untilgreen.core.record import NamedTuple

SOME = "some"  # of the tests that ran only some are named, or none: there may be more


class Diagnostic(NamedTuple):
    check: str
    file: str  #: a posix path relative to the project root, "" when the finding has none
    line: int  #: counted from 1; 0: unknown
    rule: str  #: of a failing test its id within the file
    severity: str  #: "error", "warning", "info", "security" or "test" (a failing test)
    message: str
    source: str = ""  #: the text of the line, part of the finding's identity
    hides: bool = False  #: others may be hidden behind this one (a syntax error)
    column: int = 0  #: counted from 1; 0: the tool does not say it. No part of the identity
    cure: str = ""  #: the command that mends it, where the tool itself says that this is safe
    cause: str = ""  #: of a failing test what the project's own code raised, and where. No part of the identity


class Tests(NamedTuple):
    """How many tests ran (skipped ones did not) and how many of them failed."""

    run: int
    failed: int
    #: whose printed words were counted, "" where a report names every test. Two numbers compare where it is the same,
    #: and never where it is `SOME`
    by: str = ""


class TestId(NamedTuple):
    """Which test: a posix path, and its id within that file; of one that failed `Diagnostic.file` and `rule`."""

    file: str
    id: str


class Names(NamedTuple):
    """The tests of a run, each once, in the report's order: the same test has the same name in every run."""

    passed: tuple[TestId, ...] = ()
    failed: tuple[TestId, ...] = ()
    skipped: tuple[TestId, ...] = ()


class FirstGo(NamedTuple):
    """What a check of tests runs first, as those that failed last. `of`: how many there are in all."""

    tests: tuple[TestId, ...]
    of: int
    alone: bool = False  #: where none of them is red, the rest is not run: no answer of it is needed yet


class Clean(NamedTuple):
    """The check ran to its end and has nothing to say."""

    tests: Tests | None = None


class Found(NamedTuple):
    """The check ran and found this; never empty."""

    diagnostics: tuple[Diagnostic, ...]
    tests: Tests | None = None
    failing: tuple[str, ...] = ()  #: the severities that made the tool fail by its own exit code; none where that is 0
    not_run: int | None = None  #: only what failed last ran: how many other tests did not; None where everything ran


class Broken(NamedTuple):
    """The check did not do its work: never green."""

    reason: str
    tail: str = ""  #: the end of what it printed
    late: bool = False  #: it had too little time
    ours: tuple[str, ...] = ()  #: its command line, where the program refuses an option that we put into it


class Pending(NamedTuple):
    """What the check asks for has not ended yet: neither red nor green."""

    reason: str = ""  #: the last line that it printed
    unread: bool = False  #: a stop did not wait for its end: what is red was known without it
    some: Tests | None = None  #: of its tests these passed; the rest did not run


Outcome = Clean | Found | Broken | Absent | Pending


class Output(NamedTuple):
    """What a process left behind."""

    code: int | None  #: None when it never ended by itself
    stdout: str
    stderr: str
    report: str = ""
    why: str = ""  #: why it never ended by itself
    seconds: float = 0.0  #: how long it ran
    late: bool = False  #: it had too little time


class Setting(NamedTuple):
    """What a checker may use; `tool` and `root` are absolute paths, those of files are posix, relative to `root`."""

    tool: str
    root: str
    security: bool = False
    interpreter: str = ""  #: the project's Python, for a type checker that lies outside of it; "" where none is known
    resolves: bool = True  #: imports are found: the tool is inside, the interpreter known, or Node's packages there
    report: str = ""  #: where the tool may write a report
    variant: str = ""  #: how to call the tool by the root's configuration, in the checker's own words
    call: tuple[str, ...] = ()  #: the project's own words behind the tool's name; none where it says nothing
    files: tuple[str, ...] = ()  #: only these files are looked at
    stdin: str = ""  #: the text of this one file comes on stdin
    listed: tuple[str, ...] = ()  #: the files that the checker is for, where it asked for a list
    ignored: tuple[str, ...] = ()  #: folders that git ignores and the call does not name, where the checker asked

    @property
    def named(self) -> tuple[str, ...]:
        """The files to name on the command line of a tool that finds none by itself."""
        return self.files or self.listed


Result = tuple[Check, Outcome]
