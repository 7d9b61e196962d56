"""flake8: its lines, with the number of files that its benchmark tells as the evidence that it looked at something.

Learned from 5.0.4, 6.1.0 and 7.5.0: a folder without files is exit code 0. A configuration that it cannot read is a
traceback and exit code 1. It walks into virtual environments.
"""

import re

from untilgreen.checkers.answer import findings, matched, refusal
from untilgreen.checkers.checker import Checker, Files, where_configured
from untilgreen.checkers.python.ruff import severity
from untilgreen.core.model.outcome import Outcome, Output, Setting

_SHARED = {"setup.cfg": r"flake8$", "tox.ini": r"flake8$"}
_FORM = ("--benchmark", "--format=default", "--extend-exclude=.venv,venv,env,node_modules")
_LINE = r"(?m)^(?P<file>.+?):(?P<line>\d{1,9}):(?P<column>\d{1,9}): (?P<rule>[A-Z]+\d*) (?P<message>.+)$"


def argv(setting: Setting) -> tuple[str, ...]:
    return (setting.tool, *_FORM, *setting.call, *(("--", *setting.files) if setting.files else ()))


def parse(output: Output, setting: Setting) -> Outcome:
    looked_at = re.search(r"(?m)^(\d{1,9}) +total files processed$", output.stdout)
    if looked_at is None:
        raise refusal(output, r"(?m)^[\w.]*(?:Error|Exception): .+|^\S+: error: .+")
    found = tuple(matched(one, severity(one["rule"])) for one in re.finditer(_LINE, output.stdout))
    return findings(found, files=int(looked_at[1]) or len(setting.files))


CHECKER = Checker(
    name="flake8",
    argv=argv,
    parse=parse,
    roots=where_configured((".flake8",), _SHARED, (".py", ".pyi")),
    package="pypi:flake8",
    serves=("lint_clean",),
    files=Files(edit="lint", patterns=(".py", ".pyi"), by_file=True),
    leaves_out=(
        "--count --statistics --show-source --no-show-source --benchmark -q --quiet -v --verbose --tee --bug-report "
        "--format= --output-file= --color= -j= --jobs="
    ),
    fails_by_all=True,
    hiding=("E999", "E902"),
)
