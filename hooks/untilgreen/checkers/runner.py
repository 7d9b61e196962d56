"""Runners of tests that nothing here reads: `zope-testrunner`, `make check`, a `runtests.py` of the project's own.

As the project calls them: by what unittest prints where they print that, else by the exit code with the last lines. A
call is the whole command line.
"""

import re
from collections.abc import Sequence

from untilgreen.checkers import known_outputs
from untilgreen.checkers.answer import Malformed, failed, last_lines
from untilgreen.checkers.checker import Checker
from untilgreen.checkers.python import unittest_
from untilgreen.core.model.outcome import Clean, Found, Outcome, Output, Setting, Tests

NAME = "runner"
# programs that run tests, and the words of which one must follow where they do other things too
_PROGRAMS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("zope-testrunner", "nose2", "nosetests", "trial", "green", "ward", "behave", "robot"), ()),
    **dict.fromkeys(("ctest", "bats", "prove", "rspec", "phpunit", "busted"), ()),
    **dict.fromkeys(("dotnet", "mix", "swift", "deno", "bun", "meson", "zig", "bazel"), ("test",)),
    **dict.fromkeys(("mvn", "mvnw"), ("test", "verify")),
    **dict.fromkeys(("gradle", "gradlew"), ("test", "check")),
    **dict.fromkeys(("stestr", "testr"), ("run",)),
    "rake": ("test", "spec"),
}
_MODULES = {"zope.testrunner": "zope-testrunner", "twisted.trial": "trial", "nose": "nosetests"}
_ASKING = ("--version", "--help", "-h", "--show-only", "-N", "--list-tests")
_SCRIPT = re.compile(r"(?:(?:run|all|unit|self|py|main|[-_])*tests?(?:suite|runner|run|all|[-_])*|test_\w+)\.py")
_MODULE = re.compile(r"tests|\w+(?:\.\w+)*\.(?:(?:run_?|self)?tests?|test_\w+)(?:\.__main__)?")
_NOT_RUN = (126, 127)  # what a shell answers for a command that it could not run


def own(words: Sequence[str]) -> tuple[str, ...] | None:
    """The words of a project's call as those of this checker; None where they run no tests that it knows of."""
    name, rest = _MODULES.get(words[0], words[0]), words[1:]
    if set(words) & set(_ASKING):
        return None
    if name == "python":
        return (NAME, *words) if rest and _is_script(rest) else None
    if _MODULE.fullmatch(name) or (name == "doctest" and rest):
        return (NAME, "python", "-m", *words)
    wanted = _PROGRAMS.get(name)
    return (NAME, name, *rest) if wanted is not None and (not wanted or set(wanted) & set(rest)) else None


def _is_script(words: Sequence[str]) -> bool:
    name = words[0].rpartition("/")[2]
    return bool(_SCRIPT.fullmatch(name)) or (name == "setup.py" and "test" in words[1:])


def of_python(call: Sequence[str]) -> bool:
    """Whether such a call is how the tests of Python are run; examples in documentation are more than these."""
    doctest = call[:3] == ("python", "-m", "doctest")
    return not doctest and call[:1] in [(name,) for name in ("python", "tox", "nox", *_PYTHONS)]


_PYTHONS = ("zope-testrunner", "nose2", "nosetests", "trial", "green", "ward", "stestr", "testr")


def argv(setting: Setting) -> tuple[str, ...]:
    return (setting.tool, *setting.call[1:])


def parse(output: Output, setting: Setting) -> Outcome:
    if output.code in _NOT_RUN:
        raise Malformed(": ".join((f"exit code {output.code}", *last_lines(output)[-1:])))
    if unittest_.ended(output):
        try:
            read = unittest_.parse(output, setting)
            if isinstance(read, Found if output.code else Clean):
                return read
        except Malformed:
            if not output.code:
                raise
    reading = known_outputs.read(output, setting.root)
    if not output.code:
        return Clean(known_outputs.passed(reading) or Tests(1, 0))
    found = tuple(one._replace(severity="test") for one in reading.diagnostics)
    number = reading.tests if reading.tests and reading.tests.failed else Tests(1, 1)
    return Found(found or (failed(output, "test"),), number)


def title(call: Sequence[str]) -> str:
    """What a check is called: `zope-testrunner`, `make-check`, `runtests.py` for `python tests/runtests.py`."""
    name, *rest = [word for word in call if word != "-m"]
    if name == "python":
        return rest[0].rpartition("/")[2]
    plain = [word for word in rest if re.fullmatch(r"[\w.]+", word)] if name in _TASKS else []
    return "-".join((name, *plain[-1:]))


_TASKS = ("make", "just", "task", "poe", "pdm", "hatch", "tox", "nox")

CHECKER = Checker(
    name=NAME,
    stage="tests",
    argv=argv,
    parse=parse,
    roots=lambda _layout, _criteria: (),
    serves=("test_pass",),
    leaves_out="",
    title=title,
)
