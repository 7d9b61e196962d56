"""The runners of `npm test`: what they say of each test, and how they are told which to run.

jest, vitest and mocha (by a reporter of ours) write jest's JSON, Node's own runner (by another) a JSON object on each
line, children first; ava, tap and tape print TAP. Learned from:

- node 18.20, 20.20, 22.23 and 24.21: a file that calls `process.exit(0)` before or in its tests passes as one test that
  bears the file's name; one that cannot be loaded fails as such, and its reason is on stderr, or in a remark of the
  runner. A test that fails for its subtests alone says "subtestsFailed"; a failing hook cancels the tests and fails
  their suite. It takes no names by NODE_OPTIONS, and tape none at all.
- ava 3.15 and 6.4: a file that cannot be loaded is one failing point more than the plan says, and its reason another.
  Where there are several files, a part of a file's name is before a title.
- tap 16.3 and 21.8: files, the tests in them, their assertions; without a file that is a failing test.
- tape 4.17 and 5.10: the name of a test is a comment, only assertions count; what is thrown ends it without a plan.
- jest 30.5, vitest 4.1, mocha 12.0: a name is matched with those of all that is around it, blanks between.
"""

import re
from collections.abc import Callable, Sequence
from itertools import groupby

from untilgreen.checkers.answer import Malformed, Reading, finding, one_line, tested
from untilgreen.checkers.documents import json_lines, number, string
from untilgreen.checkers.formats import runners, tap
from untilgreen.checkers.naming import ARROW
from untilgreen.core.model.outcome import Diagnostic, TestId
from untilgreen.core.record import Any, NamedTuple

PRINTING = ("ava", "tap", "tape")  # TAP, on stdout
HOOK = r'"(?:before|after) (?:all|each)" hook'  # of mocha; the tests behind it did not run
_HEADER = re.compile(r"(?m)^TAP version 1[34][ \t\r]*$")
# ava's points that are no tests: a file that ended by itself, and what was thrown outside of tests
_ENDED = re.compile(r"(?P<file>\S+) (?:exited (?:with|due)|timed out)|(?:No tests found|Failed to \w+) in (?P<in>\S+)")
_THROWN = re.compile(r"\w*(?:Error|Exception): ")
_ENDS = {True: "passed", False: "failed", None: "skipped", "pass": "passed", "fail": "failed", "skipped": "skipped"}


class EndedTest(NamedTuple):
    """A test of a report: how it ended, its file as printed and its title, "" where a file is meant or that cannot be
    told, a line for each of several; what failed in it, where something did."""

    end: str
    file: str
    title: str
    failure: Diagnostic | None = None


def read(runner: str, text: str) -> Reading:
    """The failing tests, with their files as printed, and how many ran. Raises Malformed. The rule is `suite > test`;
    "collection" for a file that could not be loaded, or ended otherwise than its tests say, which may hide some."""
    return _told(_CASES[runner](text)) if runner in _CASES else runners.jest_report(text)


def tests(runner: str, text: str) -> list[tuple[str, str, str]]:
    """Each test: its file as printed, `suite > test`, and "passed", "failed" or another word. Raises Malformed, also
    where a test cannot be told from what is none."""
    if runner not in _CASES:
        return [test for test in runners.jest_tests(text) if runner != "mocha" or not re.search(HOOK, test[1])]
    cases = _CASES[runner](text)
    if runner in ("tap", "tape") and not all(case.title for case in cases):
        raise Malformed("a test cannot be told from an assertion")
    return [(case.file, title, case.end) for case in cases if case.title for title in case.title.split("\n")]


def printed(text: str) -> Reading | None:
    """The reports of a script that runs its test files itself, one after the other; None for none. Raises Malformed."""
    parts = _HEADER.split(text)[1:]
    named = re.search(r"(?m)^# pass {2}\d", text) is not None  # of those two blanks, tape's
    readings = [_told(_of_tape(part)) if named else tap.read(part) for part in parts]
    failing = [found for one in readings for found in one.diagnostics]
    return tested(failing, sum(one.tests.run for one in readings if one.tests), 0) if parts else None


def _told(cases: Sequence[EndedTest]) -> Reading:
    ran = sum(case.end != "skipped" for case in cases)
    return tested([case.failure for case in cases if case.failure], ran, len(cases) - ran)


def _of_node(text: str) -> list[EndedTest]:
    """What failed by itself, and what holds no other test; not the files that passed."""
    events = json_lines(text)
    if not events or events.pop() != {"end": True}:
        raise Malformed("the report ends early")
    depths = [number(event, "nesting") for event in events]
    path: tuple[str, ...] = ()  # the test's name and, before it, those of the tests around it
    cases, ended = list[EndedTest](), 0
    for index in reversed(range(len(events))):  # so each comes after the tests around it
        event, depth = events[index], depths[index]
        path = (*path[:depth], " ".join(string(event, "name").split()))
        status, whole = string(event, "status"), event.get("whole") is True
        if status not in ("pass", "fail", "skipped"):
            raise Malformed(f"a test has another status: {status}")
        leaf = index == 0 or depths[index - 1] <= depth
        if status == "fail" and (leaf or event.get("failure") != "subtestsFailed"):
            title = " > ".join(path)
            cases.append(
                EndedTest("failed", string(event, "file"), "" if whole else title, _node_failure(event, title))
            )
        elif leaf and status != "fail" and not event.get("suite"):
            ended += whole and status == "pass"
            cases += [EndedTest(_ENDS[status], string(event, "file"), "" if whole else " > ".join(path))]
    cases = [case for case in cases if case.title or case.end != "passed"]
    if ended and all(case.end == "skipped" for case in cases):
        raise Malformed(f"no test ran: {ended} file(s) ended without one")
    return cases[::-1]


def _node_failure(event: dict[str, Any], rule: str) -> Diagnostic:
    file, message = string(event, "file"), one_line(string(event, "message")).replace(":; ", ": ")
    if event.get("whole") is not True:
        return finding((file, event.get("line")), rule, "test", message or "failed")
    # a file, which has failed outside of its tests
    said = string(event, "said")
    errors = re.findall(r"^(?:\w*Error\b|Warning:).*", said, re.MULTILINE)
    place = re.search(re.escape(file) + r":([0-9]{1,9})\b", said)
    message = errors[0] if errors else f"{message or 'failed'}, exit code {event.get('exit')}"
    thrown = re.search(r"(?m)^(?:file://)?(?P<file>/(?!.*/node_modules/).+):(?P<line>\d{1,9})$", said)
    if thrown and thrown["file"] != file:  # by what it loads
        message += f" at {thrown['file']}:{thrown['line']}"
    return finding((file, place and place[1]), "collection", "test", message, hides=True)


def _folded(
    points: Sequence[tap.Point],
    key: Callable[[tap.Point], str],
    titled: Callable[[list[tap.Point]], tuple[str, str]],
    failure: Callable[[tap.Point], Diagnostic],
) -> list[EndedTest]:
    """Each run of points of one key as one test, of a file and a title, with its first failure."""
    cases = []
    for _, group in groupby(points, key):
        test = [*group]
        first = next((point for point in test if point.passed is False), None)
        end = "failed" if first else "skipped" if {point.passed for point in test} == {None} else "passed"
        cases.append(EndedTest(end, *titled(test), failure(first) if first else None))
    return cases


def _of_tape(text: str) -> list[EndedTest]:
    def titled(test: list[tap.Point]) -> tuple[str, str]:
        return "", re.sub(r"^(?:TODO|SKIP) ", "", test[0].title)

    def failure(point: tap.Point) -> Diagnostic:
        values = tap.details(point)
        compared = f": expected {values['expected']}, got {values.get('actual')}" if "expected" in values else ""
        return finding(tap.place(values), point.title or point.name, "test", point.name + compared)

    return _folded(tap.points(text), lambda point: point.title or point.name, titled, failure)


def _of_tap(text: str) -> list[EndedTest]:
    """Of `FILE > TEST > ASSERTION` the first part is the file's, the last one what failed."""

    def titled(test: list[tap.Point]) -> tuple[str, str]:
        file, *titles = test[0].name.split(" > ")
        if len(titles) == 1 and all(point.passed is None for point in test):  # tests without assertions
            return file, "\n".join(point.name.partition(" > ")[2] for point in test)
        return file, " > ".join(titles[:-1])

    def failure(point: tap.Point) -> Diagnostic:
        values, (file, *titles) = tap.details(point), point.name.split(" > ")
        place, line = tap.place(values)
        if not titles and ("exitCode" not in values or file == "no tests specified"):
            raise Malformed(file)
        if not titles:
            said = f"exit code {values['exitCode']}"
            return finding((values.get("externalID", place) or file,), "collection", "test", said, hides=True)
        diff = [line for line in values.get("diff", "").split("; ") if line and line[:2] not in ("--", "++", "@@")]
        message = ": ".join((titles[-1], *(["; ".join(diff)] if diff else [])))
        return finding((place or file, line), " > ".join(titles[:-1] or titles), "test", message)

    return _folded(tap.points(text), lambda point: point.name.rpartition(" > ")[0] or point.name, titled, failure)


def _of_ava(text: str) -> list[EndedTest]:
    points = tap.points(text, unplanned=True)
    ended = {one.name: match["file"] or match["in"] for one in points if (match := _ENDED.match(one.name))}
    thrown = [one.name for one in points if _THROWN.match(one.name)]
    reasons, cases = thrown or [*ended], list[EndedTest]()
    for place, file in enumerate(dict.fromkeys(ended.values()) or [""] * bool(thrown)):
        reason = reasons[min(place, len(reasons) - 1)]
        cases.append(EndedTest("failed", file, "", finding((file,), "collection", "test", reason, hides=True)))
    for point in points:
        if point.name not in (*ended, *thrown):
            title, failed = point.name.partition(ARROW)[2] or point.name, point.passed is False
            cases.append(EndedTest(_ENDS[point.passed], "", title, _ava_failure(point) if failed else None))
    return cases


def _ava_failure(point: tap.Point) -> Diagnostic:
    values = tap.details(point)
    said = [values.get("message") or values.get("assertion", "")]
    more = ((key, value) for key, value in values.items() if key[0].isupper())
    said += [value if said[0].startswith(key) else f"{key}: {value}" for key, value in more]
    return finding(tap.place(values), point.name, "test", ": ".join(filter(None, said)) or "failed")


_CASES: dict[str, Callable[[str], list[EndedTest]]] = {
    "node": _of_node,
    "tape": _of_tape,
    "tap": _of_tap,
    "ava": _of_ava,
}


def chosen(name: str, wanted: Sequence[TestId]) -> tuple[str, ...]:
    """The options and files by which a runner runs these tests alone; () where it cannot."""
    ids, files = tuple(dict.fromkeys(test.id for test in wanted)), tuple(dict.fromkeys(test.file for test in wanted))
    if name in ("jest", "vitest") and all(files):
        # a suite is what failed behind its tests: all of its file
        by_name = ("-t", _pattern(ids)) if all(ids) and "suite" not in ids else ()
        return (*((f"(?:^|/){re.escape(file)}$" for file in files) if name == "jest" else files), *by_name)
    if name == "mocha" and all(ids):
        return ("--grep", _pattern(ids))
    if name == "tap" and all(ids):
        return (f"--grep=/{_pattern(tuple(one.partition(' > ')[0] for one in ids))}/",)
    if name == "ava" and all(ids) and not any(one.startswith("!") for one in ids):
        titles = dict.fromkeys(title for one in ids for title in (one, one.partition(ARROW)[2]) if title)
        return tuple(f"--match={title}" for title in titles)
    return ()


def _pattern(ids: Sequence[str]) -> str:
    """A regular expression of JavaScript for these titles, ` > ` between those of a suite and its test."""
    escaped = (re.sub(r"[\\^$.*+?()[\]{}|/-]", r"\\\g<0>", one) for one in ids)
    titles = (r"\s+(?:>\s+)?".join(r"\s+".join(part.split()) for part in one.split(" > ")) for one in escaped)
    return rf"^\s*(?:{'|'.join(titles)})\s*$"
