"""What linters report in a form of many: SARIF 2.1.0, the XML of checkstyle, and reviewdog's diagnostics.

SARIF was learned from ruff 0.15, bandit 1.9, and eslint 8.57 with its formatter 3.1: files are `file://` URIs or
relative paths; findings that a comment in the source accepts are in it with their `suppressions`; a file that could
not be parsed is a notification, while the results of the others look complete (bandit: among those on the
configuration, with `executionSuccessful` true).

checkstyle, which many linters write (eslint 8, shellcheck, phpcs, ktlint, …), from eslint 8.57 and shellcheck 0.11: a
file with nothing to say may be listed or not, so a document without files is no failure; a finding without a rule has
`source=""`.

Reviewdog's, one document (rdjson) or one diagnostic a line (rdjsonl), from ruff 0.15: the severity of all of them may
stand at the document's top. Its keys are those of a protobuf message: a list that is empty may be left out.
"""

import re
from collections.abc import Iterator

from untilgreen.checkers.answer import Malformed, Reading, finding, first_line, severity_of, tables, within
from untilgreen.checkers.formats.documents import json_lines, json_object, string, xml
from untilgreen.core.model.outcome import Diagnostic
from untilgreen.core.record import Any

_LEVELS = ("error", "warning", "note", "none")
_NOTIFICATIONS = ("toolExecutionNotifications", "toolConfigurationNotifications")


def sarif(text: str) -> Reading:
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
        for invocation in tables(run, "invocations", missing=[]):
            told = (one for name in _NOTIFICATIONS for one in tables(invocation, name, missing=[]))
            trouble = next((one for one in told if one.get("level") == "error"), None)
            if trouble or invocation.get("executionSuccessful") is False:
                where = _place(trouble, run)[0], string(trouble, "message", "text")
                raise Malformed(": ".join(filter(None, ("the tool did not do all of its work", *where))))
    return Reading(tuple(found for run in runs for found in _results(run)))


def _results(run: dict[str, Any]) -> Iterator[Diagnostic]:
    if not isinstance(run.get("results"), list):
        raise Malformed("a run has no results: nothing was looked for")
    # the rules that its tool describes, its own before those of its extensions
    components = [within(run, "tool", "driver"), *tables(run, "tool", "extensions", missing=[])]
    rules = [rule for component in components for rule in tables(component, "rules", missing=[])]
    by_id = {string(rule, "id"): rule for rule in reversed(rules)}
    for result in filter(_counts, tables(run, "results")):
        name = string(result, "ruleId") or string(result, "rule", "id")
        by_place = within(rules, result.get("ruleIndex", -1)) if not name else None
        rule = by_place or by_id.get(name) or by_id.get(name.rpartition("/")[0])
        message = string(result, "message", "text") or string(result, "message", "markdown")
        general = string(rule, "shortDescription", "text")
        name = name or string(rule, "id")
        yield finding(_place(result, run), name, _severity(result, rule), message or general)


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


def _place(result: Any, run: dict[str, Any]) -> tuple[Any, ...]:
    """File as a path, line and column of the first location."""
    where = within(result, "locations", 0, "physicalLocation")
    uri, region = string(where, "artifactLocation", "uri"), within(where, "region")
    base = string(run, "originalUriBaseIds", string(where, "artifactLocation", "uriBaseId"), "uri")
    return _path(uri, base), within(region, "startLine"), within(region, "startColumn")


def _path(uri: str, base: str) -> str:
    from urllib.parse import unquote  # needed for a report only

    if uri and base and not re.match(r"[A-Za-z][\w+.-]+:", uri):
        uri = f"{base.rstrip('/')}/{uri}"
    if uri.lower().startswith("file:"):
        uri = re.sub(r"^(?://(?:localhost)?(?=/))?(?:/(?=[A-Za-z]:/))?", "", uri[len("file:") :])
    return unquote(uri)


def checkstyle(text: str) -> Reading:
    """Every `<error>` with its file; the rule is its `source`. Raises Malformed, also where checkstyle itself could
    not look at a file (`<exception>`)."""
    top = xml(text)
    if top.tag != "checkstyle":
        raise Malformed(f"the document is no checkstyle report but <{top.tag}>")
    found = []
    for file in top.iter("file"):
        name = file.get("name", "")
        if (crash := file.find("exception")) is not None:
            raise Malformed(f"{name} was not looked at: {first_line(crash.text or '')}")
        for error in file.iter("error"):
            word, at = error.get("severity", "error"), (name, error.get("line"), error.get("column"))
            if word != "ignore":
                found.append(finding(at, error.get("source", ""), severity_of(word), error.get("message", "")))
    return Reading(tuple(found))


def rdjson(text: str) -> Reading:
    """All diagnostics of a document; one without any severity is an error. Raises Malformed."""
    document = json_object(text)
    if "diagnostics" not in document and "source" not in document:
        raise Malformed("the document has neither diagnostics nor a source")
    general = string(document, "severity")
    return Reading(tuple(_reviewed(one, general) for one in tables(document, "diagnostics", missing=[])))


def rdjsonl(text: str) -> Reading:
    """The diagnostic of each line. An empty text has none. Raises Malformed."""
    return Reading(tuple(_reviewed(one, "") for one in json_lines(text)))


def _reviewed(one: dict[str, Any], general: str) -> Diagnostic:
    if "message" not in one and "location" not in one:
        raise Malformed("a diagnostic has neither a message nor a location")
    start = within(one, "location", "range", "start")
    return finding(
        (string(one, "location", "path"), within(start, "line"), within(start, "column")),
        string(one, "code", "value"),
        severity_of(string(one, "severity") or general or "error"),
        string(one, "message"),
    )
