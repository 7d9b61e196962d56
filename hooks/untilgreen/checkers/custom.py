"""The user's own commands: the exit code decides, the end of what they print is the finding."""

from untilgreen.checkers.checker import last_lines, tail, unfinished
from untilgreen.core.model import Broken, Clean, Diagnostic, Found, Outcome, Output

_WIDTH = 300  # characters of one line
_NOT_RUN = {126: "could not be executed", 127: "command not found"}  # what shells and env(1) answer


def outcome_of(name: str, output: Output, ok: tuple[int, ...] = (0,)) -> Outcome:
    """`ok` holds the exit codes that mean Clean; any other is one error with the last 20 lines as its message.

    126, 127, a signal and a process that never ended are Broken, unless `ok` names the code.
    """
    if not output.why and output.code in ok:
        return Clean()
    reason = unfinished(output) or _NOT_RUN.get(output.code or 0, "")
    if reason:
        return Broken(reason, tail(output))
    return Found((_finding(name, output),))


def _finding(name: str, output: Output) -> Diagnostic:
    return Diagnostic(
        check=name,
        file="",
        line=0,
        rule=f"exit-{output.code}",
        severity="error",
        message="\n".join(line[:_WIDTH] for line in last_lines(output)) or "it printed nothing",
    )
