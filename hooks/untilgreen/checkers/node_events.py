"""What `node_reporter.mjs` writes: the tests of Node's own runner, a JSON object on each line, children first.

Learned from node 18.20, 20.20, 22.23 and 24.21: a file that calls `process.exit(0)` before or in its tests passes as
one test that bears the file's name; one that cannot be loaded fails as such, and its reason is on stderr, or in a
remark of the runner. A test that fails for its subtests alone says "subtestsFailed"; a failing hook cancels the tests
and fails their suite.
"""

import re
from typing import Any

from untilgreen.checkers.answer import Malformed, Reading, finding, line_of, number, one_line, tested
from untilgreen.checkers.formats.documents import json_lines, string
from untilgreen.core.model.outcome import Diagnostic


def read(text: str) -> Reading:
    """The failing tests, with their files as printed (absolute), and how many ran. Raises Malformed.

    The rule is `suite > test`; "collection" for a file that failed as a whole, which hides its tests.
    """
    events = json_lines(text)
    if not events or events.pop() != {"end": True}:
        raise Malformed("the report ends early")
    depths = [number(event, "nesting") for event in events]
    path: tuple[str, ...] = ()  # the test's name and, before it, those of the tests around it
    failing, others = list[Diagnostic](), list[dict[str, Any]]()
    for index in reversed(range(len(events))):  # the last one first: so each comes after the tests around it
        event, depth = events[index], depths[index]
        path = (*path[:depth], " ".join(string(event, "name").split()))
        leaf, status = index == 0 or depths[index - 1] <= depth, string(event, "status")
        if status not in ("pass", "fail", "skipped"):
            raise Malformed(f"a test has another status: {status}")
        if status == "fail" and (leaf or event.get("failure") != "subtestsFailed"):
            failing.append(_diagnostic(event, " > ".join(path)))
        elif leaf and not event.get("suite"):
            others.append(event)
    passed = [event for event in others if event["status"] == "pass"]
    run = sum(event.get("whole") is not True for event in passed) + len(failing)
    if passed and not run:
        raise Malformed(f"no test ran: {len(passed)} file(s) ended without one")
    return tested(reversed(failing), run, len(others) - len(passed))


def _diagnostic(event: dict[str, Any], rule: str) -> Diagnostic:
    file, message = string(event, "file"), one_line(string(event, "message")).replace(":; ", ": ")
    if event.get("whole") is not True:
        return finding(file, line_of(event.get("line")), rule, "test", message or "failed")
    # a file, which has failed outside of its tests
    said = string(event, "said")
    errors = re.findall(r"^(?:\w*Error\b|Warning:).*", said, re.MULTILINE)
    place = re.search(re.escape(file) + r":([0-9]{1,9})\b", said)
    message = errors[0] if errors else f"{message or 'failed'}, exit code {event.get('exit')}"
    return finding(file, int(place[1]) if place else 0, "collection", "test", message, hides=True)
