"""SARIF 2.1.0, the results format of static analysers.

Learned from ruff 0.15, bandit 1.9 and eslint 8.57 with its formatter 3.1: files are `file://` URIs or relative
paths; findings that a comment in the source accepts are in it with their `suppressions`; a file that could not be
parsed is a notification, while the results of the others look complete (bandit: among those on the configuration,
with `executionSuccessful` true).
"""

import re
from collections.abc import Iterator
from typing import Any

from untilgreen.checkers.answer import Malformed, Reading, finding, line_of, severity_of, tables, within
from untilgreen.checkers.formats.documents import json_object, string
from untilgreen.core.model.outcome import Diagnostic

_LEVELS = ("error", "warning", "note", "none")
_NOTIFICATIONS = ("toolExecutionNotifications", "toolConfigurationNotifications")


def read(text: str) -> Reading:
    """The results of all runs that are neither suppressed nor passed. Raises Malformed, also where the tool says that
    it did not do all of its work."""
    document = json_object(text)
    version = document.get("version")
    if version != "2.1.0":
        raise Malformed(f"SARIF 2.1.0 is expected, the version is {str(version)[:20]}")
    runs = tables(document, "runs")
    if not runs:
        raise Malformed("there is no run in it")
    for run in runs:
        _demand_success(run)
    return Reading(tuple(found for run in runs for found in _results(run)))


def _demand_success(run: dict[str, Any]) -> None:
    for invocation in tables(run, "invocations", missing=[]):
        told = [one for name in _NOTIFICATIONS for one in tables(invocation, name, missing=[])]
        trouble = next((one for one in told if one.get("level") == "error"), None)
        if trouble or invocation.get("executionSuccessful") is False:
            where = _place(trouble, run)[0], string(trouble, "message", "text")
            raise Malformed(": ".join(filter(None, ("the tool did not do all of its work", *where))))


def _results(run: dict[str, Any]) -> Iterator[Diagnostic]:
    if not isinstance(run.get("results"), list):
        raise Malformed("a run has no results: nothing was looked for")
    rules = _rules(run)
    by_id = {string(rule, "id"): rule for rule in reversed(rules)}
    for result in tables(run, "results"):
        if _counts(result):
            name = string(result, "ruleId") or string(result, "rule", "id")
            by_place = within(rules, result.get("ruleIndex", -1)) if not name else None
            rule = by_place or by_id.get(name) or by_id.get(name.rpartition("/")[0])
            message = string(result, "message", "text") or string(result, "message", "markdown")
            name, general = name or string(rule, "id"), string(rule, "shortDescription", "text")
            file, region = _place(result, run)
            line, column = (line_of(within(region, key)) for key in ("startLine", "startColumn"))
            yield finding(file, line, name, _severity(result, rule), message or general, column=column)


def _rules(run: dict[str, Any]) -> list[Any]:
    """The rules that a run's tool describes, its own before those of its extensions."""
    tool = within(run, "tool")
    components = [within(tool, "driver"), *tables(tool, "extensions", missing=[])]
    return [rule for component in components for rule in tables(component, "rules", missing=[])]


def _counts(result: dict[str, Any]) -> bool:
    """Not suppressed, not passed, still there. A suppression that is under review or rejected is none."""
    suppressions = tables(result, "suppressions", missing=[])
    accepted = all(one.get("status", "accepted") == "accepted" for one in suppressions)
    gone = result.get("kind") in ("pass", "notApplicable") or result.get("baselineState") == "absent"
    return not gone and not (suppressions and accepted)


def _severity(result: dict[str, Any], rule: Any) -> str:
    for properties in (within(result, "properties"), within(rule, "properties")):
        tags = within(properties, "tags")
        tagged = isinstance(tags, list) and any(str(tag).lower() == "security" for tag in tags)
        if tagged or within(properties, "security-severity") is not None:
            return "security"
    level = result.get("level")
    if level is None and result.get("kind", "fail") != "fail":
        level = "none"  # open, review, informational: somebody should have a look
    general = within(rule, "defaultConfiguration", "level")
    return severity_of(next((one for one in (level, general) if one in _LEVELS), "warning"))


def _place(result: Any, run: dict[str, Any]) -> tuple[str, Any]:
    """File as a path, and region, of the first location."""
    where = within(result, "locations", 0, "physicalLocation")
    location = within(where, "artifactLocation")
    base = string(run, "originalUriBaseIds", string(location, "uriBaseId"), "uri")
    return _path(string(location, "uri"), base), within(where, "region")


def _path(uri: str, base: str) -> str:
    from urllib.parse import unquote  # needed for a report only

    if uri and base and not re.match(r"[A-Za-z][\w+.-]+:", uri):
        uri = f"{base.rstrip('/')}/{uri}"
    if uri.lower().startswith("file:"):
        uri = re.sub(r"^(?://(?:localhost)?(?=/))?(?:/(?=[A-Za-z]:/))?", "", uri[len("file:") :])
    return unquote(uri)
