"""`--task-file PLAN.md --each-step`: a loop for each unchecked box, in their order."""

import os
import re
import stat

from untilgreen.core.errors import UserError
from untilgreen.core.record import NamedTuple
from untilgreen.project import files
from untilgreen.settings.values import shown
from untilgreen.state import store

_LARGEST = 1024 * 1024  # bytes
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
    return next((step for step in of(plan) if not step.done), None)


def read(path: str) -> str:
    """The plan, by its real path: the agent may have put a link there. Raises UserError."""
    try:
        return files.read(path, _LARGEST).decode("utf-8")
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is no UTF-8 text of up to 1 MB"
        raise UserError(f"--task-file: cannot read {_named(path)}: {reason}", "name a file of UTF-8 text") from None


def first(path: str) -> PlanStep:
    """The first step that is to do. Raises UserError where none is."""
    step = next_of(read(path))
    if step is None:
        raise UserError(f"--each-step: {_named(path)} has no unchecked box", "write `- [ ] STEP` in it")
    return step


def tick(path: str, text: str) -> PlanStep | None:
    """Check the box of this step, unless the agent did; the next one, None where none is left. Raises UserError."""
    plan = read(path)
    same = [one for one in of(plan) if one.text.split("\n")[0] == text]
    if not same:
        raise UserError(f"the step {shown(text)} is not in {_named(path)} any more", "check what was done by hand")
    if todo := next((one for one in same if not one.done), None):
        lines = plan.splitlines(keepends=True)
        lines[todo.line] = lines[todo.line].replace("[ ]", "[x]", 1)
        plan, mode = "".join(lines), stat.S_IMODE(os.stat(path).st_mode)
        store.write_text(path, plan)
        os.chmod(path, mode)
    return next_of(plan)


def _named(path: str) -> str:
    return shown(os.path.relpath(path))
