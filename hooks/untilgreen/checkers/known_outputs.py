"""What a command says that goes by its exit code, where it is the output of tools that are known: tests by name and
number, and where compilers stopped: gcc and its like, javac, tsc, go, rustc and Python. A report that cannot be read
says nothing: the exit code has decided already.

Learned from gcc 12.2, TypeScript 5.9, Go 1.19, rustc 1.95 and Python 3.11.
"""

import re
from collections.abc import Iterator
from contextlib import suppress

from untilgreen.checkers.answer import Malformed, Reading, failed, matched, plain, relative
from untilgreen.checkers.python import unittest_
from untilgreen.core.model.outcome import Clean, Diagnostic, Found, Output, Setting, Tests

_GO, _RUST, _TAP, _DOCTEST = "\n--- FAIL: ", "\ntest result: ", "TAP version 1", "Failed example:"
_NOTHING = Reading(())
_PYTEST = (" passed", " failed", " error")
# a file, then its line and column in brackets: TypeScript, and .NET's compilers
_BRACKETED = r"(?m)^[ \t]*(?P<file>\S.*?)\({at}\): error (?P<rule>[A-Z]+\d+): (?P<message>.+)$"
_RUSTC = r"(?m)^error(?:\[(?P<rule>E\d+)\])?: (?P<message>.+)\n +--> (?P<file>[^\n]+?):{at}$"
_AT = r"(?P<line>\d{1,9})[:,](?P<column>\d{1,9})"
_PYTHON = (
    r"(?m)^(?:\*\*\*)? *File \"(?P<file>[^\"\n]+)\", line (?P<line>\d{1,9})\n(?:.*\n){1,3}?"
    r"(?P<rule>SyntaxError|IndentationError|TabError): (?P<message>.+)$"
)
_HIDING = (_RUSTC, _PYTHON)  # what is wrong behind these is not looked at


def ended(output: Output, root: str, severity: str = "", *, fine: bool) -> Clean | Found:
    """What a command comes to that goes by its exit code: the failing tests, or else the errors of compilers, or else
    the end of what it printed, with files relative to `root`, and how many tests ran, None where nobody says. One that
    is `fine` may have meant tests to fail; what was found is of this severity, where one is given."""
    shown = plain(output)
    readings = [one for one in _of_tests(shown, root) if one.tests is not None]
    tests = [one.tests for one in readings if one.tests]
    number = Tests(sum(one.run for one in tests), sum(one.failed for one in tests)) if tests else None
    found = [one for reading in readings for one in reading.diagnostics]
    if output.code and not found:
        found = list(dict.fromkeys(_of_compilers(shown)))
    if fine:
        return Clean(None if found else number)
    placed = (one._replace(file=relative(one.file, root), severity=severity or one.severity) for one in found)
    return Found(tuple(placed) or (failed(output, severity or "error"),), number)


def _of_tests(output: Output, root: str) -> Iterator[Reading]:
    """What each runner's reader makes of it."""
    text = f"\n{output.stderr}\n{output.stdout}"
    if " in " in text and any(word in text for word in _PYTEST):
        from untilgreen.checkers.formats import runners

        with suppress(Malformed):
            yield runners.pytest_printed(text) or _NOTHING
    if unittest_.ended(output):
        with suppress(Malformed):
            read = unittest_.parse(output, Setting("", root))
            if isinstance(read, Clean | Found):
                yield Reading(read.diagnostics if isinstance(read, Found) else (), read.tests)
    if _DOCTEST in text:
        from untilgreen.checkers.formats import runners

        with suppress(Malformed):  # how many examples there are is not told where they do not fail
            yield Reading(tuple(runners.doctests(output.stdout)), Tests(1, 1))
    if _TAP in output.stdout:
        from untilgreen.checkers.js import npm_runners

        with suppress(Malformed):
            yield npm_runners.printed(output.stdout) or _NOTHING
    if _RUST in text:
        from untilgreen.checkers.other import cargo_test

        yield cargo_test.printed(output.stdout, root)
    if _GO in text:
        from untilgreen.checkers.other import go_test

        yield go_test.printed(output.stdout, root)


def _of_compilers(output: Output) -> Iterator[Diagnostic]:
    """The errors, files as they are printed."""
    from untilgreen.checkers.formats import linters as forms
    from untilgreen.checkers.other import go

    text = f"{output.stderr}\n{output.stdout}"
    yield from (one for one in forms.gcc(text).diagnostics if one.severity == "error" and one.file)
    yield from (one for one in go.mistakes(text, "compile", "error") if one.file.endswith(".go"))
    for pattern in (_BRACKETED, *_HIDING):
        for match in re.finditer(pattern.replace("{at}", _AT), text):
            yield matched(match, rule="compile", hides=pattern in _HIDING)
