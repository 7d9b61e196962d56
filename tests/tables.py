"""Cases whose words are files of a project, or what a tool printed: as text, in `tables/NAME.txt`.

    == a test that is skipped ==
    path: "test_a.py"
    kinds: {"skip": 1}
    -- content --
    def test_a():
        pytest.skip("later")

A case has a title, values as Python writes them, and texts as in `archives.py`. A column whose texts are named
`files/NAME` is a dict of them.

What is one value, rows of plain words or a long text, is a part of `values/NAME.txt`, an archive a test file.
"""

import ast
import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import archives

TABLES = Path(__file__).parent / "tables"
VALUES = Path(__file__).parent / "values"
_TITLE = re.compile(r"^== (.+) ==\n", re.MULTILINE)
_VALUE = re.compile(r"(\w+): (.+)")


@cache
def cases(name: str) -> tuple[tuple[str, dict[str, Any]], ...]:
    """The titles and values of a table."""
    _, *found = _TITLE.split((TABLES / f"{name}.txt").read_bytes().decode())
    return tuple((title, _values(body)) for title, body in zip(found[::2], found[1::2], strict=True))


def _values(body: str) -> dict[str, Any]:
    head = re.split(r"(?m)^-- ", body)[0]
    found: dict[str, Any] = {key: ast.literal_eval(value) for key, value in _VALUE.findall(head)}
    for name, part in archives.parsed(body).items():
        column, _, file = name.partition("/")
        if file:
            found.setdefault(column, {})[file] = part.content.decode()
        else:
            found[column] = part.content.decode()
    return found


def rows(name: str, *columns: str) -> list[Any]:
    """The cases of a table for `parametrize`, by their titles."""
    return [pytest.param(*(values[column] for column in columns), id=title) for title, values in cases(name)]


def text(name: str, part: str) -> str:
    """A text of `values/NAME.txt`: a program, a document, what was printed."""
    return archives.parts(VALUES / f"{name}.txt")[part].content.decode()


def literal(name: str, part: str) -> Any:
    """A value there as Python writes it, comments and all: the rows of a test, or what it expects."""
    return ast.literal_eval(text(name, part))
