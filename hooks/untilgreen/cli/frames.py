"""A finding as a person reads it on a terminal: what and where it is, and the code around it.

In click's own styles: what is red, bold or dim is all that is needed, and rich would be one package more in every
environment that hooks run in.
"""

import os
from collections.abc import Iterator

import click

from untilgreen.cli.status import width_of
from untilgreen.core import foreign, secrets
from untilgreen.core.model.snapshot import Item
from untilgreen.core.words import report
from untilgreen.project import files
from untilgreen.project.toplevel import within

_AROUND = 2  # lines of code before and after that of the finding
_LONGEST = 160  # characters of one
_LARGEST = 4_000_000  # bytes of a file


def lines(root: str, items: tuple[Item, ...]) -> Iterator[str]:
    """Each of these with its place, its message and its code, a line each."""
    for item in items:
        first, *rest = report.lines_of(report.describe(item))
        at = f"{item.place}:{item.column}" if item.column else item.place
        at = at if first.startswith(at) else ""
        what, colon, message = first[len(at) :].partition(": ")
        yield click.style(at, bold=True) + click.style(what, fg="red") + colon + message
        yield from (f"    {line}" for line in rest)
        yield from _frame(root, item)
        yield ""


def _frame(root: str, item: Item) -> Iterator[str]:
    """The line of the finding with those around it, and a caret under its column; nothing where it cannot be read."""
    code = _code(os.path.join(root, item.file)) if item.file and within(root, os.path.join(root, item.file)) else []
    if not 0 < item.line <= len(code):
        return
    first, last = max(1, item.line - _AROUND), min(len(code), item.line + _AROUND)
    margin = len(str(last))
    for number, shown in enumerate(secrets.masked([_shown(line) for line in code[first - 1 : last]]), first):
        yield _bar(f"{number:>{margin}}") + f" {shown}".rstrip()
        if number == item.line and 0 < item.column <= min(len(code[number - 1]) + 1, _LONGEST):
            before = width_of(_shown(code[number - 1][: item.column - 1]))
            yield _bar(" " * margin) + " " * (before + 1) + click.style("^", fg="red")


def _bar(number: str) -> str:
    return click.style(f"  {number} |", dim=True)


def _code(path: str) -> list[str]:
    try:
        return files.read(path, _LARGEST, follow=True).decode("utf-8", "replace").removesuffix("\n").split("\n")
    except (OSError, ValueError):  # gone by now, or no text: the finding is told without
        return []


def _shown(line: str) -> str:
    return foreign.one_line(line.rstrip("\r")).expandtabs(4)[:_LONGEST]
