"""What ava, tap and tape print as TAP: each named test once, however many assertions of it failed.

Learned from ava 3.15 and 6.4 (a file that cannot be loaded is one failing point more than the plan says, and its reason
another), tap 16.3 and 21.8 (files, the tests in them, their assertions; without a file that is a failing test),
tape 4.17 and 5.10 (the name of a test is a comment, only assertions count; what is thrown ends it without a plan).
"""

import re
from collections.abc import Callable, Iterable
from itertools import groupby

from untilgreen.checkers.answer import Malformed, Reading, finding, tested
from untilgreen.checkers.formats import tap
from untilgreen.checkers.formats.tap import Point
from untilgreen.core.model.outcome import Diagnostic

RUNNERS = ("ava", "tap", "tape")
_HEADER = re.compile(r"(?m)^TAP version 1[34][ \t\r]*$")
# ava's points that are no tests: a file that ended by itself, and what was thrown outside of tests
_ENDED = re.compile(r"(?P<file>\S+) (?:exited (?:with|due)|timed out)|(?:No tests found|Failed to \w+) in (?P<in>\S+)")
_THROWN = re.compile(r"\w*(?:Error|Exception): ")


def read(runner: str, text: str) -> Reading:
    """The failing tests, and how many ran. Raises Malformed. The rule is the full title; "collection" for a file that
    could not be loaded, or ended otherwise than its tests say, which may hide some."""
    return {"ava": _ava, "tap": _tap, "tape": _tape}[runner](text)


def printed(text: str) -> Reading | None:
    """What a script prints that runs its test files itself, one report after the other; None where there is no report.
    Raises Malformed."""
    parts = _HEADER.split(text)[1:]
    named = re.search(r"(?m)^# pass {2}\d", text) is not None  # of those two blanks, tape's
    readings = [_tape(part) if named else tap.read(part) for part in parts]
    failing = [found for one in readings for found in one.diagnostics]
    return tested(failing, sum(one.tests.run for one in readings if one.tests), 0) if parts else None


def is_test(point: Point) -> bool:
    """Whether a point of ava's is a test."""
    return not _ENDED.match(point.name) and not _THROWN.match(point.name)


def _folded(points: Iterable[Point], title: Callable[[Point], str], told: Callable[[Point], Diagnostic]) -> Reading:
    """Each run of points of one title as one test, with its first failure."""
    tests = [list(points) for _, points in groupby(points, title)]
    failing = [next((one for one in test if one.passed is False), None) for test in tests]
    ran = sum(any(one.passed is not None for one in test) for test in tests)
    return tested([told(one) for one in failing if one], ran, len(tests) - ran)


def _tape(text: str) -> Reading:
    def told(test: Point) -> Diagnostic:
        values = tap.details(test)
        compared = f": expected {values['expected']}, got {values.get('actual')}" if "expected" in values else ""
        return finding(tap.place(values), test.title or test.name, "test", test.name + compared)

    return _folded(tap.points(text), lambda test: test.title or test.name, told)


def _tap(text: str) -> Reading:
    """Of `FILE > TEST > ASSERTION` the first part is the file's, the last one what failed."""

    def told(test: Point) -> Diagnostic:
        values, (file, *titles) = tap.details(test), test.name.split(" > ")
        place, line = tap.place(values)
        if not titles and ("exitCode" not in values or file == "no tests specified"):
            raise Malformed(file)
        if not titles:
            said = f"exit code {values['exitCode']}"
            return finding((values.get("externalID", place) or file,), "collection", "test", said, hides=True)
        diff = [line for line in values.get("diff", "").split("; ") if line and line[:2] not in ("--", "++", "@@")]
        message = ": ".join((titles[-1], *(["; ".join(diff)] if diff else [])))
        return finding((place or file, line), " > ".join(titles[:-1] or titles), "test", message)

    return _folded(tap.points(text), lambda test: test.name.rpartition(" > ")[0] or test.name, told)


def _ava(text: str) -> Reading:
    points = tap.points(text, unplanned=True)
    ended = [match["file"] or match["in"] for test in points if (match := _ENDED.match(test.name))]
    thrown = [test.name for test in points if _THROWN.match(test.name)]
    tests = [test for test in points if is_test(test)]
    files = list(dict.fromkeys(ended)) or [""] * bool(thrown)
    reasons = thrown or [test.name for test in points if _ENDED.match(test.name)]
    whole = [
        finding((file,), "collection", "test", reasons[min(number, len(reasons) - 1)], hides=True)
        for number, file in enumerate(files)
    ]
    ran = sum(test.passed is not None for test in tests)
    failing = [_ava_told(test) for test in tests if test.passed is False]
    return tested([*whole, *failing], ran + len(whole), len(tests) - ran)


def _ava_told(test: Point) -> Diagnostic:
    values = tap.details(test)
    said = [values.get("message") or values.get("assertion", "")]
    said += [
        value if said[0].startswith(key) else f"{key}: {value}" for key, value in values.items() if key[0].isupper()
    ]
    return finding(tap.place(values), test.name, "test", ": ".join(filter(None, said)) or "failed")
