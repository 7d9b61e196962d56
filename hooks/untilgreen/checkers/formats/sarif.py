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
_BASES = 20  # bases of bases that a path is resolved with; they may go in circles


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
        troubles = [
            one
            for name in _NOTIFICATIONS
            for one in tables(invocation, name, missing=[])
            if one.get("level") == "error"
        ]
        if troubles or invocation.get("executionSuccessful") is False:
            where = _place(troubles[0], run) if troubles else ("", 0)
            what = string(troubles[0], "message", "text") if troubles else ""
            raise Malformed(": ".join(filter(None, ("the tool did not do all of its work", where[0], what))))


def _results(run: dict[str, Any]) -> Iterator[Diagnostic]:
    if not isinstance(run.get("results"), list):
        raise Malformed("a run has no results: nothing was looked for")
    rules = _Rules(run)
    for result in tables(run, "results"):
        if _counts(result):
            rule = rules.of(result)
            name = string(result, "ruleId") or string(result, "rule", "id") or string(rule, "id")
            file, line = _place(result, run)
            yield finding(file, line, name, _severity(result, rule), _message(result, rule))


def _counts(result: dict[str, Any]) -> bool:
    """Not suppressed, not passed, still there. A suppression that is under review or rejected is none."""
    suppressions = tables(result, "suppressions", missing=[])
    accepted = all(one.get("status", "accepted") == "accepted" for one in suppressions)
    gone = result.get("kind") in ("pass", "notApplicable") or result.get("baselineState") == "absent"
    return not gone and not (suppressions and accepted)


class _Rules:
    """The rules that a run's tool describes, by id and by place."""

    def __init__(self, run: dict[str, Any]) -> None:
        tool = within(run, "tool")
        extensions = within(tool, "extensions")
        self.components = [within(tool, "driver"), *(extensions if isinstance(extensions, list) else [])]
        self.by_id: dict[str, Any] = {}
        for component in self.components:
            for rule in within(component, "rules") or []:
                self.by_id.setdefault(string(rule, "id"), rule)

    def of(self, result: dict[str, Any]) -> Any:
        """What is known about a result's rule, None where it is not described."""
        index = within(result, "rule", "index")
        index = result.get("ruleIndex") if index is None else index
        extension = within(result, "rule", "toolComponent", "index")
        number = extension + 1 if isinstance(extension, int) and extension >= 0 else 0
        if isinstance(index, int) and number < len(self.components):
            rule = within(self.components[number], "rules", index)
            if rule is not None:
                return rule
        name = string(result, "ruleId") or string(result, "rule", "id")
        return self.by_id.get(name) or self.by_id.get(name.rpartition("/")[0])


def _severity(result: dict[str, Any], rule: Any) -> str:
    for properties in (within(result, "properties"), within(rule, "properties")):
        tags = within(properties, "tags")
        tagged = isinstance(tags, list) and any(str(tag).lower() == "security" for tag in tags)
        if tagged or within(properties, "security-severity") is not None:
            return "security"
    level = result.get("level")
    if level is None and result.get("kind", "fail") != "fail":
        level = "none"  # open, review, informational: somebody should have a look
    return severity_of(next((one for one in (level, _default(rule)) if one in _LEVELS), "warning"))


def _default(rule: Any) -> Any:
    return within(rule, "defaultConfiguration", "level")


def _message(result: dict[str, Any], rule: Any) -> str:
    """Its text, else the rule's own with the arguments put in."""
    own = string(result, "message", "text") or string(result, "message", "markdown")
    if own:
        return own
    name = string(result, "message", "id") or "default"
    general = string(rule, "messageStrings", name, "text") or string(rule, "shortDescription", "text")
    given = within(result, "message", "arguments")
    words = [str(one) for one in given] if isinstance(given, list) else []
    return re.sub(r"\{(\d{1,3})\}", lambda m: words[int(m[1])] if int(m[1]) < len(words) else m[0], general)


def _place(result: dict[str, Any], run: dict[str, Any]) -> tuple[str, int]:
    """File as a path, and line, of the first location."""
    where = within(result, "locations", 0, "physicalLocation")
    location = within(where, "artifactLocation")
    index = within(location, "index")
    if not string(location, "uri") and isinstance(index, int):
        location = within(run, "artifacts", index, "location")
    return _path(location, run), line_of(within(where, "region", "startLine"))


def _path(location: Any, run: dict[str, Any]) -> str:
    from urllib.parse import unquote  # needed for a report only

    uri = string(location, "uri")
    for _ in range(_BASES):
        base = within(run, "originalUriBaseIds", string(location, "uriBaseId"))
        if not uri or base is None or re.match(r"[A-Za-z][\w+.-]+:", uri):
            break
        above = string(base, "uri")
        uri = f"{above.rstrip('/')}/{uri}" if above else uri
        location = base
    if uri.lower().startswith("file:"):
        uri = re.sub(r"^(?://(?:localhost)?(?=/))?(?:/(?=[A-Za-z]:/))?", "", uri[len("file:") :])
    return unquote(uri)
