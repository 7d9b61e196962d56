"""What jest and vitest write with `--json` and `--reporter=json`.

Learned from jest 29.7 and 30.5, vitest 4.1: a file that cannot be loaded is a failed suite without any test in it;
where an `afterAll` fails the suite is failed and all its tests have passed. `location` is null unless asked for, so
a failure's line is looked for in its stack.
"""

import re

from untilgreen.checkers.answer import Malformed, Reading, finding, items, line_of, one_line, tables, tested, within
from untilgreen.checkers.formats.documents import json_object, string
from untilgreen.core.model.outcome import Diagnostic
from untilgreen.core.record import Any

_RAN = ("passed", "failed")
_TITLE = re.compile(r"\A\s*● Test suite failed to run\s*")
_DETAILS = "\n    Details:\n"


def read(text: str) -> Reading:
    """The failing tests, with their files as printed (absolute), and how many ran. Raises Malformed.

    The rule is `describe > title`; "collection" for a file that could not be loaded, which hides its tests; "suite"
    for one that failed although its tests passed.
    """
    document = json_object(text)
    suites = tables(document, "testResults")
    if document.get("wasInterrupted") is True:
        raise Malformed("the run was interrupted")
    failing: list[Diagnostic] = []
    run = skipped = 0
    for suite in suites:
        tests = tables(suite, "assertionResults")
        ran = sum(test.get("status") in _RAN for test in tests)
        run, skipped = run + ran, skipped + len(tests) - ran
        failed = [_failure(test, suite) for test in tests if test.get("status") == "failed"]
        if suite.get("status") == "failed" and not failed:
            failed = [_suite(suite, loaded=bool(tests))]
            run += 1  # as a test that could not be collected is one of pytest's
        failing += failed
    announced = document.get("numFailedTests")
    if isinstance(announced, int) and announced > len(failing):
        raise Malformed(f"{announced} failing tests announced, {len(failing)} read")
    if document.get("success") is False and not failing and run:
        raise Malformed("it says that the run failed, and no test did")
    return tested(failing, run, skipped)


def tests(text: str) -> list[tuple[str, str, str]]:
    """Each test: its file as printed, `describe > title`, and "passed", "failed" or another word. Raises Malformed."""
    suites = tables(json_object(text), "testResults")
    return [
        (string(suite, "name"), _title(test), string(test, "status"))
        for suite in suites
        for test in tables(suite, "assertionResults")
    ]


def _title(test: dict[str, Any]) -> str:
    titles = [*map(str, items(test, "ancestorTitles", missing=[])), string(test, "title")]
    return " > ".join(" ".join(title.split()) for title in titles if title) or string(test, "fullName")


def _failure(test: dict[str, Any], suite: dict[str, Any]) -> Diagnostic:
    file = string(suite, "name")
    messages = [*map(str, items(test, "failureMessages", missing=[]))]
    line = line_of(within(test, "location", "line")) or _line(file, messages)
    return finding((file, line), _title(test), "test", one_line(messages[0]) if messages else "failed")


def _suite(suite: dict[str, Any], *, loaded: bool) -> Diagnostic:
    file = string(suite, "name")
    said = _TITLE.sub("", string(suite, "message"))
    message = one_line(said.partition(_DETAILS)[2] or said) or "the suite failed"
    rule = "suite" if loaded else "collection"
    return finding((file, _line(file, [said])), rule, "test", message, hides=not loaded)


def _line(file: str, messages: list[str]) -> int:
    """The first line of this file that a stack trace names."""
    place = re.compile(re.escape(file) + r":([0-9]{1,9})\b") if file else None
    found = filter(None, map(place.search, messages)) if place else iter(())
    return next((int(match[1]) for match in found), 0)
