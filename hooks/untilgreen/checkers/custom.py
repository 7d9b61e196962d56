"""The user's own commands: the exit code decides, or a report in a known format and then the exit code.

The report is stdout, or the file that stands for `{report}` in the command; formats that are lines among others are
read from stderr too, where compilers write them. Without a format what known tools print is the finding, tests by name
and number, where compilers stopped; else the end of the output.
"""

import re
from collections.abc import Iterator
from contextlib import suppress

from untilgreen.checkers import formats
from untilgreen.checkers.answer import Malformed, Reading, failed, first_line, last_lines, plain, relative, tail
from untilgreen.checkers.checker import unfinished
from untilgreen.checkers.python import unittest_
from untilgreen.core.model.outcome import SOME, Broken, Clean, Found, Outcome, Output, Pending, Tests
from untilgreen.core.model.settings import CheckSetting

BETWEEN = "\0"  # reports in one text
REPORT = "{report}"  # what stands in a command for the file that it is to write
_WIDTH = 300  # characters of one line
_NOT_RUN = {126: "could not be executed", 127: "command not found"}  # what shells and env(1) answer
# colours and links (OSC, CSI, others), which would hide the beginning of a line
_ESCAPES = re.compile(r"\x1b(?:\][^\x07\x1b\n]*(?:\x07|\x1b\\)|\[[0-?]*[ -/]*[@-~]|[ -/]*[0-~]|)")
_BY_EXIT_CODE = CheckSetting()
_FAILING = ("error", "security", "test")
_GO, _RUST, _TAP, _DOCTEST = "\n--- FAIL: ", "\ntest result: ", "TAP version 1", "Failed example:"
_PLAN = r"(?m)^1\.\.\d{1,9}\s*$"  # of TAP, from what does not name its version
_NOTHING = Reading(())
_PYTEST = (" passed", " failed", " error")


def outcome_of(name: str, output: Output, own: CheckSetting = _BY_EXIT_CODE, root: str = ".") -> Outcome:
    """What a command of the user's own ends as; the diagnostics bear `name`. `root`: the folder in which it ran.

    Without a format an exit code of `own.ok` is Clean, any other what known tools say in the output, or one error. With
    one, what the report holds is Found, and a report without findings is Clean only with such a code.
    """
    if not output.why and output.code in own.pending:
        return Pending("".join(last_lines(plain(output))[-1:])[:_WIDTH])
    fine = not output.why and output.code in own.ok
    reason = unfinished(output) or ("" if fine else _NOT_RUN.get(output.code or 0, ""))
    if reason:
        return Broken(reason, tail(output))
    if own.format in formats.EXIT_CODE:
        result = ended(output, root, fine=fine)
        if isinstance(result, Clean):
            return result
        return result._replace(diagnostics=tuple(one._replace(check=name) for one in result.diagnostics))
    try:
        reading = formats.reader(own.format, own.pattern)(_text(output, own))
    except Malformed as unclear:
        return Broken(first_line(f"{own.format}: {unclear}"), tail(output))
    diagnostics = tuple(found._replace(check=name) for found in reading.diagnostics)
    if not diagnostics:
        return Clean(reading.tests) if fine else Broken(f"exit code {output.code} and no findings", tail(output))
    if not fine and not any(found.severity in _FAILING for found in diagnostics):
        # a command that fails is never green; the report itself says nothing to anybody
        rest = output if _in_file(own) or own.format in formats.LINES else output._replace(stdout="")
        diagnostics += (failed(rest, "error", "nothing that it reported is an error")._replace(check=name),)
    return Found(diagnostics, reading.tests)


def _text(output: Output, own: CheckSetting) -> str:
    """The report, without escape sequences. Raises Malformed for a file that was not written."""
    text = f"{output.stdout}\n{output.stderr}" if own.format in formats.LINES else output.stdout
    if _in_file(own):
        text = output.report
        if not text.strip():
            raise Malformed("its file was not written, or is empty")
    return _ESCAPES.sub("", text)


def _in_file(own: CheckSetting) -> bool:
    return any(REPORT in word for word in own.command)


def ended(output: Output, root: str, severity: str = "", *, fine: bool) -> Clean | Found:
    """What a command comes to that goes by its exit code: the failing tests, or else the errors of compilers, or else
    the end of what it printed, with files relative to `root`, and how many tests ran, None where nobody says. One that
    is `fine` may have meant tests to fail; what was found is of this severity, where one is given."""
    shown = plain(output)
    readings = [(by, one) for by, one in _of_tests(shown, root) if one.tests is not None]
    tests = [one.tests for _, one in readings if one.tests]
    by = SOME if any(one.by == SOME for one in tests) else " ".join(dict.fromkeys(by for by, _ in readings))
    number = Tests(sum(one.run for one in tests), sum(one.failed for one in tests), by) if tests else None
    found = [one for _, reading in readings for one in reading.diagnostics]
    if output.code and not found:
        from untilgreen.checkers.formats import linters

        found = list(dict.fromkeys(linters.printed(f"{shown.stderr}\n{shown.stdout}")))
    if fine:
        return Clean(None if found else number)
    placed = (one._replace(file=relative(one.file, root), severity=severity or one.severity) for one in found)
    return Found(tuple(placed) or (failed(output, severity or "error"),), number)


def _of_tests(output: Output, root: str) -> Iterator[tuple[str, Reading]]:
    """By name what each runner's reader makes of it; reports that it left say more than what it printed."""
    reports = [reading for one in output.report.split(BETWEEN) if one for reading in _of_report(one)]
    if reports:
        yield from (("report", one) for one in reports)
        return
    text = f"\n{output.stderr}\n{output.stdout}"
    if " in " in text and any(word in text for word in _PYTEST):
        from untilgreen.checkers.formats import runners

        with suppress(Malformed):
            yield "pytest", runners.pytest_printed(text) or _NOTHING
    if unittest_.ended(output):
        with suppress(Malformed):
            yield "unittest", unittest_.printed(output, root)
    if _DOCTEST in text:
        from untilgreen.checkers.formats import runners

        with suppress(Malformed):  # how many examples there are is not told where they do not fail
            yield "doctest", Reading(tuple(runners.doctests(output.stdout)), Tests(1, 1, SOME))
    if _TAP in output.stdout:
        from untilgreen.checkers.js import npm_runners

        with suppress(Malformed):
            yield "tap", npm_runners.printed(output.stdout) or _NOTHING
    else:
        yield from _of_named(output.stdout)
    if _RUST in text:
        from untilgreen.checkers.other import cargo_test

        yield "cargo", cargo_test.printed(output.stdout, root)
    if _GO in text:
        from untilgreen.checkers.other import go_test

        yield "go", go_test.printed(output.stdout, root)


def _of_named(text: str) -> Iterator[tuple[str, Reading]]:
    """What programs print that are named by people or by CI: plain TAP, as bats does, and ctest's words."""
    if re.search(_PLAN, text):
        from untilgreen.checkers.formats import tap

        with suppress(Malformed):
            yield "tap", tap.read(text)
    if " tests passed, " in text:
        from untilgreen.checkers.formats import runners

        yield "ctest", runners.ctest_printed(text) or _NOTHING


def _of_report(text: str) -> Iterator[Reading]:
    """A report of JUnit's kind or .NET's; nothing where it is neither."""
    from untilgreen.checkers.formats import junit

    with suppress(Malformed):
        yield junit.trx(text) if "<TestRun" in text else junit.read(text)
