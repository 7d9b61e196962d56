"""The manifests of well-known hooks, `templates/hooks.toml`, and in which form such a hook changes nothing."""

import os
import tomllib
from collections.abc import Iterator, Sequence
from functools import cache

from untilgreen.core.model.check import OwnCall
from untilgreen.core.record import Any
from untilgreen.project.files import templates_folder


@cache
def manifests() -> dict[str, dict[str, Any]]:
    """By their ids. Raises OSError."""
    with open(os.path.join(templates_folder(), "hooks.toml"), "rb") as file:
        return tomllib.load(file)


# by the program and the word behind it: what makes a formatter only look. It fails as a hook where it would write
_LOOKING = {
    **dict.fromkeys(
        ("black", "isort", "prettier", "ruff format", "autoflake", "docformatter", "pyproject-fmt"), "--check"
    ),
    "shfmt": "-d",
    "yapf": "--diff",
    "gofmt": "-l",
}
_WRITING = {"--fix", "--fix-only", "--write", "--write-changes", "--in-place", "--apply"}
_SHORT = dict.fromkeys(("codespell", "typos", "prettier", "shfmt", "gofmt"), "-w") | dict.fromkeys(
    ("autoflake", "docformatter", "yapf"), "-i"
)


def looking(words: tuple[str, ...]) -> tuple[str, ...]:
    """The words of a hook in the form in which its tool changes nothing: it fails for the same files."""
    words = ("gofmt", *words[2:]) if words[:2] == ("go", "fmt") else words
    program, short = words[0], _SHORT.get(words[0])
    kept = tuple(word for word in words if word not in _WRITING and word != short)
    form = _LOOKING.get(program) or _LOOKING.get(" ".join(words[:2]))
    if form is None or form in kept:
        return kept
    first = 1 if program in _LOOKING else 2
    return (*kept[:first], form, *kept[first:])


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
