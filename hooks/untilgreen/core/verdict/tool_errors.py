"""What the criterion `no_tool_errors` says at a stop. Pure; loaded only where it is asked for."""

from collections.abc import Sequence

from untilgreen.core.model.check import STAGES, Absent, Check
from untilgreen.core.model.groups import ToolError
from untilgreen.core.model.loop import Loop
from untilgreen.core.model.outcome import Clean, Diagnostic, Found, Result
from untilgreen.core.verdict import evidence

NAME = "tool calls"  # no check of a user's own can have a name with a blank
_KINDS = {"test_pass": "test", "lint_clean": "lint", "type_check": "types", "build_success": "build"}
_SHOWN = 200  # characters of a command


def results(loop: Loop, ran: Sequence[Result]) -> tuple[Result, ...]:
    """The failures that nothing made good, as findings of one check; none where there are none: that the agent's calls
    went well is no look at the project. A check that failed for the agent is made good where ours of that kind are
    clean. They weigh on the first stage that there is."""
    said: dict[str, list[bool]] = {}
    for check, outcome in ran:
        for kind in (_KINDS[name] for name in check.meets if name in _KINDS):
            said.setdefault(kind, []).append(isinstance(outcome, Clean))
    errors = evidence.still_open(loop, (kind for kind, clean in said.items() if all(clean)))
    there = {check.stage for check, outcome in ran if not isinstance(outcome, Absent)}
    stage = next((one for one in STAGES if one in there), STAGES[0])
    check = Check(NAME, "custom", ".", stage, "", meets=("no_tool_errors",))
    return ((check, Found(tuple(map(_finding, errors)))),) if errors else ()


def _finding(error: ToolError) -> Diagnostic:
    about = f"`{error.about[:_SHOWN]}`: " if error.about and error.what != "edit" else ""
    file = error.about if error.what == "edit" else ""
    return Diagnostic(NAME, file, 0, error.tool, "error", f"{about}{error.message or 'failed'}")
