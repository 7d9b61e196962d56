"""Where compilers stopped, among whatever else a build prints: gcc and its like, javac, tsc, go, rustc and Python.

Learned from gcc 12.2, TypeScript 5.9, Go 1.19, rustc 1.95 and Python 3.11.
"""

import re
from collections.abc import Iterator

from untilgreen.checkers.answer import finding, line_of
from untilgreen.checkers.formats import lines
from untilgreen.checkers.go import go_vet
from untilgreen.core.model.outcome import Diagnostic

# a file, then its line and column in brackets: TypeScript, and .NET's compilers
_BRACKETED = r"(?m)^[ \t]*(?P<file>\S.*?)\({at}\): error (?P<rule>[A-Z]+\d+): (?P<message>.+)$"
_RUST = r"(?m)^error(?:\[(?P<rule>E\d+)\])?: (?P<message>.+)\n +--> (?P<file>[^\n]+?):{at}$"
_AT = r"(?P<line>\d{1,9})[:,](?P<column>\d{1,9})"
_PYTHON = (
    r"(?m)^(?:\*\*\*)? *File \"(?P<file>[^\"\n]+)\", line (?P<line>\d{1,9})\n(?:.*\n){1,3}?"
    r"(?P<rule>SyntaxError|IndentationError|TabError): (?P<message>.+)$"
)
_HIDING = (_RUST, _PYTHON)  # what is wrong behind these is not looked at


def read(text: str) -> tuple[Diagnostic, ...]:
    """The errors, each once; files as they are printed."""
    return tuple(dict.fromkeys(_errors(text)))


def _errors(text: str) -> Iterator[Diagnostic]:
    yield from (one for one in lines.gcc(text).diagnostics if one.severity == "error" and one.file)
    yield from (one for one in go_vet.mistakes(text, "compile", "error") if one.file.endswith(".go"))
    for pattern in (_BRACKETED, *_HIDING):
        for match in re.finditer(pattern.replace("{at}", _AT), text):
            said = match.groupdict()
            rule = said.get("rule") or "compile"
            file, line, column = said["file"], line_of(said["line"]), line_of(said.get("column"))
            yield finding(file, line, rule, "error", said["message"], column=column, hides=pattern in _HIDING)
