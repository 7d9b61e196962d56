"""JUnit's XML as the many tools that write it do.

Learned from pytest 9.0 (a test whose teardown fails too is there twice; lines count from 0), surefire (a test that
failed first and passed then has `flakyFailure`, one that failed each time `rerunFailure` beside its `failure`),
gotestsum (the message is "Failed", what it said is the text), jest-junit 17 (class name and name are the same text),
pytest by default (no file; the class name begins with the module's path, and each line of the trace with a file's),
ruff 0.15 and eslint 8.57 (each finding is a failing test).
"""

import re

from untilgreen.checkers.answer import Malformed, Reading, finding, line_of, one_line, tested
from untilgreen.checkers.documents import xml
from untilgreen.core.model.outcome import Diagnostic
from untilgreen.core.record import Any, NamedTuple

_SUITES = ("testsuites", "testsuite")
_FRAME = re.compile(r"^(?P<file>[^\s:][^:\n]*\.py):(?P<line>\d{1,9}):", re.MULTILINE)


class Case(NamedTuple):
    """One test. `suite`: the name of the one that it is in; `message` and `text` are those of its first failure."""

    suite: str
    file: str
    line: int
    owner: str
    name: str
    skipped: bool
    failed: bool
    message: str
    text: str


def read(text: str) -> Reading:
    """The failing tests, and how many ran. Raises Malformed. The rule is `class::name`."""
    top = _report(text)
    found = _cases(top)
    failing = [case for case in found if case.failed]
    # a suite counts failing tests of its own
    announced = (line_of(suite.get(word)) for suite in top.iter() for word in ("failures", "errors"))
    if not failing and any(announced):
        raise Malformed("failing tests announced, none read")
    skipped = sum(case.skipped for case in found)
    return tested(map(_diagnostic, failing), len(found) - skipped, skipped)


def trx(text: str) -> Reading:
    """The same of the report that `dotnet test --logger trx` writes. Raises Malformed."""
    found = [one for one in xml(text).iter("UnitTestResult") if one.get("outcome") in ("Passed", "Failed")]
    failing = []
    for one in found:
        if one.get("outcome") == "Failed":
            trace = re.search(r" in (?P<file>.+?):line (?P<line>\d{1,9})", one.findtext(".//StackTrace") or "")
            at = (trace["file"], int(trace["line"])) if trace else ("", 0)
            said = one_line(one.findtext(".//Message") or "failed")
            failing.append(finding(at, one.get("testName", "test"), "test", said))
    return tested(failing, len(found), 0)


def cases(text: str) -> list[Case]:
    """Every test of a report, pytest's each once. Raises Malformed."""
    return _cases(_report(text))


def _report(text: str) -> Any:
    top = xml(text)
    if top.tag not in _SUITES:
        raise Malformed(f"the document is no junit report but <{top.tag}>")
    return top


def _cases(top: Any) -> list[Case]:
    """All cases below; pytest's by name, a failing one first; elsewhere tests of one name are several tests."""
    found: dict[Any, Case] = {}
    suites = [element for element in top.iter() if element.tag in _SUITES]
    cases = (_case(element, suite) for suite in suites for element in suite.findall("testcase"))
    for number, case in enumerate(cases):
        key = (case.file, case.owner, case.name) if case.suite == "pytest" else number
        if key not in found or not found[key].failed:
            found[key] = case
    return list(found.values())


def _case(element: Any, suite: Any) -> Case:
    failures = [child for child in element if child.tag in ("failure", "error")]
    skipped = any(child.tag in ("skipped", "disabled") for child in element)
    line, name = line_of(element.get("line")), suite.get("name", "")
    return Case(
        suite=name,
        file=element.get("file", suite.get("file", "")),
        line=line + 1 if name == "pytest" and "line" in element.attrib else line,
        owner=" ".join(element.get("classname", "").split()),
        name=" ".join(element.get("name", "").split()),
        skipped=not failures and (skipped or element.get("status") in ("notrun", "skipped", "disabled")),
        failed=bool(failures),
        message=failures[0].get("message", "").strip() if failures else "",
        text=_text_of(failures[0], element) if failures else "",
    )


def _text_of(failure: Any, case: Any) -> str:
    """What it says of a failure, or its type; of one that says nothing, as ctest's, what the test printed."""
    text: str = failure.text or failure.get("type", "") or case.findtext("system-out", "")
    return text


def _said(case: Case) -> str:
    if case.message.lower() not in ("", "failed"):
        return one_line(case.message)
    # go test frames what a test prints
    text = "\n".join(line for line in case.text.split("\n") if not re.match(r"\s*(===|---) ", line))
    return one_line(text) or case.message or "failed"


def _diagnostic(case: Case) -> Diagnostic:
    file, line = (case.file, case.line) if case.file else _traced(case)
    return finding((file, line), rule_of(case, file), "test", _said(case))


def rule_of(case: Case, file: str) -> str:
    """`class::name`, without the module that pytest's class names begin with."""
    module = _module(file)
    owner = case.owner if case.owner not in (module, case.name) else ""
    if module and owner.startswith(f"{module}."):
        owner = owner.removeprefix(f"{module}.").replace(".", "::")
    return "::".join(filter(None, (owner, case.name)))


def _traced(case: Case) -> tuple[str, int]:
    """File and line of the innermost place in the test's own module, which its class name must begin with."""
    frames = list(_FRAME.finditer(case.text))
    inside = (one for one in reversed(frames) if f"{case.owner or case.name}.".startswith(f"{_module(one['file'])}."))
    frame = next(inside, None)
    return (frame["file"], int(frame["line"])) if frame else ("", case.line)


def _module(file: str) -> str:
    """The dotted form of a path: "sub/test_a.py" is "sub.test_a"."""
    return " ".join(re.sub(r"\.\w+$", "", file).replace("/", ".").split())
