"""What is checked, and what a check ends as: four outcomes, never fewer."""

from typing import Literal, NamedTuple

STAGES = ("static", "build", "tests")


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

    @property
    def kind(self) -> Literal["clean"]:
        """Its word in files."""
        return "clean"


class Found(NamedTuple):
    """The check ran and found this; never empty."""

    diagnostics: tuple[Diagnostic, ...]
    tests: Tests | None = None

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


_WHY_ABSENT = {
    "missing": "{} is not installed",
    "untrusted": "not trusted, {} did not run (`untilgreen trust`)",
}


class Absent(NamedTuple):
    """The check cannot run here."""

    #: "missing": its tool is not there; "untrusted": it executes what the project says, and nobody trusts the project
    cause: str
    #: the tool that is missing, the check that did not run
    name: str

    @property
    def kind(self) -> Literal["absent"]:
        """Its word in files."""
        return "absent"

    @property
    def reason(self) -> str:
        """The same for people."""
        return _WHY_ABSENT[self.cause].format(self.name)


Outcome = Clean | Found | Broken | Absent


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

    `tool` and `root` are absolute paths. `interpreter`: the project's own Python for a type
    checker that lives outside of it, "" when the tool lives inside or none is known;
    `resolves`: imports can be resolved (tool inside, or interpreter known; Node's packages are there). `report`: a
    path that the tool may write a report to. `variant`: what the root's configuration says about how to call the
    tool, in the checker's own words. `listed`: the files that it is for, where it asked for them; `files`: only these
    are looked at (both posix paths relative to `root`); `stdin`: the text of this one file comes on stdin.
    """

    tool: str
    root: str
    security: bool = False
    interpreter: str = ""
    resolves: bool = True
    report: str = ""
    variant: str = ""
    files: tuple[str, ...] = ()
    stdin: str = ""
    listed: tuple[str, ...] = ()

    @property
    def named(self) -> tuple[str, ...]:
        """The files to name on the command line of a tool that finds none by itself."""
        return self.files or self.listed


class Check(NamedTuple):
    """One check of one root. `name` is "ruff", or "ruff@backend" below the project root;
    `root` is a posix path relative to the project root, "." for the root itself. `meets`: the criteria of which it
    is what was asked for. `variant` as in `Setting`."""

    name: str
    checker: str
    root: str
    stage: str
    tool: str
    interpreter: str = ""
    absent: Absent | None = None
    meets: tuple[str, ...] = ()
    variant: str = ""


Result = tuple[Check, Outcome]
