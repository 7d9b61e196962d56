"""What goes by its exit code: linters, runners of tests, builds and scripts that nothing else here reads.

Each is run as the project calls it, and a call is the whole command line. What a build leaves behind lies where it
always does, but for Go's programs and Python's packages, of which nothing else is built. Learned from pycodestyle 2.9,
2.11 and 2.15, codespell 2.4, vulture 2.16, pyrefly 1.3, cargo fmt 1.9 and npm 7 and later (`npm exec -c`).
"""

import itertools
import os
import posixpath
import re
from collections.abc import Collection, Mapping, Sequence

from untilgreen.checkers.answer import Malformed, failed, last_lines, matched, refusal
from untilgreen.checkers.checker import Checker
from untilgreen.core.model.check import BAZELS, ENGINES
from untilgreen.core.model.outcome import SOME, Clean, Found, Outcome, Output, Setting, Tests
from untilgreen.project import tables


def _programs(kind: str) -> dict[str, str]:
    """The programs of a kind, and the words of which one must follow where they do other things, too."""
    rows = tables.read("by-exit-code")[kind]
    return {name: "" if words == "-" else words for words, names in rows for name in names.split(", ")}


_LINT, _TYPES, _TEST, _BUILD = map(_programs, ("lints", "types", "tests", "builds"))
_LINTERS = _LINT | _TYPES
KNOWN = {*_LINTERS, *_TEST, *_BUILD}
# how the tests of Python are run
_PYTHONS = ("zope-testrunner", "nose2", "nosetests", "trial", "green", "ward", "stestr", "testr")
# with these a linter writes, or a program only tells something
_ASKING = {"--version", "--help", "-h"}
_WRITING = {"-w", "--write-changes", "--write", "--in-place", "--inplace", "--fix", "--autofix", "-A", "--autocorrect"}
_TELLING = {*_ASKING, "--show-only", "-N", "--list-tests", "-DskipTests", "-DskipTests=true", "-Dmaven.test.skip=true"}
_UNBUILT = ("--no-build", "--skip-build", "--no-rebuild", "--no-compile")  # CI has built it; here it may be older
INTERPRETERS = ("python", "node", "ruby", "perl", "bash", "sh", "php", "tsx")
NOT_RUN = (126, 127)  # what a shell answers for a command that it could not run

_LINE = (
    r"(?m)^(?P<file>[^\s:][^:\n]*\.\w+):(?P<line>\d{1,9}):(?:(?P<column>\d{1,9}):?)? *"
    r"(?:(?P<rule>[A-Z]{1,4}\d{2,4}):? )?(?P<message>\S.*)$"
)
# what says that a linter did not do its work
_COMPLAINT = r"(?m)^(?:\S+: )?error: (?:no such|unrecognized|.+ is not installed).+|^\w*(?:Error|Exception): .+"
_UNWELL = r"(?mi)^usage: |^Traceback \(most recent call last\):$|^error: .+ is not installed "
_MODULES = {"zope.testrunner": "zope-testrunner", "twisted.trial": "trial", "nose": "nosetests"}
_TEST_SCRIPT = re.compile(r"(?:(?:run|all|unit|self|py|main|[-_])*tests?(?:suite|runner|run|all|[-_])*|test_\w+)\.py")
_TEST_MODULE = re.compile(r"tests|\w+(?:\.\w+)*\.(?:(?:run_?|self)?tests?|test_\w+)(?:\.__main__)?")
_TASKS = (*ENGINES, "make", "just", "task", "poe", "pdm", "hatch", "tox", "nox")
_TYPE_SCRIPT = re.compile(r"(?:.+[:-])?(?:types?|type-?check|tsc)(?:[:-].+)?|flow|tsd|dtslint|type-coverage|vue-tsc")
# the file names of the program of a build where the first is not the only one: the first that is there is used
_PROGRAMS = {**{name: (name, "npm") for name in ("pnpm", "yarn", "bun")}, "tsc": ("vue-tsc", "tsc")}
_PROGRAMS["pyproject-build"] = ("pyproject-build", "uv")
_OUT = {"pyproject-build": "--outdir", "uv": "--out-dir", "poetry": "--output", "pdm": "--dest"}


def linting(words: Sequence[str]) -> tuple[str, ...] | None:
    """The words of a project's call as those of the linter; None where they are no linter's that it knows of."""
    return ("linter", *words) if _does(_bundled(words), _LINTERS, _WRITING | _ASKING) else None


def testing(words: Sequence[str], *, module: bool) -> tuple[str, ...] | None:
    """A project's call as words of the runner; None for no tests that it knows. `module`: called as one of Python's."""
    name, rest = _MODULES.get(words[0], words[0]), tuple(word for word in words[1:] if word not in _UNBUILT)
    if _TELLING & set(words):
        return None
    if name == "python":
        script = rest[0].rpartition("/")[2] if rest else ""
        known = _TEST_SCRIPT.fullmatch(script) or (script == "setup.py" and "test" in rest[1:])
        return ("runner", *words) if known else None
    if module and (_TEST_MODULE.fullmatch(name) or (name == "doctest" and rest)):
        return ("runner", "python", "-m", *words)
    return ("runner", name, *rest) if _does(_bundled((name, *rest)), _TEST) else None


def alone(words: Sequence[str]) -> tuple[str, ...]:
    """The words of a script of the project's own, or of a program of its environment, which is run as it stands."""
    tests = re.search(r"(?:^|[/._-])(?:tests?|specs?)(?:[/._-]|$)", words[0])
    return ("runner" if tests else "linter", *words)


def building(words: Sequence[str], *, module: bool) -> tuple[str, ...] | None:
    """The words of a project's call as those of the builder; None where they build nothing that it knows of."""
    if module and words[0] == "build":
        return ("builder", "pyproject-build", *words[1:])
    return ("builder", *words) if _does(words, _BUILD) else None


def of_python(call: Sequence[str]) -> bool:
    """Whether a call of the runner is how Python's tests are run; examples in documentation are more than these."""
    return call[:3] != ("python", "-m", "doctest") and call[0] in ("python", "tox", "nox", *_PYTHONS)


def _bundled(words: Sequence[str]) -> Sequence[str]:
    """The words behind Bundler's own, which says which gems there are."""
    return words[2:] or words if tuple(words[:2]) == ("bundle", "exec") else words


def _started(setting: Setting) -> tuple[str, ...]:
    """As a shell would: a pattern stands for the files that fit it. What ctest runs is built before."""
    import glob  # no hook needs it but where such a check runs

    words: list[str] = []
    for word in setting.call[1:]:
        fits = "*" in word and word[0] not in "-!"
        words += (sorted(glob.glob(word, root_dir=setting.root, recursive=True)) if fits else ()) or [word]
    named = re.search(r"--test-dir[ =](\S+)", " ".join(words))
    place = named[1] if named else "."
    if setting.call[0] == "turbo":
        return (setting.tool, *_with(words, "--continue"))  # also what else may fail
    if setting.call[0] in BAZELS:
        return (setting.tool, *_with(words, f"--build_event_json_file={setting.report}"))
    if setting.call[0] == "ctest" and os.path.isfile(os.path.join(setting.root, place, "CMakeCache.txt")):
        return ("/bin/sh", "-c", 'cmake --build "$0" && exec "$@"', place, setting.tool, *words)
    return (setting.tool, *words)


def _with(words: Sequence[str], option: str) -> list[str]:
    """The words with this option, unless they say themselves what it says."""
    end = words.index("--") if "--" in words else len(words)
    given = any(word.partition("=")[0] == option.partition("=")[0] for word in words)
    return [*words[:end], *(() if given else (option,)), *words[end:]]


def _built(setting: Setting) -> tuple[str, ...]:
    call = setting.call
    if call[:2] == ("go", "build"):
        rest = (word for before, word in itertools.pairwise(call[1:]) if "-o" not in (before, word))
        return (setting.tool, "build", "-o", os.devnull, *rest)
    name = os.path.basename(setting.tool)
    words = ("build", *call[1:]) if (call[0], name) == ("pyproject-build", "uv") else call[1:]
    if name == "npm":
        return (setting.tool, "run", "--no-update-notifier", *words[1:])
    option = _OUT.get(name, "")
    if option and not any(word.partition("=")[0] in (option, "-o", "-d") for word in words):
        return (setting.tool, *words, option, f"{setting.report}-built")
    return (setting.tool, *words)


def _by_npm(setting: Setting) -> tuple[str, ...]:
    if tuple(setting.call[:2]) == ("npm", "run"):
        return (setting.tool, *setting.call[1:])
    import shlex

    from untilgreen.checkers.js import npm_script

    return (setting.tool, *npm_script.executed(setting.tool, shlex.join(setting.call)))


def _check_it_ran(output: Output) -> None:
    if output.code in NOT_RUN:
        raise Malformed(": ".join((f"exit code {output.code}", *last_lines(output)[-1:])))


def _exit_code(output: Output, _setting: Setting) -> Outcome:
    _check_it_ran(output)
    return Found((failed(output, "error"),)) if output.code else Clean()


def _lines(output: Output, setting: Setting) -> Outcome:
    """What a linter says: lines that name a file and a line are its findings."""
    result = _exit_code(output, setting)
    if output.code and setting.call[:1] and setting.call[0] in ENGINES:
        said = _by_task(output, setting)
        return said._replace(tests=None) if isinstance(said, Found) else result
    if output.code and re.search(_UNWELL, output.stderr):
        raise refusal(output, _COMPLAINT)
    found = map(matched, re.finditer(_LINE, output.stdout)) if output.code else ()
    read = tuple(one._replace(file=posixpath.normpath(one.file)) for one in found)
    return Found(read) if read else result


def _tests(output: Output, setting: Setting) -> Outcome:
    from untilgreen.checkers import custom
    from untilgreen.checkers.python import unittest_

    _check_it_ran(output)
    if setting.call[0] in ENGINES and (said := _by_task(output, setting)):
        return said
    if not output.code and unittest_.ended(output):
        unittest_.parse(output, setting)  # Malformed where nothing ran
    result = custom.ended(output, setting.root, "test", fine=not output.code)
    if isinstance(result, Clean):
        return Clean(result.tests or Tests(1, 0, SOME))
    return result if result.tests and result.tests.failed else result._replace(tests=Tests(1, 1, SOME))


def _by_task(output: Output, setting: Setting) -> Outcome | None:
    """The same of turbo and nx; None where they do not say which of their tasks failed, or what ran."""
    from untilgreen.checkers.js import engines

    said = engines.read(output, setting.root)
    if said is None or bool(said.diagnostics) != bool(output.code):
        return None
    return Found(*said) if said.diagnostics else Clean(said.tests)


def _stops(output: Output, setting: Setting) -> Outcome:
    """What a build says: where it stopped, as compilers and runners of tests print it."""
    from untilgreen.checkers import custom

    _check_it_ran(output)
    # a test that fails within it keeps it from being built, and is no more than that here
    return custom.ended(output, setting.root, "error", fine=not output.code)


def _does(words: Sequence[str], known: Mapping[str, str], left_out: Collection[str] = ()) -> bool:
    """Whether a call is one of a known program, and for what that is known."""
    needed = known.get(words[0], known.get(" ".join(words[:2])))
    if needed is None or set(left_out) & set(words):
        return False
    return not needed or bool(set(needed.split()) & set(words[1:]))


def _titled_runner(call: Sequence[str]) -> str:
    """`zope-testrunner`, `make-check`, `runtests.py` for `python tests/runtests.py`."""
    name, *rest = [word for word in _bundled(call) if word != "-m"]
    if name == "python":
        return rest[0].rpartition("/")[2]
    plain = (
        [word for word in (one.removeprefix("--target=") for one in rest) if re.fullmatch(r"[\w.]+", word)]
        if name in _TASKS
        else []
    )
    return "-".join((name.rpartition("/")[2], *plain[-1:]))


def _titled_linter(call: Sequence[str]) -> str:
    """`codespell`, `cargo-fmt`, `lint.py` for `python tools/lint.py`, `cog` for `cog --check`."""
    if call[0] in ENGINES:
        return _titled_runner(call)
    if known := [one for one in _bundled(call)[:1] if one in _LINTERS]:
        return known[0]
    if call[0] in INTERPRETERS or "/" in call[0]:
        return next((word for word in call if "/" in word or "." in word), call[0]).rpartition("/")[2]
    return "-".join((call[0], *(word for word in call[1:2] if re.fullmatch(r"[\w.]+", word))))


def _titled_builder(call: Sequence[str]) -> str:
    """`npm-build`, `make-build`, `go-build`, `mvn-package`, `tsc-build`."""
    name = "python" if call[0] == "pyproject-build" else call[0]
    words = [word for word in call[1:] if word in ("all", *_BUILD.get(call[0], "").split())]
    return f"{name}-{(words or ['build'])[0].lstrip('-')}"


def _script(call: Sequence[str]) -> str:
    return call[2] if tuple(call[:2]) == ("npm", "run") else call[0]


_CHECKER = Checker(
    name="linter",
    argv=lambda setting: _started(setting) if setting.call[0] in ENGINES else (setting.tool, *setting.call[1:]),
    parse=_lines,
    roots=lambda _layout, _criteria: (),
    serves=("lint_clean", "type_check"),
    leaves_out="",
    title=_titled_linter,
)
_SERVED = {True: ("type_check",), False: ("lint_clean",)}
LINTER = _CHECKER._replace(serves_by=lambda call: _SERVED[call[0] in _TYPES], fails_by_all=True, one_finding=True)
NPM_SCRIPT = _CHECKER._replace(
    name="npm-script",
    argv=_by_npm,
    parse=_exit_code,
    programs=("npm",),
    serves_by=lambda call: _SERVED[_TYPE_SCRIPT.fullmatch(_script(call)) is not None],
    title=lambda call: f"npm-{_script(call)}",
    one_finding=True,
)
RUNNER = _CHECKER._replace(
    name="runner", stage="tests", argv=_started, parse=_tests, serves=("test_pass",), title=_titled_runner
)
BUILDER = _CHECKER._replace(
    name="builder",
    stage="build",
    argv=_built,
    parse=_stops,
    serves=("build_success",),
    title=_titled_builder,
    programs_by=lambda call: _PROGRAMS.get(call[0], (call[0],)),
    one_finding=True,
)
