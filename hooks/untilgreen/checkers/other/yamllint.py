"""yamllint: its lines, and before them its own list of the files that it looks at.

Learned from 1.29.0, 1.35.1 and 1.38.0: without a finding it says nothing at all, also where its configuration leaves
out every file; so it is asked first which those are, which it can say since 1.27. Exit code 255 for a configuration or
a file that it cannot read, 1 and a traceback for some of them; warnings alone are exit code 0.
"""

from untilgreen.checkers import in_turn
from untilgreen.checkers.answer import Malformed, refusal, relative
from untilgreen.checkers.checker import linter_of_files, reads
from untilgreen.core.model.outcome import Output, Setting

_OWN, _PATTERNS = (".yamllint", ".yamllint.yaml", ".yamllint.yml"), (".yml", ".yaml")
_LINE = r"^(?P<file>.+?):(?P<line>\d+):(?P<column>\d+): "
_LINE += r"\[(?P<severity>\w+)\] (?P<message>.*?)(?: \((?P<rule>[\w-]+)\))?$"


def argv(setting: Setting) -> tuple[str, ...]:
    files = tuple(f"./{path}" for path in setting.named)  # none begins with a dash
    return in_turn.argv(setting.tool, ("--list-files", *files), ("--format=parsable", *files))


def _proof(output: Output, setting: Setting) -> None:
    runs = in_turn.runs(output.stdout)
    if output.code not in (0, 1) or [run.code for run in runs[:1]] != [0] or len(runs) != 2:
        raise refusal(output, r"(?m)^(?:invalid config|yamllint: error|\[Errno|\w*Error).+")
    looked_at = {relative(line, setting.root) for line in runs[0].text.splitlines()}
    if not looked_at.difference(_OWN) and not setting.files:  # of a few that were named it may leave out all
        raise Malformed("no file but its own configuration: nothing was looked at")


CHECKER = linter_of_files("yamllint", _OWN, _PATTERNS, argv, reads("regex", _LINE, proof=_proof), "pypi:yamllint")
