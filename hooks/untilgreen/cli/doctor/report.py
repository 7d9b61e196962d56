"""How findings are printed: for people, and for programs."""

from collections.abc import Iterable

from untilgreen.core.errors import one_line
from untilgreen.core.findings import BROKEN, NOTE, OK, WARNING, Finding, visible

_SHOWN = {OK: "ok", NOTE: "note", WARNING: "warn", BROKEN: "broken"}


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
            if one.cure:  # unchanged: people copy it, and its words are quoted for a shell
                shown.append(f"          {visible(one.cure)}")
    return [*shown, _sum([one.level for theirs in subjects.values() for one in theirs])]


def _sum(levels: list[str]) -> str:
    names = {BROKEN: ("broken", "broken"), WARNING: ("warning", "warnings"), NOTE: ("note", "notes")}
    counted = [f"{n} {one if n == 1 else many}" for level, (one, many) in names.items() if (n := levels.count(level))]
    return ", ".join(counted) or "all is well"
