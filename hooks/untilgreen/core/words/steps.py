"""The steps of a task file: its unchecked boxes, in their order. Pure."""

import re

from untilgreen.core.record import NamedTuple

_BOX = re.compile(r"(\s*(?:[-*+]|\d+[.)])\s+\[)( |x|X)(\]\s+)(\S.*)")
_FENCE = re.compile(r"\s*(```|~~~)")


class PlanStep(NamedTuple):
    """A box: the number of its line, from 0, whether it is checked, and its text with what is indented below it."""

    line: int
    done: bool
    text: str


def of(plan: str) -> list[PlanStep]:
    """The boxes of a Markdown text; none of those in a fence."""
    found: list[PlanStep] = []
    fenced, depth = "", -1
    for number, line in enumerate(plan.splitlines()):
        if fence := _FENCE.match(line):
            fenced = "" if fenced == fence[1] else fenced or fence[1]
        box = None if fenced or fence else _BOX.fullmatch(line)
        indent = len(line) - len(line.lstrip())
        if box:
            found.append(PlanStep(number, box[2] != " ", box[4].strip()))
            depth = indent
        elif found and line.strip() and indent > depth >= 0:
            found[-1] = found[-1]._replace(text=f"{found[-1].text}\n{line.strip()}")
        elif line.strip():
            depth = -1
    return found


def next_of(plan: str) -> PlanStep | None:
    """The first that is to do."""
    return next((step for step in of(plan) if not step.done), None)


def checked(plan: str, step: PlanStep) -> str | None:
    """The text with the box of this step checked, wherever it is by now; as it is where somebody did so; None where
    there is no such step any more."""
    same = [one for one in of(plan) if one.text.split("\n")[0] == step.text.split("\n")[0]]
    if not same or all(one.done for one in same):
        return plan if same else None
    nearest = min((one for one in same if not one.done), key=lambda one: abs(one.line - step.line))
    lines = plan.splitlines(keepends=True)
    box = _BOX.match(lines[nearest.line])
    if box is None:
        return None
    lines[nearest.line] = f"{box[1]}x{lines[nearest.line][box.end(2) :]}"
    return "".join(lines)
