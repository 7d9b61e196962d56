"""What is to be checked."""

from untilgreen.core.record import Literal, NamedTuple

STAGES = ("static", "build", "tests", "judged", "hooks", "review")
FIRST, WHOLE = "first", "whole"  # what of a check runs: what failed last alone, or all of it

_WHOLE = ("npm-script", "linter", "runner", "builder", "pre-commit")  # checkers whose call is a whole command line
_WHY_ABSENT = {
    "missing": "{} is not installed",
    "apart": "{} is not installed",
    "untrusted": "not trusted, {} did not run (`untilgreen trust`)",
}


class Absent(NamedTuple):
    """The check cannot run here."""

    #: "missing": its tool is not there; "apart": nor is it, but the project has it in an environment apart, and it is
    #: no more than told; "untrusted": it executes what the project says, and the project is not trusted
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


class OwnCall(NamedTuple):
    """A command line by which the project itself calls a tool."""

    #: the tool, by its file name, and its words
    words: tuple[str, ...]
    #: where it is called, relative to the project
    folder: str
    #: whence, for people: "tox.ini: mypy"
    source: str
    #: all of its words are known: it can be taken as it stands
    whole: bool = True
    #: the caller brings the tool in an environment of its own: where it is not here, too, it is not missing
    apart: bool = False
    #: the script of a package.json in which it stands
    script: str = ""
    #: the patterns of the files that it is for, and of those that it is not: of a hook of pre-commit
    files: tuple[str, str] = ("", "")
    #: the variables that the project sets for it, `NAME=value` each
    env: tuple[str, ...] = ()
    #: of pre-commit each hook, and the checker of the tool that it runs, "" for none
    hooks: tuple[tuple[str, str], ...] = ()
    #: of pre-commit what is not installed, "" where everything is
    lacks: str = ""


class Check(NamedTuple):
    """One check of one root."""

    #: "ruff", or "ruff@backend" below the project root
    name: str
    checker: str
    #: a posix path relative to the project root, "." for the root itself
    root: str
    stage: str
    #: an absolute path, "" where it is absent; of a command of the user's own its first word
    tool: str
    interpreter: str = ""
    absent: Absent | None = None
    #: the criteria that it answers
    meets: tuple[str, ...] = ()
    #: as in `Setting`
    variant: str = ""
    #: the project chose the tool: it configures it, depends on it or calls it
    chosen: bool = True
    #: the words of the project's own call, behind the tool's name
    call: tuple[str, ...] = ()
    #: whence that call is: "tox.ini: mypy"; "" where the call is ours
    source: str = ""
    #: as in `OwnCall`
    env: tuple[str, ...] = ()
    hooks: tuple[tuple[str, str], ...] = ()

    @property
    def shown(self) -> str:
        """Its name, with the project's own call of it and whence that is: `mypy -p pkg (tox.ini: types)`."""
        called = " ".join((*self.env, *(self.call if self.checker in _WHOLE else (self.checker, *self.call))))
        return f"{called} ({self.source})" if self.source else self.name


class Turn(NamedTuple):
    """Where a check stands while others run."""

    #: FIRST or WHOLE while it runs; then "clean", "found", "broken", "absent" or "pending"
    what: str
    #: when it began, in seconds since the epoch
    since: float
    #: how many seconds it took last time, 0 where nobody knows
    last: float = 0.0

    @property
    def runs(self) -> bool:
        """It has not ended."""
        return self.what in (FIRST, WHOLE)
