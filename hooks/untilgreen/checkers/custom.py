"""The user's own commands: the exit code decides, or a report in a known format and then the exit code.

Without a format the end of what the command prints is the finding. With one the report is taken from stdout, or from
the file that stands for `{report}` in the command; formats that are lines among others from stderr too, where
compilers write them.
"""

import re

from untilgreen.checkers import formats
from untilgreen.checkers.answer import Malformed, failed, first_line, last_lines, plain, tail
from untilgreen.checkers.checker import unfinished
from untilgreen.core.model.outcome import Broken, Clean, Found, Outcome, Output, Pending
from untilgreen.core.model.settings import CheckSetting

REPORT = "{report}"  # what stands in a command for the file that it is to write
_WIDTH = 300  # characters of one line
_NOT_RUN = {126: "could not be executed", 127: "command not found"}  # what shells and env(1) answer
# colours and links (OSC, CSI, others), which would hide the beginning of a line
_ESCAPES = re.compile(r"\x1b(?:\][^\x07\x1b\n]*(?:\x07|\x1b\\)|\[[0-?]*[ -/]*[@-~]|[ -/]*[0-~]|)")
_BY_EXIT_CODE = CheckSetting()
_FAILING = ("error", "security", "test")


def outcome_of(name: str, output: Output, own: CheckSetting = _BY_EXIT_CODE, root: str = ".") -> Outcome:
    """What a command of the user's own ends as; the diagnostics bear `name`.

    `own.ok` holds the exit codes that mean that all is well. Without a format they are Clean, and any other code is
    what known tools say in the output, or one error with the last 20 lines as its message; `root` is the folder in
    which it ran. With a format, a report that is not understood is Broken, what it
    holds is Found, and one without findings is Clean only with such a code. 126, 127, a signal and a process that
    never ended are Broken, unless `own.ok` names the code. One of `own.pending` means that it is to be asked again.
    """
    if not output.why and output.code in own.pending:
        return Pending("".join(last_lines(plain(output))[-1:])[:_WIDTH])
    fine = not output.why and output.code in own.ok
    reason = unfinished(output) or ("" if fine else _NOT_RUN.get(output.code or 0, ""))
    if reason:
        return Broken(reason, tail(output))
    if own.format in formats.EXIT_CODE:
        from untilgreen.checkers import known_outputs

        result = known_outputs.ended(output, root, fine=fine)
        if isinstance(result, Clean):
            return result
        return result._replace(diagnostics=tuple(one._replace(check=name) for one in result.diagnostics))
    try:
        reading = formats.reader(own.format, own.pattern)(_text(output, own))
    except Malformed as unclear:
        return Broken(first_line(f"{own.format}: {unclear}"), tail(output))
    diagnostics = tuple(found._replace(check=name) for found in reading.diagnostics)
    if not diagnostics:
        return Clean(reading.tests) if fine else Broken(f"exit code {output.code} and no findings", tail(output))
    if not fine and not any(found.severity in _FAILING for found in diagnostics):
        # a command that fails is never green; the report itself says nothing to anybody
        rest = output if _in_file(own) or own.format in formats.LINES else output._replace(stdout="")
        diagnostics += (failed(rest, "error", "nothing that it reported is an error")._replace(check=name),)
    return Found(diagnostics, reading.tests)


def _text(output: Output, own: CheckSetting) -> str:
    """The report, without escape sequences. Raises Malformed for a file that was not written."""
    text = f"{output.stdout}\n{output.stderr}" if own.format in formats.LINES else output.stdout
    if _in_file(own):
        text = output.report
        if not text.strip():
            raise Malformed("its file was not written, or is empty")
    return _ESCAPES.sub("", text)


def _in_file(own: CheckSetting) -> bool:
    return any(REPORT in word for word in own.command)
