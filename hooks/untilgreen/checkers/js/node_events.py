"""What `node_reporter.mjs` writes: the tests of Node's own runner, a JSON object on each line, children first.

Learned from node 18.20, 20.20, 22.23 and 24.21: a file that calls `process.exit(0)` before or in its tests passes as
one test that bears the file's name; one that cannot be loaded fails as such, and its reason is on stderr, or in a
remark of the runner. A test that fails for its subtests alone says "subtestsFailed"; a failing hook cancels the tests
and fails their suite.
"""

import re

from untilgreen.checkers.answer import Malformed, Reading, finding, number, one_line, tested
from untilgreen.checkers.formats.documents import json_lines, string
from untilgreen.core.model.outcome import Diagnostic
from untilgreen.core.record import Any


def read(text: str) -> Reading:
    """The failing tests, with their files as printed (absolute), and how many ran. Raises Malformed.

    The rule is `suite > test`; "collection" for a file that failed as a whole, which hides its tests.
    """
    failing, others = list[Diagnostic](), list[dict[str, Any]]()
    for event, rule, leaf in _walked(text):
        if _fails(event, leaf):
            failing.append(_diagnostic(event, rule))
        elif leaf and not event.get("suite"):
            others.append(event)
    passed = [event for event in others if event["status"] == "pass"]
    run = sum(event.get("whole") is not True for event in passed) + len(failing)
    if passed and not run:
        raise Malformed(f"no test ran: {len(passed)} file(s) ended without one")
    return tested(reversed(failing), run, len(others) - len(passed))


def tests(text: str) -> list[tuple[str, str, str]]:
    """Each test: its file as printed, `suite > test`, and "passed", "failed" or "skipped"; what holds others is one
    where it failed by itself. Raises Malformed."""
    words = {"pass": "passed", "fail": "failed", "skipped": "skipped"}
    return [
        (string(event, "file"), title, words[event["status"]])
        for event, title, leaf in reversed(_walked(text))
        if event.get("whole") is not True and (_fails(event, leaf) or (leaf and not event.get("suite")))
    ]


def _fails(event: dict[str, Any], leaf: bool) -> bool:
    """Whether it failed by itself, not for a test within it."""
    return event["status"] == "fail" and (leaf or event.get("failure") != "subtestsFailed")


def _walked(text: str) -> list[tuple[dict[str, Any], str, bool]]:
    """Each event with its `suite > test`, and whether no other is within it; the last one first."""
    events = json_lines(text)
    if not events or events.pop() != {"end": True}:
        raise Malformed("the report ends early")
    depths = [number(event, "nesting") for event in events]
    path: tuple[str, ...] = ()  # the test's name and, before it, those of the tests around it
    walked = []
    for index in reversed(range(len(events))):  # so each comes after the tests around it
        event, depth = events[index], depths[index]
        path = (*path[:depth], " ".join(string(event, "name").split()))
        status = string(event, "status")
        if status not in ("pass", "fail", "skipped"):
            raise Malformed(f"a test has another status: {status}")
        walked.append((event, " > ".join(path), index == 0 or depths[index - 1] <= depth))
    return walked


def _diagnostic(event: dict[str, Any], rule: str) -> Diagnostic:
    file, message = string(event, "file"), one_line(string(event, "message")).replace(":; ", ": ")
    if event.get("whole") is not True:
        return finding((file, event.get("line")), rule, "test", message or "failed")
    # a file, which has failed outside of its tests
    said = string(event, "said")
    errors = re.findall(r"^(?:\w*Error\b|Warning:).*", said, re.MULTILINE)
    place = re.search(re.escape(file) + r":([0-9]{1,9})\b", said)
    message = errors[0] if errors else f"{message or 'failed'}, exit code {event.get('exit')}"
    return finding((file, int(place[1]) if place else 0), "collection", "test", message, hides=True)
