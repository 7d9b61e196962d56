"""pylint: its JSON, an empty list where all is well; the exit code, by `fail-under` and `fail-on` too, is its own.

Learned from 2.17.7, 3.3.9 and 4.1.4: a configuration that it cannot parse is a line in front of the findings that it
makes without it; a wrong value in one is exit code 32. It walks into virtual environments, so it is told its files
where the project does not name them.
"""

import re

from untilgreen.checkers.answer import (
    finding,
    from_one,
    items,
    json_answer,
    line_of,
    number,
    refusal,
    severity_of,
    text,
    within,
)
from untilgreen.checkers.checker import Checker, Files, where_configured
from untilgreen.core.model.outcome import Clean, Diagnostic, Found, Outcome, Output, Setting
from untilgreen.core.record import Any

_OWN = (".pylintrc", "pylintrc", ".pylintrc.toml", "pylintrc.toml")
_SECTIONS = {"pyproject.toml": r"tool\.pylint(\.|$)", "setup.cfg": r"pylint", "tox.ini": r"pylint"}
_LEVELS = {"convention": "info", "refactor": "info"}
_UNREAD = r"error while parsing the configuration.*"


def argv(setting: Setting) -> tuple[str, ...]:
    return (setting.tool, "--output-format=json", *(setting.call or ("--", *setting.named)))


def parse(output: Output, _setting: Setting) -> Outcome:
    begin = re.search(r"(?m)^\[", output.stdout)
    if output.code is None or output.code >= 32 or begin is None or re.search(_UNREAD, output.stdout[: begin.start()]):
        raise refusal(output, rf"{_UNREAD}|(?m:^.*[Ee]rror: .+)")
    found = tuple(map(_diagnostic, items(json_answer(output.stdout[begin.start() :]))))
    return Found(found) if found else Clean()


def _diagnostic(entry: Any) -> Diagnostic:
    level, rule = text(entry, "type"), text(entry, "symbol")
    hides = level == "fatal" or rule == "syntax-error"
    severity, message = _LEVELS.get(level) or severity_of(level), text(entry, "message")
    line, column = number(entry, "line", missing=0), within(entry, "column")
    column = line_of(column) if rule == "syntax-error" else from_one(column)  # the parser's own counts from 1
    return finding((text(entry, "path"), line, column), rule, severity, message, hides=hides)


CHECKER = Checker(
    name="pylint",
    argv=argv,
    parse=parse,
    roots=where_configured(_OWN, _SECTIONS, (".py",)),
    package="pypi:pylint",
    serves=("lint_clean",),
    files=Files(patterns=(".py",), listed=True),
    python=True,
    leaves_out=(
        "-s= --score= --reports= -r= -f= --output-format= --output= --msg-template= -j= --jobs= -v --verbose "
        "--persistent="
    ),
    fails_by_all=True,
    unresolved=("import-error",),
)
