"""Findings as `check` shows them on a terminal: each with its code, many of one rule as one."""

import os
from collections.abc import Iterator, Sequence
from contextlib import suppress

import click

from untilgreen.cli.status import width_of
from untilgreen.core import foreign, secrets
from untilgreen.core.model.snapshot import Item
from untilgreen.core.words import brief, report
from untilgreen.project import files
from untilgreen.project.toplevel import within

_FEW = 10  # findings of one rule that are listed each
_AROUND = 2  # lines of code before and after that of the finding
_LONGEST = 160  # characters of one
_LARGEST = 4_000_000  # bytes of a file


def grouped(items: Sequence[Item]) -> tuple[Item, ...]:
    """The items; many findings of one rule are one at the end: `ruff F401 × 500 in 25 files; first: a.py:1:8: …`."""
    alike: dict[object, list[Item]] = {}
    for item in items:
        key = (item.check, item.kind, item.rule) if item.rule and item.kind != "test" else item.id
        alike.setdefault(key, []).append(item)
    told, many = list[Item](), list[Item]()
    for same in alike.values():
        if len(same) <= _FEW:
            told += same
            continue
        first, files = same[0], len({item.file for item in same})
        where = f"{brief.plural(files, 'file')}; first: {first.place}:{first.column}: {report.message(first)}"
        many.append(first._replace(rule="", column=0, text=f"{first.check} {first.rule} × {len(same):,} in {where}"))
    return (*told, *many)


def framed(root: str, items: tuple[Item, ...]) -> Iterator[str]:
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
    path, code = os.path.join(root, item.file), list[str]()
    if item.file and within(root, path):
        with suppress(OSError, ValueError):  # gone by now, or no text: the finding is told without
            text = files.read(path, _LARGEST, follow=True).decode("utf-8", "replace")
            code = text.removesuffix("\n").split("\n")
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


def _shown(line: str) -> str:
    return foreign.one_line(line.rstrip("\r")).expandtabs(4)[:_LONGEST]
