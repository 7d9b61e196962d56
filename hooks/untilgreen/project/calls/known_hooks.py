"""The manifests of well-known hooks, `templates/hooks.toml`, and in which form such a hook changes nothing."""

import os
import tomllib
from collections.abc import Iterator, Sequence
from functools import cache

from untilgreen.core.model.check import OwnCall
from untilgreen.core.record import Any
from untilgreen.project import tables
from untilgreen.project.files import templates_folder


@cache
def manifests() -> dict[str, dict[str, Any]]:
    """By their ids. Raises OSError."""
    with open(os.path.join(templates_folder(), "hooks.toml"), "rb") as file:
        return tomllib.load(file)


_LOOKING = {program: tuple(more) for program, *more in tables.read("tasks")["looking"]}
_WRITING = ("--fix", "--fix-only", "--write", "--write-changes", "--in-place", "--apply")


def looking(words: tuple[str, ...]) -> tuple[str, ...]:
    """The words of a hook in the form in which its tool changes nothing: it fails for the same files."""
    words = ("gofmt", *words[2:]) if words[:2] == ("go", "fmt") else words
    program = words[0] if words[0] in _LOOKING else " ".join(words[:2])
    form, *short = _LOOKING.get(program, ("-",))
    kept = tuple(word for word in words if word not in (*_WRITING, *short))
    first = program.count(" ") + 1
    return kept if form in ("-", *kept) else (*kept[:first], form, *kept[first:])


def compared(calls: Sequence[OwnCall]) -> Iterator[OwnCall]:
    """The calls that run together, in order; a formatter only looks where `git diff --exit-code` does so after it."""
    last = max((place for place, one in enumerate(calls) if _compares(one.words)), default=0)
    written = [one.words for one in calls[:last] if _formats(one.words)]
    for place, one in enumerate(calls):
        if place < last and _formats(one.words):
            yield one._replace(words=looking(one.words))
        elif not (written and _compares(one.words)):
            yield one


def _formats(words: tuple[str, ...]) -> bool:
    known = ("black", "isort", "prettier", "gofmt", "ruff format", "go fmt")
    return words[0] in known or " ".join(words[:2]) in known


def _compares(words: tuple[str, ...]) -> bool:
    return words[:2] == ("git", "diff") and not {"--exit-code", "--quiet"}.isdisjoint(words)
