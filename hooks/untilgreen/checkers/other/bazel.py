"""Bazel's tests, read from the events of a build: each names the `test.xml` and `test.log` of a target. Seen with Bazel
2.1; newer ones by its documentation."""

import html
import json
import re
from collections.abc import Mapping
from contextlib import suppress
from urllib.parse import unquote

from untilgreen.checkers.answer import plain
from untilgreen.checkers.custom import BETWEEN
from untilgreen.core.model.outcome import Output
from untilgreen.core.record import Any
from untilgreen.project import files

_LARGEST, _SAID = 16 * 1024 * 1024, 2_000  # bytes of a report, and characters of the end of a log
_PLACE = r"/\S*/execroot/\w+/"  # another one at each run
_UNNAMED = 'message="exited with error code'  # in a report that Bazel made itself, of what writes none


def reports(events: str) -> str:
    """The reports of the tests whose events these are, the last attempt of each, joined by BETWEEN."""
    last: dict[Any, Mapping[str, Any]] = {}
    for line in events.split("\n"):
        with suppress(ValueError, LookupError, TypeError, AttributeError):  # a line that was not written to its end
            event = json.loads(line)
            test, result = event["id"]["testResult"], event["testResult"]
            last[test["label"], test.get("run"), test.get("shard")] = result
    return BETWEEN.join(_report(label, result) for (label, _, _), result in last.items())


def _report(label: str, result: Mapping[str, Any]) -> str:
    """What the tests of a target say; where none of them says what failed, or nothing can be read, it is one itself."""
    paths = {one["name"]: unquote(one.get("uri", "")) for one in result.get("testActionOutput", ())}
    report, log = (_text(paths.get(name, "")) for name in ("test.xml", "test.log"))
    passed = result.get("status") in ("PASSED", "FLAKY")
    if _UNNAMED not in report and ("<testcase" in report if passed else re.search(r"<(?:failure|error)\b", report)):
        return report
    said = re.sub(_PLACE, "", re.split("(?m)^-{20,}$", log)[-1])
    log = plain(Output(None, said, "")).stdout.strip()
    told = "" if passed else f"<failure>{html.escape(log[-_SAID:] or result.get('status', 'failed'))}</failure>"
    return f'<testsuite><testcase name="{html.escape(label)}">{told}</testcase></testsuite>'


def _text(uri: str) -> str:
    """A file on this machine; "" of one that a remote cache has alone."""
    with suppress(OSError, ValueError):
        if uri.startswith("file:///"):
            return files.read(uri.removeprefix("file://"), _LARGEST).decode("utf-8", "replace")
    return ""
