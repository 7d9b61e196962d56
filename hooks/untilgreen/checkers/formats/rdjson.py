"""Reviewdog's diagnostics: one document (rdjson), or one diagnostic a line (rdjsonl).

Learned from ruff 0.15: the severity of all of them may stand at the document's top. Its keys are those of a protobuf
message: a list that is empty may be left out.
"""

from typing import Any

from untilgreen.checkers.answer import Malformed, Reading, finding, line_of, severity_of, tables, within
from untilgreen.checkers.formats.documents import json_lines, json_object, string
from untilgreen.core.model.outcome import Diagnostic


def read(text: str) -> Reading:
    """All diagnostics of a document; one without any severity is an error. Raises Malformed."""
    document = json_object(text)
    if "diagnostics" not in document and "source" not in document:
        raise Malformed("the document has neither diagnostics nor a source")
    general = string(document, "severity")
    return Reading(tuple(_diagnostic(one, general) for one in tables(document, "diagnostics", missing=[])))


def read_lines(text: str) -> Reading:
    """The diagnostic of each line. An empty text has none. Raises Malformed."""
    return Reading(tuple(_diagnostic(one, "") for one in json_lines(text)))


def _diagnostic(one: dict[str, Any], general: str) -> Diagnostic:
    if "message" not in one and "location" not in one:
        raise Malformed("a diagnostic has neither a message nor a location")
    return finding(
        string(one, "location", "path"),
        line_of(within(one, "location", "range", "start", "line")),
        string(one, "code", "value"),
        severity_of(string(one, "severity") or general or "error"),
        string(one, "message"),
        column=line_of(within(one, "location", "range", "start", "column")),
    )
