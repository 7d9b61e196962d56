"""The XML of checkstyle, which many linters write (eslint 8, shellcheck, phpcs, ktlint, …).

Learned from eslint 8.57 and shellcheck 0.11: a file with nothing to say may be listed or not, so a document without
files is no failure; a finding without a rule has `source=""`.
"""

from untilgreen.checkers.answer import Malformed, Reading, finding, first_line, line_of, severity_of
from untilgreen.checkers.formats.documents import xml


def read(text: str) -> Reading:
    """Every `<error>` with its file; the rule is its `source`. Raises Malformed, also where checkstyle itself could
    not look at a file (`<exception>`)."""
    top = xml(text)
    if top.tag != "checkstyle":
        raise Malformed(f"the document is no checkstyle report but <{top.tag}>")
    diagnostics = []
    for file in top.iter("file"):
        name = file.get("name", "")
        crash = file.find("exception")
        if crash is not None:
            raise Malformed(f"{name} was not looked at: {first_line(crash.text or '')}")
        for error in file.iter("error"):
            word = error.get("severity", "error")
            if word != "ignore":
                rule, message = error.get("source", ""), error.get("message", "")
                line, column = (line_of(error.get(key)) for key in ("line", "column"))
                diagnostics.append(finding(name, line, rule, severity_of(word), message, column=column))
    return Reading(tuple(diagnostics))
