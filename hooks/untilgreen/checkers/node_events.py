"""What `node_reporter.mjs` writes: the tests of Node's own runner, a JSON object on each line, children first.

Learned from node 18.20, 20.20, 22.23 and 24.21: a file that calls `process.exit(0)` before or in its tests passes as
one test that bears the file's name; one that cannot be loaded fails as such, and its reason is on stderr, or in a
remark of the runner. A test that fails for its subtests alone says "subtestsFailed"; a failing hook cancels the tests
and fails their suite.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from untilgreen.checkers.answer import Malformed, Reading, finding, line_of, number, one_line, tested
from untilgreen.checkers.formats.documents import json_lines, string
from untilgreen.core.model.outcome import Diagnostic


class _Test(NamedTuple):
    """A test or suite that ended. `path`: its name and, before it, those of the tests around it. `whole`: it is a
    file, which has failed outside of its tests or has named none."""

    path: tuple[str, ...]
    leaf: bool
    status: str
    whole: bool
    event: dict[str, Any]


def read(text: str) -> Reading:
    """The failing tests, with their files as printed (absolute), and how many ran. Raises Malformed.

    The rule is `suite > test`; "collection" for a file that failed as a whole, which hides its tests.
    """
    events = json_lines(text)
    if not events or events.pop() != {"end": True}:
        raise Malformed("the report ends early")
    tests = list(_tests(events))
    failing = [_diagnostic(test) for test in reversed(tests) if test.status == "fail"]
    leaves = [test for test in tests if test.leaf and not test.event.get("suite")]
    passed = [test for test in leaves if test.status == "pass"]
    run = sum(not test.whole for test in passed) + len(failing)
    if passed and not run:
        raise Malformed(f"no test ran: {len(passed)} file(s) ended without one")
    return tested(failing, run, len(leaves) - len(passed))


def _tests(events: Sequence[dict[str, Any]]) -> Iterator[_Test]:
    """The last one first: so each comes after the tests around it."""
    path: tuple[str, ...] = ()
    depths = [number(event, "nesting") for event in events]
    for index in reversed(range(len(events))):
        event, depth = events[index], depths[index]
        path = (*path[:depth], " ".join(string(event, "name").split()))
        leaf = index == 0 or depths[index - 1] <= depth
        status = string(event, "status")
        if status not in ("pass", "fail", "skipped"):
            raise Malformed(f"a test has another status: {status}")
        if status == "fail" and event.get("failure") == "subtestsFailed" and not leaf:
            status = "skipped"
        yield _Test(path, leaf, status, event.get("whole") is True, event)


def _diagnostic(test: _Test) -> Diagnostic:
    event = test.event
    file, message = string(event, "file"), one_line(string(event, "message")).replace(":; ", ": ")
    if not test.whole:
        return finding(file, line_of(event.get("line")), " > ".join(test.path), "test", message or "failed")
    said = string(event, "said")
    errors = re.findall(r"^(?:\w*Error\b|Warning:).*", said, re.MULTILINE)
    place = re.search(re.escape(file) + r":([0-9]{1,9})\b", said)
    message = errors[0] if errors else f"{message or 'failed'}, exit code {event.get('exit')}"
    return finding(file, int(place[1]) if place else 0, "collection", "test", message, hides=True)
