"""What is to be checked."""

from untilgreen.core.record import Any, NamedTuple

STAGES = ("static", "build", "tests", "judged", "hooks", "review")
HOOK_FILES = (".pre-commit-config.yaml", ".pre-commit-config.yml")  # where the hooks of a commit are configured
FIRST, WHOLE = "first", "whole"  # what of a check runs: what failed last alone, or all of it

# in a call of tests, the parts of a chain: `--coverage=run --source=app; report --fail-under=90`
BY_COVERAGE = "--coverage="

# checkers whose call is a whole command line
COMMAND_LINES = ("npm-script", "linter", "runner", "builder", "pre-commit", "hook")
ENGINES = ("turbo", "nx")  # what runs one task in many packages, and keeps what came of it
BAZELS = ("bazel", "bazelisk")
_WHY_ABSENT = {
    "missing": "{} is not installed",
    "apart": "{} is not installed",
    "untrusted": "not trusted, {} did not run (`untilgreen trust`)",
    "unable": "{} did not do its work: {}",
    "told": "{} is not green, but CI does not call it: {}",
}


def kind_of(ended: object) -> Any:
    """The word for an outcome or a verdict, for hosts and in files: "clean", "release"."""
    return type(ended).__name__.lower()


class Absent(NamedTuple):
    """The check cannot run here."""

    #: "missing"; "apart" (the project has it in an environment apart: it is only told); "untrusted" (the check would
    #: execute what the project says); "unable" (it could do no work before the loop either); "told" (it is red, and
    #: holds nobody)
    cause: str
    name: str  #: the tool that is missing, the check that did not run
    why: str = ""  #: of one that is unable, or told

    @property
    def reason(self) -> str:
        """The same for people."""
        return _WHY_ABSENT[self.cause].format(self.name, self.why)


class HookFiles(NamedTuple):
    """The files that pre-commit names to a hook."""

    files: tuple[str, ...] = ()  #: patterns that all must fit
    but: tuple[str, ...] = ()  #: patterns of which none may fit
    types: tuple[str, ...] = ()  #: tags that a file must have, as in `file_tags`
    types_or: tuple[str, ...] = ()  #: tags of which it must have one, if there are any
    exclude_types: tuple[str, ...] = ()  #: tags of which it may have none


_SHOWN = 60  # characters of a call's variables


class OwnCall(NamedTuple):
    """A command line by which the project itself calls a tool."""

    words: tuple[str, ...]  #: the tool, by its file name, and its words
    folder: str  #: where it is called, relative to the project
    source: str  #: whence, for people: "tox.ini: mypy"
    whole: bool = True  #: all of its words are known: it can be taken as it stands
    apart: bool = False  #: the caller brings it in an environment of its own: not here, it is not missing
    module: bool = False  #: it is a module of Python's: `python -m NAME`
    script: str = ""  #: the script of a package.json in which it stands
    secret: bool = False  #: it is given a secret, which is not here
    path: str = ""  #: where the program lies, relative to the folder, if it is a script of the project's own
    given: HookFiles | None = None  #: of a hook of pre-commit: the files that it gets behind its words
    home: str = ""  #: of such a hook: the folder of the programs that pre-commit installed for it
    env: tuple[str, ...] = ()  #: the variables that the project sets for it, `NAME=value` each
    measured: tuple[str, ...] | None = None  #: the options of the `coverage run` that starts it, if one does
    hooks: tuple[tuple[str, str], ...] = ()  #: of pre-commit each hook, and the checker of its tool, "" for none
    #: who calls it: "ci"; "tests", a build before CI's; "script", of package.json, which CI and tasks leave alone; ""
    #: for others
    caller: str = ""
    lacks: tuple[str, ...] = ()  #: of pre-commit the hooks whose environments are not installed
    again: bool = False  #: it is called before, with other values of a matrix of CI


class UnreadStep(NamedTuple):
    """What CI has and no check here answers for."""

    source: str  #: whence, for people: ".github/workflows/ci.yml: check"
    what: str  #: its words, and why it is none
    kind: str = "step"  #: "step": it runs by default and is not read; "out": it does not run by default


class Check(NamedTuple):
    """One check of one root."""

    name: str  #: "ruff", or "ruff@backend" below the project root
    checker: str
    root: str  #: a posix path relative to the project root, "." for the root itself
    stage: str
    tool: str  #: an absolute path, "" where it is absent; of a command of the user's own its first word
    interpreter: str = ""
    absent: Absent | None = None
    meets: tuple[str, ...] = ()  #: the criteria that it answers
    variant: str = ""  #: as in `Setting`
    chosen: bool = True  #: the project chose the tool: it configures it, depends on it or calls it
    call: tuple[str, ...] = ()  #: the words of the project's own call, behind the tool's name
    source: str = ""  #: whence that call is: "tox.ini: mypy"; "" where the call is ours
    env: tuple[str, ...] = ()  #: as in `OwnCall`
    hooks: tuple[tuple[str, str], ...] = ()
    given: HookFiles | None = None
    home: str = ""
    caller: str = ""

    @property
    def told(self) -> bool:
        """Whether CI names the checks, and not this one: it runs and is told, and holds nobody."""
        return self.caller == "script"

    @property
    def shown(self) -> str:
        """Its name, with the project's own call of it and whence that is: `mypy -p pkg (tox.ini: types)`."""
        called = " ".join(self.call if self.checker in COMMAND_LINES else (self.checker, *self.call))
        sets = " ".join(self.env)  # CI may set a dozen
        called = f"{sets if len(sets) < _SHOWN else '…'} {called}" if sets else called
        return f"{called} ({self.source})" if self.source else self.name


class Turn(NamedTuple):
    """Where a check stands while others run."""

    what: str  #: FIRST or WHOLE while it runs; then "clean", "found", "broken", "absent" or "pending"
    since: float  #: when it began, in seconds since the epoch
    last: float = 0.0  #: how many seconds it took last time, 0 where nobody knows

    @property
    def runs(self) -> bool:
        """It has not ended."""
        return self.what in (FIRST, WHOLE)


def turned(turn: object, since: float, took: float) -> Turn:
    """Where a check stands that begins (FIRST or WHOLE), or whose outcome this is. `took`: seconds of its last run."""
    what = turn if isinstance(turn, str) else kind_of(turn)
    return Turn(what, since, took if what == WHOLE else 0.0)
