"""What a checker is: how to call a tool, and what its answer comes to."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence

from untilgreen.checkers.answer import Lacking, Malformed, finding, findings, first_line, relative, tail
from untilgreen.core.model.check import BY_COVERAGE, Absent, OwnCall
from untilgreen.core.model.outcome import Broken, Clean, Found, Names, Outcome, Output, Setting, TestId
from untilgreen.core.model.settings import Criteria
from untilgreen.core.record import NamedTuple
from untilgreen.project import tables
from untilgreen.project.tree.layout import Layout, any_below

# calls that check nothing
_ASKING = {"--version", "-V", "--help", "-h", "--init", "--print-config", "--verifytypes", "--createstub"}
_ASKING |= {"--no-run", "--collect-only", "--co", "--showConfig"}
_OURS = ".untilgreen/"
OFF = "off"  # the variant of a tool whose configuration switches it off: it is none that the project chose
SECONDS = {"static": 120.0, "build": 480.0, "tests": 480.0}


class Files(NamedTuple):
    """The files that a checker is for, and how it is told them."""

    edit: str = ""  #: the hook that runs it at every edit: "lint", "types" or "security"
    patterns: tuple[str, ...] = ()  #: the files that it is for, as patterns of `core.languages`
    listed: bool = False  #: it finds no files: its command line names `Setting.named`, in several goes if they are many
    by_file: bool = False  #: it can be told the files to look at
    #: at an edit it can be told the one file; where that ends as Broken, it looks at its whole root
    alone: bool = False
    by_stdin: bool = False  #: it reads one file's text from stdin
    walks: bool = False  #: it goes into folders that git ignores unless it is told them (`Setting.ignored`)


class RunsTests(NamedTuple):
    """What a runner of tests can do beside running them all."""

    #: the command line that runs these alone, or all of their files where they have no `id`;
    #: their files are relative to `Setting.root`. () where it cannot
    select: Callable[[Setting, Sequence[TestId]], tuple[str, ...]] | None = None
    #: the tests of a run that came to its end, by name; None where it does not say. Raises Malformed as `parse` does
    names: Callable[[Output, Setting], Names | None] = lambda _output, _setting: None
    #: the command line that runs those tests which the runner itself finds for these files; () where it finds none
    touching: Callable[[Setting, Sequence[str]], tuple[str, ...]] | None = None


class Ours(NamedTuple):
    """How a tool is called where that is our idea."""

    #: the words by which it looks at all of a root, also where a word of the project's own call is not known
    words: tuple[str, ...] = ()
    builds_in: str = ""  #: the variable that names where it builds: then that is a folder of ours
    by_output: bool = False  #: called for machines its exit code is 0 whatever it finds
    unchosen: str = ""  #: the variant in which it runs where nobody chose it; "" where it then does not run


class Checker(NamedTuple):
    name: str  #: as in the table of checkers, and in what is told
    #: the command line, run in `Setting.root`: no shell, output for machines, never fixing anything
    argv: Callable[[Setting], tuple[str, ...]]
    #: what came of it: a Clean or a Found, else it raises Malformed; it never guesses
    parse: Callable[[Output, Setting], Outcome]
    #: where in a project it applies, as folders relative to it, "." first; the criteria tell what was asked for
    roots: Callable[[Layout, Criteria], Sequence[str]]
    stage: str = "static"  #: "static", "build" or "tests"
    seconds: float = 0  #: the time that it may take unless configured; 0: what is usual for its stage
    programs: tuple[str, ...] = ()  #: the tool's file names if not the checker's name; the first that is there is used
    package: str = ""  #: "pypi:", "npm:" or "rustup:" and what brings the tool along; "" where it is no package alone
    serves: tuple[str, ...] = ()  #: the criteria of which it is what was asked for
    #: the same of one call of it, where calls differ
    serves_by: Callable[[Sequence[str]], tuple[str, ...]] | None = None
    files: Files = Files()
    runner: RunsTests = RunsTests()
    #: what a root's configuration says about how to call it
    variant: Callable[[Layout, str], str] = lambda _layout, _root: ""
    #: the words behind the tool's name that make a project's call one of this checker: ("check",) of ruff. Of several
    #: ("lint|check") the one that is there is taken too
    subcommand: tuple[str, ...] = ()
    #: options of a call that are left out, as how it reports or how many workers it has; with `=` those that take a
    #: value. None: nothing of a call is taken but that the project chose the tool
    leaves_out: str | None = None
    #: what a check of such a call is named, where that is not the checker's name: the call is then a whole command
    #: line, and the tool its first word if no programs are named
    title: Callable[[Sequence[str]], str] | None = None
    #: the tool's file names for one call of it, where that says more than `programs`
    programs_by: Callable[[Sequence[str]], tuple[str, ...]] | None = None
    fails_by_all: bool = False  #: it fails by whatever it finds; else only by the worst severity that is there
    one_finding: bool = False  #: it goes by its exit code: one finding at most, which tells old from new by nothing
    strict: str = ""  #: the words of a call, as an expression, that make warnings fail it as errors do
    #: of a formatter: the options by which it only looks, the usual one first. It applies only where the project calls
    #: it with one of them: called to write, it fails nothing
    check_form: str = ""
    #: where the project configures it, if that is not where it applies (`roots`)
    chosen_by: Callable[[Layout, Criteria], Sequence[str]] | None = None
    configured: bool = False  #: it does nothing without a configuration: to depend on it is not to choose it
    ours: Ours = Ours()
    harmless: bool = False  #: it executes nothing out of the project, so it may look at one that nobody trusted
    python: bool = False  #: it wants to know the project's interpreter
    covers: str = ""  #: a checker whose findings are all among its own: it is left out where both would run
    unresolved: tuple[str, ...] = ()  #: rules about lost imports: only warnings where dependencies are not installed
    hiding: tuple[str, ...] = ()  #: the rules behind which others may hide, as that a file cannot be parsed
    #: the part of an output that is for people; a Broken check shows the end of it
    words: Callable[[Output], Output] = lambda output: output

    @property
    def limit(self) -> float:
        return self.seconds or SECONDS[self.stage]


Roots = Callable[[Layout, Criteria], list[str]]


def where(places: Callable[[Layout], Sequence[str]], patterns: tuple[str, ...], but: Sequence[str] = ()) -> Roots:
    """The `roots` of a tool: of these places those with a file below that a pattern fits, and that is not named so."""

    def roots(layout: Layout, _criteria: Criteria) -> list[str]:
        found = list(places(layout))
        files = [path for path in layout.matching(patterns) if path.rpartition("/")[2] not in but] if found else []
        return [place for place in found if any_below(files, place)]

    return roots


def where_configured(own: Sequence[str], shared: Mapping[str, str], patterns: tuple[str, ...]) -> Roots:
    """The `roots` of a tool that a project chooses by configuring it, as in `Layout.configured`, with files below."""
    return where(lambda layout: layout.configured(own, shared), patterns)


def variant_where(
    own: Sequence[str], shared: Mapping[str, str], sections: Sequence[str], pattern: str, word: str
) -> Callable[[Layout, str], str]:
    """The `variant` of a tool that is called otherwise where its configuration says what `pattern` matches: `word`."""

    def variant(layout: Layout, root: str) -> str:
        name = layout.configuration(root, own, shared)
        found = layout.sections(name if root == "." else f"{root}/{name}") or {}
        return word if any(re.search(pattern, found.get(section, "")) for section in sections) else ""

    return variant


def linter_of_files(
    name: str,
    own: Sequence[str],
    patterns: tuple[str, ...],
    argv: Callable[[Setting], tuple[str, ...]],
    parse: Callable[[Output, Setting], Outcome],
    package: str,
) -> Checker:
    """A linter that looks at the files that it is told, in a project that has one of its `own` configuration files."""
    roots = where_configured(own, {}, patterns)
    files = Files("lint", patterns, listed=True, by_file=True)
    return Checker(name, argv, parse, roots, package=package, serves=("lint_clean",), files=files)


def reads(
    name: str,
    pattern: str = "",
    proof: Callable[[Output, Setting], int | None] = lambda _output, _setting: None,
) -> Callable[[Output, Setting], Outcome]:
    """The `parse` of a tool that prints one of the `formats`. `proof` raises Malformed where the rest of the output
    says that the tool did not do its work, and returns how many findings it announces, None where it does not say."""

    def parse(output: Output, setting: Setting) -> Outcome:
        from untilgreen.checkers import formats

        announced = proof(output, setting) or 0
        return findings(formats.reader(name, pattern)(output.stdout).diagnostics, announced)

    return parse


def left_out(name: str) -> str:
    """The `leaves_out` of the checker of this name, as `templates/left-out.txt` has it."""
    return dict[str, str](tables.read("left-out")[""])[name]


_STARTERS = ("python", "python3", "node", "npm", "go", "cargo")  # programs of many tools: the next word tells which

UNCOVERED = r"total of [\d.]+ is less than fail-under=[\d.]+|Required test coverage of [\d.]+% not reached.*"
MEASURING = "--cov"  # how the options begin by which a call of pytest measures what it covers
# a threshold, and the options that say what is measured: with it they are taken
_MEASURED = ("--cov-fail-under=", "--cov=", "--cov-config=", "--cov-branch", "--cov-context=", "--no-cov")


def arguments(checker: Checker, words: Sequence[str]) -> tuple[str, ...] | None:
    """What a project's call of a tool, `words`, says to this checker; None where it is no call of it."""
    first = len(checker.subcommand) + 1
    short = (checker.name.partition("-")[0],) if checker.subcommand else ()  # `go test` of go-test
    programs = (checker.name, *short, *checker.programs)
    if not words or words[0] not in programs or _ASKING & set(words) or len(words) < first:
        return None
    if words[0] in _STARTERS and (not checker.subcommand or words[0].startswith("python")):
        return None
    said = list(zip(words[1:], checker.subcommand, strict=False))
    if any(word not in known.split("|") for word, known in said):
        return None
    if checker.leaves_out is None:
        return tuple(word for word in words if word.startswith(BY_COVERAGE))
    left_out, rest = checker.leaves_out.split(), list(words[first:])
    if any(word.startswith(_MEASURED[0]) for word in rest):
        left_out = [option for option in left_out if option not in _MEASURED]
    kept = [word for word, known in said if "|" in known]
    while rest:
        word = rest.pop(0)
        option, equals, _ = word.partition("=")
        if f"{option}=" in left_out:
            rest = rest[0 if equals else 1 :]
        elif option not in left_out:
            valued = f"{option}=" in _MEASURED and not equals and rest and not rest[0].startswith("-")
            kept.append(f"{word}={rest.pop(0)}" if valued else word)
    return tuple(kept)


def takes(known: Iterable[Checker], *calls: Sequence[str]) -> bool:
    """Whether any of these calls is one of any of these checkers."""
    return any(arguments(checker, words) is not None for words in calls for checker in known)


def taken(checker: Checker, call: OwnCall) -> tuple[str, ...] | None:
    """The words that a check takes of a call; None for a call of another tool, or of a formatter that fails nothing."""
    words = arguments(checker, call.words)
    if words is not None and call.given is not None and checker.leaves_out is None:
        words = call.words[1:]  # a hook's own options: what it looks at comes behind them
    if words is None or not checker.check_form:
        return words if call.whole or words is None else checker.ours.words
    forms = checker.check_form.split()
    if not set(forms) & set(call.words):
        return None
    words = words if call.whole else checker.ours.words or (".",)
    return words if set(forms) & set(words) else (forms[0], *words)


def failing(checker: Checker, output: Output, found: Found, call: Sequence[str] = ()) -> tuple[str, ...]:
    """The severities that made the tool fail; none where its exit code says that it did not."""
    if output.code == 0 and not checker.ours.by_output:
        return ()
    severities = tuple(dict.fromkeys(one.severity for one in found.diagnostics))
    worst = tuple(one for one in severities if one in ("error", "security", "test"))
    by_all = checker.fails_by_all or (checker.strict and re.search(checker.strict, " ".join(call)))
    return severities if by_all or not worst else worst


def outcome(checker: Checker, output: Output, setting: Setting) -> Outcome:
    """What the check ends as. Everything that is neither a clean run nor findings is Broken, with its reason."""
    if setting.report and setting.report in output.stdout:  # a file that is gone by now, of another name each time
        lines = output.stdout.split("\n")
        output = output._replace(stdout="\n".join(line for line in lines if setting.report not in line))
    try:
        if reason := unfinished(output):
            raise Malformed(reason)
        result = _covered(checker.parse(output, setting), output)
        if output.code != 0 and not (isinstance(result, Found) and result.diagnostics):
            raise Malformed(f"exit code {output.code} and no findings")
    except Malformed as unclear:
        # the project's own call asks for it: what somebody configured since says nothing about the machine
        if isinstance(unclear, Lacking) and any(unclear.asked == word.rpartition("=")[2] for word in setting.call):
            return Absent("missing", unclear.what)
        return Broken(first_line(str(unclear)), tail(checker.words(output)))
    if not isinstance(result, Found):
        return result
    settled = []
    for found in result.diagnostics:
        unresolved = found.rule in checker.unresolved and found.severity == "error" and not setting.resolves
        severity, hides = "warning" if unresolved else found.severity, found.hides or found.rule in checker.hiding
        file = relative(found.file, setting.root)
        # what we keep lies in the project, and not every tool reads the .gitignore that leaves it out
        if not file.startswith(_OURS):
            settled.append(found._replace(check=checker.name, file=file, severity=severity, hides=hides))
    return result._replace(diagnostics=tuple(settled)) if settled else Clean(result.tests)


def _covered(result: Outcome, output: Output) -> Outcome:
    """The outcome of tests that all passed, with what failed where too little was covered."""
    if not (output.code and isinstance(result, Clean) and result.tests):
        return result
    short = re.search(UNCOVERED, f"{output.stdout}\n{output.stderr}")
    told = short and finding(("",), "coverage", "test", f"{short[0]}{_least_covered(output)}")
    return Found((told,), result.tests._replace(failed=1)) if told else result


def _least_covered(output: Output) -> str:
    """`: shop.py 57%, cart.py 80%`, where a table of coverage is printed."""
    rows = re.findall(r"(?m)^(\S+\.\w+) +\d+ .*?\b(\d{1,2})%", output.stdout)
    worst = sorted(dict(rows).items(), key=lambda row: int(row[1]))[:3]
    return ": " + ", ".join(f"{file} {percent}%" for file, percent in worst) if worst else ""


def unfinished(output: Output) -> str:
    """Why the process never came to an end of its own, "" if it did."""
    if output.why:
        return first_line(output.why)
    if output.code is None:
        return "did not end"
    return f"ended by signal {-output.code}" if output.code < 0 else ""
