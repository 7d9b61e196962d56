"""pyright and basedpyright: their JSON. One tool by its answers, two by where they are configured.

Learned from pyright 1.1.300, 1.1.380, 1.1.414 and basedpyright 1.18.4, 1.29.5, 1.40.2: without `--project` a
configuration in a folder above beats the root's own `pyproject.toml`. One that cannot be parsed is a line on stderr and
findings made without it, with exit code 3 (pyright) or 0 (basedpyright); a root without files is exit code 0.
basedpyright prints lines of its own before the JSON when it updates its baseline, which versions before 1.30 do even in
CI. Files on the command line are looked at though the configuration excludes them, so only the project names any.
"""

import re

from untilgreen.checkers.answer import (
    Malformed,
    finding,
    from_one,
    json_answer,
    number,
    refusal,
    severity_of,
    tables,
    text,
    within,
)
from untilgreen.checkers.checker import Checker, Files, where_configured
from untilgreen.core.model.outcome import Clean, Diagnostic, Found, Outcome, Output, Setting
from untilgreen.core.model.settings import Criteria
from untilgreen.core.record import Any
from untilgreen.project.tree.layout import Layout

_SUFFIXES = (".py", ".pyi")
_PYRIGHT, _BASED = {"pyproject.toml": r"tool\.pyright(\.|$)"}, {"pyproject.toml": r"tool\.basedpyright(\.|$)"}
_UNREAD = r"(?m)^Config file .+ could not be \w+"
_COMPLAINT = r"(?m)^(?:Config file .+|Unexpected option .+|.*Error: .+|.*error occurred.*)"


def argv(setting: Setting) -> tuple[str, ...]:
    interpreter = ("--pythonpath", setting.interpreter) if setting.interpreter else ()
    return (setting.tool, "--outputjson", *(setting.call or ("--project", ".")), *interpreter)


_based = where_configured((), _BASED, _SUFFIXES)
_plain = where_configured(("pyrightconfig.json",), _PYRIGHT, _SUFFIXES)


def _roots(layout: Layout, criteria: Criteria) -> list[str]:
    """Where pyright is configured; a root with a section for basedpyright is that one's."""
    return [root for root in _plain(layout, criteria) if root not in _based(layout, criteria)]


def parse(output: Output, _setting: Setting) -> Outcome:
    if output.code not in (0, 1):  # 2: it crashed, 3: its configuration, 4: its command line
        raise refusal(output, _COMPLAINT)
    unread = re.search(_UNREAD, output.stderr)
    if unread:
        raise Malformed(f"it did not read its configuration: {unread[0]}")
    begin = re.search(r"^\{", output.stdout, re.MULTILINE)
    if begin is None:
        raise refusal(output, _COMPLAINT)
    answer = json_answer(output.stdout[begin.start() :])
    announced = sum(number(answer, "summary", f"{severity}Count") for severity in ("error", "warning", "information"))
    diagnostics = tuple(map(_diagnostic, tables(answer, "generalDiagnostics")))
    if number(answer, "summary", "filesAnalyzed") == 0:
        raise Malformed("0 files: nothing was looked at")
    if len(diagnostics) < announced:
        raise Malformed(f"{announced} findings announced, {len(diagnostics)} read")
    return Found(diagnostics) if diagnostics else Clean()


def _diagnostic(entry: dict[str, Any]) -> Diagnostic:
    said, rule = text(entry, "severity"), text(entry, "rule", missing="")
    severity = severity_of(said)
    line = number(entry, "range", "start", "line") + 1 if entry.get("range") else 0  # it counts from 0
    column = from_one(within(entry, "range", "start", "character"))
    # an error without a rule cannot be switched off: what the parser says, or the checker where it gave up
    broken = severity == "error" and not rule
    rule = rule or ("syntax" if broken else said)
    return finding((text(entry, "file"), line, column), rule, severity, text(entry, "message"), hides=broken)


PYRIGHT = Checker(
    name="pyright",
    argv=argv,
    parse=parse,
    roots=_roots,
    programs=("pyright", "basedpyright"),
    package="pypi:pyright",
    serves=("type_check",),
    files=Files(edit="types", patterns=_SUFFIXES),
    python=True,
    leaves_out="--outputjson --stats --verbose --watch -w --level= --pythonpath= --venvpath= -v=",
    strict=r"--warnings\b",
    unresolved=("reportMissingImports", "reportMissingModuleSource"),
)
BASEDPYRIGHT = PYRIGHT._replace(
    name="basedpyright", roots=_based, programs=("basedpyright",), package="pypi:basedpyright"
)
