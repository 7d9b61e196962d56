"""`--task-file PLAN.md --each-step`: a loop for each unchecked box, in their order."""

import os
import stat

from untilgreen.core.errors import UserError
from untilgreen.core.words import steps
from untilgreen.core.words.steps import PlanStep
from untilgreen.project import files
from untilgreen.settings.values import shown
from untilgreen.state import store

_LARGEST = 1024 * 1024  # bytes


def read(path: str) -> str:
    """The plan, by its real path: the agent may have put a link there. Raises UserError."""
    try:
        return files.read(path, _LARGEST).decode("utf-8")
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is no UTF-8 text of up to 1 MB"
        raise UserError(f"--task-file: cannot read {_named(path)}: {reason}", "name a file of UTF-8 text") from None


def first(path: str) -> PlanStep:
    """The first step that is to do. Raises UserError where none is."""
    step = steps.next_of(read(path))
    if step is None:
        raise UserError(f"--each-step: {_named(path)} has no unchecked box", "write `- [ ] STEP` in it")
    return step


def tick(path: str, text: str) -> PlanStep | None:
    """Check the box of this step, unless the agent did; the next one, None where none is left. Raises UserError."""
    plan = read(path)
    found = next((one for one in steps.of(plan) if one.text.split("\n")[0] == text), PlanStep(0, False, text))
    after = steps.checked(plan, found)
    if after is None:
        raise UserError(f"the step {shown(text)} is not in {_named(path)} any more", "check what was done by hand")
    if after != plan:
        mode = stat.S_IMODE(os.stat(path).st_mode)
        store.write_text(path, after)
        os.chmod(path, mode)
    return steps.next_of(after)


def _named(path: str) -> str:
    """As somebody here would write it."""
    return shown(os.path.relpath(path))
