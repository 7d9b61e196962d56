"""What the criterion `no_tool_errors` says at a stop. Pure; loaded only where it is asked for."""

from collections.abc import Sequence

from untilgreen.core import evidence
from untilgreen.core.model.check import Check
from untilgreen.core.model.evidence import ToolError
from untilgreen.core.model.loop import Loop
from untilgreen.core.model.outcome import Clean, Diagnostic, Found, Result

TOOLS = Check("tools", "custom", ".", "static", "", meets=("no_tool_errors",))
_KINDS = {"test_pass": "test", "lint_clean": "lint", "type_check": "types", "build_success": "build"}
_SHOWN = 200  # characters of a command


def result(loop: Loop, results: Sequence[Result]) -> Result:
    """The failures that nothing made good, as findings. A check that failed for the agent is made good where ours of
    that kind are clean, too."""
    said: dict[str, list[bool]] = {}
    for check, outcome in results:
        for kind in (_KINDS[name] for name in check.meets if name in _KINDS):
            said.setdefault(kind, []).append(isinstance(outcome, Clean))
    errors = evidence.still_open(loop, (kind for kind, clean in said.items() if all(clean)))
    return TOOLS, Found(tuple(map(_finding, errors))) if errors else Clean()


def _finding(error: ToolError) -> Diagnostic:
    about = f"`{error.about[:_SHOWN]}`: " if error.about and error.what != "edit" else ""
    file = error.about if error.what == "edit" else ""
    return Diagnostic(TOOLS.name, file, 0, error.tool, "error", f"{about}{error.message or 'failed'}")
