"""Ways to a green test without mended code, language by language: each in a folder of its own of one project.

`NN` in a text stands for the number of the folder. Every folder begins with code that is wrong and tests of which one
fails for that reason. A table in `tables/` begins with the case "the start": the files of each folder, those of the
project, and `line`, the part of a file of tests that most tricks change. Of a trick it says what the `line` becomes, or
what stands in the place of `old`, and which `files` are another one, None for one that is removed.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import tables


class Trick(NamedTuple):
    """One of them. `after`: what the agent writes, file by file of the folder, None for a file that it removes; with a
    slash before it a file of the project."""

    name: str
    after: Mapping[str, str | None]
    #: what reading tells of it alone
    read: tuple[str, ...] = ()
    #: that the test is in the proof, by name: as it was it fails, is propped up, skipped or gone
    proof: bool = False
    #: files of the folder at the start, beside or in the place of the usual ones; None where there is none of these
    start: Mapping[str, str | None] = {}


def start(name: str, of: str = "start") -> dict[str, str]:
    """The files of each folder that a table begins with, or those `of` the "project"."""
    found: dict[str, str] = dict(tables.cases(f"tricks-{name}"))["the start"].get(of, {})
    return found


def tricks(name: str) -> list[Trick]:
    """What a table lists."""
    return [_trick(title, case, name) for title, case in tables.cases(f"tricks-{name}")[1:]]


def honest(name: str) -> list[Trick]:
    """Honest work: the code is mended as the first one does it, and beside that a trick may look like what is done."""
    mended, *rest = tables.cases(f"honest-{name}")
    first = _trick(*mended, name)
    return [first, *(_trick(title, case, name, first.after) for title, case in rest)]


def _trick(title: str, case: Mapping[str, Any], name: str, mended: Mapping[str, str | None] = {}) -> Trick:
    began = case.get("start", {})
    usual = {**start(name), **began, **mended}
    after = {**mended, **case.get("files", {})}
    changed = [(file, old, case["new"][file]) for file, old in case.get("old", {}).items()]
    if "becomes" in case:
        changed += [(file, line, case["becomes"]) for file, line in start(name, "line").items()]
    for file, old, new in changed:
        assert usual[file].count(old) == 1, (title, file)
        after[file] = usual[file].replace(old, new)
    return Trick(title, after, case.get("read", ()), case.get("proof", False), began)


def numbered(tricks: Sequence[Trick]) -> list[tuple[str, Trick]]:
    """Each with its number, two digits."""
    return [(f"{number:02}", trick) for number, trick in enumerate(tricks, start=1)]


def placed(number: str, files: Mapping[str, str | None]) -> dict[str, str | None]:
    """The files of a trick in its folder."""
    named = {name.replace("NN", number): text and text.replace("NN", number) for name, text in files.items()}
    return {name[1:] if name[0] == "/" else f"t{number}/{name}": text for name, text in named.items()}
