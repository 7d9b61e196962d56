"""What a tool says of its findings in JSON, as a row: where in its records the parts of a finding stand."""

import re
from collections.abc import Callable, Container

from untilgreen.checkers.answer import Malformed, finding, findings, from_one, refusal, severity_of
from untilgreen.checkers.documents import items, json_answer, number, text, within
from untilgreen.core.model.outcome import Diagnostic, Outcome, Output, Setting
from untilgreen.core.record import Any, NamedTuple

_Part = str | Callable[[Any], Any]


class Records(NamedTuple):
    """Where they stand. A part is a dotted path, `?` behind it where it may be missing and `+1` where the
    tool counts from 0; `=error` says it of all; what no path says is a function of the record."""

    file: _Part
    line: _Part
    rule: _Part
    message: _Part
    severity: _Part = "=error"
    column: _Part = ""
    #: whether others may be hidden behind a finding
    hides: Callable[[Any, Diagnostic], bool] = lambda _record, _found: False
    entries: _Part = ""  #: the list of records, "" for the whole answer
    answer: str = r"(?s)(.*)"  #: the answer among whatever else is on stdout, as a group
    codes: Container[int | None] = (0, 1)  #: the exit codes of a tool that did its work, and what it says elsewhere
    complaint: str = r".+"
    #: the number of findings that it announces, and of files that it looked at
    announced: Callable[[Any], int] = lambda _answer: 0
    files: Callable[[Any], int] = lambda _answer: 1
    refused: str = ""  #: the rule of a finding which says that it did not do its work

    def parse(self, output: Output, setting: Setting) -> Outcome:
        """A Clean or a Found. Raises Malformed."""
        said = re.search(self.answer, output.stdout)
        if said is None or output.code not in self.codes:
            raise refusal(output, self.complaint)
        answer = json_answer(said[1])
        announced = self.announced(answer)
        found = tuple(map(self.read, _said(self.entries, answer, items, [])))
        if reason := next((one.message for one in found if one.rule == self.refused), ""):
            raise Malformed(reason)
        # of files that were named it may leave out all
        return findings(found, announced, files=len(setting.files) or self.files(answer))

    def read(self, record: Any) -> Diagnostic:
        """The finding that a record says. Raises Malformed."""
        words = (self.rule, self.message, self.severity, self.file)
        rule, message, severity, file = (_said(part, record, text, "") for part in words)
        # a column that is odd is none
        column = _said(self.column, record, lambda value, *path, **_missing: within(value, *path), None)
        at = (file, _said(self.line, record, number, 0), column)
        found = finding(at, rule, severity_of(severity), message)
        return found._replace(hides=found.hides or self.hides(record, found))


def _said(part: _Part, record: Any, read: Callable[..., Any], missing: Any) -> Any:
    if callable(part):
        return part(record)
    if part.startswith("="):
        return part[1:]
    path, optional, _ = part.removesuffix("+1").partition("?")
    value = read(record, *filter(None, path.split(".")), missing=missing if optional else None)
    return from_one(value) if part.endswith("+1") else value
