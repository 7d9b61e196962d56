"""The report of the plugin pytest-json-report.

Learned from 1.5 with pytest 9.0: node ids are relative to `root`, lines count from 0, a file that could not be
collected is in `collectors` alone.
"""

from typing import Any

from untilgreen.checkers.answer import Malformed, Reading, finding, line_of, number, one_line, tables, tested, within
from untilgreen.checkers.formats.documents import json_object, string
from untilgreen.core.model.outcome import Diagnostic

_SKIPPED = ("skipped", "xfailed")
_FAILED = ("failed", "error")


def read(text: str) -> Reading:
    """Failing tests and files that could not be collected (rule "collection"), with absolute paths where the report
    has its `root`. Raises Malformed for a run that was cut short."""
    document = json_object(text)
    root, code = string(document, "root"), document.get("exitcode")
    root = root and f"{root}/"
    tests = tables(document, "tests")
    collectors = tables(document, "collectors", missing=[])
    skipped = sum(test.get("outcome") in _SKIPPED for test in tests)
    failing = [_failure(test, root) for test in tests if test.get("outcome") in _FAILED]
    failing += [_collection(one, root) for one in collectors if one.get("outcome") == "failed"]
    if code not in (0, 1, 5) and not (code == 2 and any(one.hides for one in failing)):
        raise Malformed(f"pytest was cut short: its exit code is {code}")
    announced = sum(number(document, "summary", word, missing=0) for word in _FAILED)
    if announced > len(failing):
        raise Malformed(f"{announced} failing tests announced, {len(failing)} read")
    return tested(failing, len(tests) - skipped + sum(one.hides for one in failing), skipped)


def _failure(test: dict[str, Any], root: str) -> Diagnostic:
    file, _, name = string(test, "nodeid").partition("::")
    stages = (test.get(key) for key in ("setup", "call", "teardown"))
    stage = next((one for one in stages if within(one, "outcome") in _FAILED), None)
    said = string(stage, "crash", "message") or string(stage, "longrepr")
    line = line_of(number(test, "lineno") + 1) if within(test, "lineno") is not None else 0
    return finding(root + file, line, name, "test", one_line(said) or "failed")


def _collection(one: dict[str, Any], root: str) -> Diagnostic:
    marked = [line[2:] for line in string(one, "longrepr").split("\n") if line.startswith("E ")]
    message = marked[-1] if marked else string(one, "longrepr")
    return finding(root + string(one, "nodeid"), 0, "collection", "test", message, hides=True)
