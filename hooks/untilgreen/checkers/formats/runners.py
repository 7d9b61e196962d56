"""What runners of tests report: pytest (the JSON of the plugin pytest-json-report, and what it prints for people),
doctest, and jest and vitest with `--json` and `--reporter=json`.

pytest's JSON was learned from 1.5 with pytest 9.0: node ids are relative to `root`, lines count from 0, a file that
could not be collected is in `collectors` alone. The text from 7.4 to 9.2 (and from doctest of Python 3.11 to 3.13): the
summary at the end names every failure and error unless `-r` leaves them out or `--no-summary` does, and its last line
counts them; with `-q` that line stands without its frame.

jest from 29.7 and 30.5, vitest 4.1: a file that cannot be loaded is a failed suite without any test in it; where an
`afterAll` fails the suite is failed and all its tests have passed. `location` is null unless asked for, so a failure's
line is looked for in its stack.
"""

import re

from untilgreen.checkers.answer import Malformed, Reading, finding, line_of, one_line, pieces, tested
from untilgreen.checkers.documents import items, json_object, number, string, tables, within
from untilgreen.core.model.outcome import Diagnostic, Tests
from untilgreen.core.record import Any

_SKIPPED = ("skipped", "xfailed")
_FAILED = ("failed", "error")
_COUNTS = r"(?m)^(?:=+ )?(no tests ran|\d{1,9} \w+(?:, \d{1,9} \w+)*) in \d[\d.]*s\b.*$"
_NAMED = r"(?m)^(?:FAILED|ERROR) (?P<file>[^\s:]+?)(?:::(?P<id>.+?))?(?: - (?P<message>.*))?$"
_SECTION = r"(?m)^_{2,} (?:ERROR (?:at (?:setup|teardown) of )?)?(?P<title>\S.*?) _{2,}$"
_RAN = ("passed", "failed", "xfailed", "xpassed", "error", "errors")
_BLOCK = (
    r'(?m)^File "(?P<file>[^"\n]+)", line (?P<line>\d{1,9}), in (?P<name>.+)\nFailed example:\n'
    r"(?P<source>(?:    .*\n)+)(?P<rest>(?:(?!\*{3}|File \").*\n)*)"
)
_PLACE = r"(?m)^\S.*?:(?P<line>\d{1,9}): (?:DocTestFailure|UnexpectedException)$"
_RAISED = (
    r"(?m)^UNEXPECTED EXCEPTION: (?P<unexpected>.+)$"
    r"|(?s:^Exception raised:\n.*^ {4}(?P<raised>[A-Za-z_][\w.]*(?::.*?)?)$)"
)
_TITLE = r"\A\s*● Test suite failed to run\s*"
_DETAILS = "\n    Details:\n"
# of ctest a test that failed, and what it said; and how many
_CTEST = (
    r"(?ms)^ *\d+/\d+ Test +#\d+: (?P<rule>[^\n]+?) \.*\*\*\*(?P<why>[^\n]+?) +[\d.]+ sec *\n(?P<said>.*?)"
    r"(?=^ +Start +\d|^ *\d+/\d+ Test|^\d+% tests)"
)
_CTESTS = r"(?m)^\d+% tests passed, (?P<failed>\d{1,9}) tests? failed out of (?P<run>\d{1,9})"


def pytest_report(text: str) -> Reading:
    """Failing tests and files that could not be collected, absolute where there is a `root`. Raises Malformed."""
    document = json_object(text)
    root, code = string(document, "root"), document.get("exitcode")
    root = root and f"{root}/"
    tests = tables(document, "tests")
    skipped = sum(test.get("outcome") in _SKIPPED for test in tests)
    failing = [_pytest_failure(test, root) for test in tests if test.get("outcome") in _FAILED]
    for one in tables(document, "collectors", missing=[]):
        if one.get("outcome") == "failed":
            said = string(one, "longrepr")
            message = (re.findall(r"(?m)^E (.*)$", said) or [said])[-1]
            failing.append(finding((root + string(one, "nodeid"),), "collection", "test", message, hides=True))
    if code not in (0, 1, 5) and not (code == 2 and any(one.hides for one in failing)):
        raise Malformed(f"pytest was cut short: its exit code is {code}")
    announced = sum(number(document, "summary", word, missing=0) for word in _FAILED)
    if announced > len(failing):
        raise Malformed(f"{announced} failing tests announced, {len(failing)} read")
    return tested(failing, len(tests) - skipped + sum(one.hides for one in failing), skipped)


def _pytest_failure(test: dict[str, Any], root: str) -> Diagnostic:
    file, _, name = string(test, "nodeid").partition("::")
    stages = (test.get(key) for key in ("setup", "call", "teardown"))
    stage = next((one for one in stages if within(one, "outcome") in _FAILED), None)
    said = string(stage, "crash", "message") or string(stage, "longrepr")
    line = number(test, "lineno") + 1 if within(test, "lineno") is not None else 0
    return finding((root + file, line), name, "test", one_line(said) or "failed")


def pytest_printed(text: str) -> Reading | None:
    """The failing tests and how many ran, of all runs in this text; None where there is none. Raises Malformed."""
    counted = re.findall(_COUNTS, text)
    if not counted:
        return None
    numbers = [(int(n), word) for line in counted for n, word in re.findall(r"(\d{1,9}) (\w+)", line)]
    announced, ran, skipped = (
        sum(n for n, word in numbers if word in words) for words in (("failed", "error", "errors"), _RAN, ("skipped",))
    )
    # by title: `test_total`, `TestShop.test_total`, `collecting test_shop.py`
    sections = {one["title"]: re.split(r"(?m)^={3,}.*$", said, maxsplit=1)[0] for one, said in pieces(_SECTION, text)}
    found = [_named(match, sections) for match in re.finditer(_NAMED, text)]
    if len(found) < announced:
        raise Malformed(f"{announced} failures counted, {len(found)} named")
    return tested(found, ran, skipped)


def _named(match: re.Match[str], sections: dict[str, str]) -> Diagnostic:
    file, name = match["file"], match["id"] or ""
    said = sections.get(name.replace("::", ".") or f"collecting {file}", "")
    lines = re.findall(rf"(?m)^{re.escape(file)}:(\d{{1,9}}): ", said)
    return finding((file, *lines[-1:]), name or "collection", "test", match["message"] or "failed", hides=not name)


def failing_example(text: str) -> tuple[int, str] | None:
    """Line and message of the first failing example in what pytest tells; None where it is no doctest's."""
    place = re.search(_PLACE, text)
    if place is None:
        return None
    begin = re.search(r"(?m)^(?:Expected|UNEXPECTED EXCEPTION|Differences)", text[: place.start()])
    end = begin.start() if begin else place.start()
    sources = re.findall(r"(?m)^\d{3,} +>>> (.+)$", text[:end])
    return int(place["line"]), _example(sources[-1] if sources else "", text[end : place.start()])


def ctest_printed(text: str) -> Reading | None:
    """The failing tests that ctest tells, with what they said where it shows that; None where it tells of none."""
    numbers = re.search(_CTESTS, text)
    if not numbers:
        return None
    failing = re.finditer(_CTEST, text)
    found = (finding(("", 0), one["rule"], "test", one_line(one["said"]) or one["why"]) for one in failing)
    return Reading(tuple(found), Tests(int(numbers["run"]), int(numbers["failed"])))


def doctests(text: str) -> list[Diagnostic]:
    """The failing examples that `python -m doctest` or `doctest.testmod()` tells. Raises Malformed."""
    found = []
    for block in re.finditer(_BLOCK, f"{text}\n"):
        message = _example(block["source"].strip().partition("\n")[0], block["rest"])
        found.append(finding((block["file"], block["line"]), block["name"], "test", message))
    counted = sum(map(int, re.findall(r"(?m)^\*{3}Test Failed\*{3} (\d{1,9}) failures?\.$", text)))
    if not found or counted != len(found):
        raise Malformed(f"{counted} failing examples counted, {len(found)} read")
    return found


def _example(source: str, rest: str) -> str:
    raised = re.search(_RAISED, rest)
    expected, got = _indented(rest, "Expected"), _indented(rest, "Got")
    how = f"expected {expected}, got {got}" if expected or got else "it prints something else"
    return f"{source}: {raised['unexpected'] or raised['raised'] if raised else how}"


def _indented(text: str, label: str) -> str:
    """The lines below a label, as one; `nothing` where the label says so, "" where it is not there."""
    said = re.search(rf"(?m)^{label}(?: nothing$|:\n(?P<lines>(?: {{4}}.*(?:\n|\Z))+))", text)
    lines = (said["lines"] or "nothing").strip().split("\n") if said else ()
    return "; ".join(line.strip() for line in lines)


def jest_report(text: str) -> Reading:
    """The failing tests, and how many ran. Raises Malformed. The rule is `describe > title`, "collection" for a file
    that could not be loaded, "suite" for one that failed although its tests passed."""
    document = json_object(text)
    suites = tables(document, "testResults")
    if document.get("wasInterrupted") is True:
        raise Malformed("the run was interrupted")
    failing: list[Diagnostic] = []
    run = skipped = 0
    for suite in suites:
        tests = tables(suite, "assertionResults")
        ran = sum(test.get("status") in ("passed", "failed") for test in tests)
        run, skipped = run + ran, skipped + len(tests) - ran
        failed = [_jest_failure(test, suite) for test in tests if test.get("status") == "failed"]
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


def jest_tests(text: str) -> list[tuple[str, str, str]]:
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


def _jest_failure(test: dict[str, Any], suite: dict[str, Any]) -> Diagnostic:
    file = string(suite, "name")
    messages = [*map(str, items(test, "failureMessages", missing=[]))]
    line = line_of(within(test, "location", "line")) or line_in(file, messages)
    told = one_line(messages[0]) if messages else "failed"
    if told == "Error: STACK_TRACE_ERROR":  # vitest's, for what did not end in time
        told = f"it did not end within {within(test, 'duration') or 0:.0f} ms"
    return finding((file, line), _title(test), "test", told)


def _suite(suite: dict[str, Any], *, loaded: bool) -> Diagnostic:
    file = string(suite, "name")
    said = re.sub(_TITLE, "", string(suite, "message"))
    message = one_line(details(said)) or "the suite failed"
    rule = "suite" if loaded else "collection"
    return finding((file, line_in(file, [said])), rule, "test", message, hides=not loaded)


def details(said: str) -> str:
    """What jest says of a file that it cannot load, without its general advice."""
    return said.partition(_DETAILS)[2] or said


def line_in(file: str, messages: list[str]) -> int:
    """The first line of this file that a stack trace names."""
    place = re.compile(re.escape(file) + r":([0-9]{1,9})\b") if file else None
    found = filter(None, map(place.search, messages)) if place else iter(())
    return next((int(match[1]) for match in found), 0)
