"""What the doctor says: findings, each with its cure, and how they are printed.

A cure is one thing that a person can do: `run: COMMAND` in a shell, in the project; `edit FILE: CHANGE`; or a sentence.
Words of a command can be pasted into a shell, and are harmless there and where they are printed.
"""

import shlex
from collections.abc import Iterable
from typing import Any, NamedTuple

from untilgreen.core.errors import one_line

OK, NOTE, WARNING, BROKEN = "ok", "note", "warning", "broken"
_SHOWN = {OK: "ok", NOTE: "note", WARNING: "warn", BROKEN: "broken"}


class Finding(NamedTuple):
    """One thing that was looked at. `level`: "ok", "note" (good to know), "warning" (it works, less well) or "broken"
    (the hooks will not do their work). `cure` is "" where there is nothing to do."""

    subject: str
    level: str
    what: str
    cure: str = ""


def together(told: Iterable[tuple[str, Finding]]) -> tuple[Finding, ...]:
    """Findings about several things, each with the name of its thing: of what is not well, all that reads alike becomes
    one finding with all names."""
    names: dict[tuple[Finding, str], list[str]] = {}
    for name, one in told:
        theirs = names.setdefault((one, name if one.level == OK else ""), [])
        theirs += [name] if name not in theirs else []
    return tuple(one._replace(what=f"{', '.join(theirs)} {one.what}") for (one, _), theirs in names.items())


def is_broken(found: Iterable[Finding]) -> bool:
    """Whether something must be put right before the hooks do their work."""
    return any(one.level == BROKEN for one in found)


def lines(found: Iterable[Finding]) -> list[str]:
    """The findings for people: grouped by subject in the order in which subjects first come, then the sum."""
    subjects: dict[str, list[Finding]] = {}
    for one in found:
        subjects.setdefault(one.subject, []).append(one)
    shown = []
    for subject, theirs in subjects.items():
        shown.append(subject)
        for one in theirs:
            shown.append(f"  {_SHOWN[one.level]:<6}  {one_line(one.what)}")
            if one.cure:  # as it is, for whoever follows it to the letter: its words are quoted where they must be
                shown.append(f"          {visible(one.cure)}")
    return [*shown, _sum([one.level for theirs in subjects.values() for one in theirs])]


def as_json(found: Iterable[Finding], version: str, project: str) -> dict[str, Any]:
    """The findings for programs; the keys stay as they are."""
    found = list(found)
    return {
        "version": version,
        "project": _encodable(project),
        "findings": [{name: _encodable(text) for name, text in one._asdict().items()} for one in found],
        "broken": is_broken(found),
    }


def _sum(levels: list[str]) -> str:
    names = {BROKEN: ("broken", "broken"), WARNING: ("warning", "warnings"), NOTE: ("note", "notes")}
    counted = [f"{n} {one if n == 1 else many}" for level, (one, many) in names.items() if (n := levels.count(level))]
    return ", ".join(counted) or "all is well"


def _encodable(text: str) -> str:
    """A path may hold bytes that are no text, which JSON does not take."""
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def run(*words: str) -> str:
    """A cure: this command."""
    return f"run: {' '.join(map(word, words))}"


def word(text: str) -> str:
    """One word, quoted; with control characters, or bytes that are no text, in the form `$'…'` of bash and zsh."""
    if text.isprintable():
        return shlex.quote(text)
    return "$'" + "".join("\\" + char if char in "\\'" else visible(char) for char in text) + "'"


def readable(path: str) -> str:
    """A path in a sentence: as it is, quoted only where it could not be read otherwise."""
    return path if path.isprintable() else word(path)


def visible(text: str) -> str:
    """Text without control characters: in their place stand the octal numbers of their bytes."""
    return "".join(char if char.isprintable() else _octal(char) for char in text)


def _octal(char: str) -> str:
    return "".join(f"\\{byte:03o}" for byte in char.encode("utf-8", "surrogateescape"))
