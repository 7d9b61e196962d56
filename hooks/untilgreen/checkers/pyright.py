"""pyright and basedpyright: their JSON. One tool by its answers, two by where they are configured.

Learned from pyright 1.1.300, 1.1.380, 1.1.414 and basedpyright 1.18.4, 1.29.5, 1.40.2: without `--project` a
configuration in a folder above beats the root's own `pyproject.toml`. One that cannot be parsed is a line on stderr and
findings made without it, with exit code 3 (pyright) or 0 (basedpyright); a root without files is exit code 0.
basedpyright prints lines of its own before the JSON when it updates its baseline, which versions before 1.30 do even in
CI. Files on the command line are looked at though the configuration excludes them, so none is ever named.
"""

import re
from collections.abc import Callable
from typing import Any

from untilgreen.checkers.checker import Checker, Malformed, first_line, json_answer, refusal, relative
from untilgreen.core.model import Clean, Criteria, Diagnostic, Found, Outcome, Output, Setting
from untilgreen.project.layout import Layout, any_below

_SUFFIXES = (".py", ".pyi")
_PYRIGHT, _BASED = {"pyproject.toml": r"tool\.pyright(\.|$)"}, {"pyproject.toml": r"tool\.basedpyright(\.|$)"}
_SEVERITIES = {"error": "error", "warning": "warning", "information": "info"}
_UNRESOLVED = ("reportMissingImports", "reportMissingModuleSource")
_UNREAD = r"(?m)^Config file .+ could not be \w+"
_COMPLAINT = r"(?m)^(?:Config file .+|Unexpected option .+|.*Error: .+|.*error occurred.*)"


def argv(setting: Setting) -> tuple[str, ...]:
    interpreter = ("--pythonpath", setting.interpreter) if setting.interpreter else ()
    return (setting.tool, "--outputjson", "--project", ".", *interpreter)


def pyright_roots(layout: Layout, _criteria: Criteria) -> list[str]:
    """Where pyright is configured; a root with a section for basedpyright is that one's."""
    return [root for root in _configured(layout, ("pyrightconfig.json",), _PYRIGHT) if root not in _based(layout)]


def basedpyright_roots(layout: Layout, _criteria: Criteria) -> list[str]:
    """Where basedpyright is configured under its own name."""
    return _based(layout)


def _based(layout: Layout) -> list[str]:
    return _configured(layout, (), _BASED)


def _configured(layout: Layout, own: tuple[str, ...], shared: dict[str, str]) -> list[str]:
    python = layout.ending(*_SUFFIXES)
    return [root for root in layout.configured(own, shared) if any_below(python, root)]


def _parser(check: str) -> Callable[[Output, Setting], Outcome]:
    def parse(output: Output, setting: Setting) -> Outcome:
        if output.code not in (0, 1):  # 2: it crashed, 3: its configuration, 4: its command line
            raise refusal(output, re.compile(_COMPLAINT))
        unread = re.search(_UNREAD, output.stderr)
        if unread:
            raise Malformed(f"{check} did not read its configuration: {unread[0]}")
        entries, summary = _answer(output)
        if summary["filesAnalyzed"] == 0:
            raise Malformed("0 files: nothing was looked at")
        diagnostics = tuple(_diagnostic(entry, check, setting) for entry in entries)
        read, announced = len(diagnostics), sum(summary[f"{severity}Count"] for severity in _SEVERITIES)
        if read < announced:
            raise Malformed(f"{announced} findings announced, {read} read")
        return Found(diagnostics) if diagnostics else Clean()

    return parse


def _answer(output: Output) -> tuple[list[Any], dict[str, int]]:
    begin = re.search(r"^\{", output.stdout, re.MULTILINE)
    if begin is None:
        raise refusal(output, re.compile(_COMPLAINT))
    answer = json_answer(output.stdout[begin.start() :])
    try:
        entries, summary = answer["generalDiagnostics"], answer["summary"]
        counts = {key: summary[key] for key in ("filesAnalyzed", *(f"{severity}Count" for severity in _SEVERITIES))}
    except (KeyError, TypeError) as error:
        raise Malformed(f"the answer has another shape: {error!r}") from error
    if not isinstance(entries, list) or not all(isinstance(count, int) for count in counts.values()):
        raise Malformed("the answer has another shape")
    return entries, counts


def _diagnostic(entry: Any, check: str, setting: Setting) -> Diagnostic:
    try:
        file, message, said = entry["file"], entry["message"], entry["severity"]
        rule = entry.get("rule") or ""
        line = entry["range"]["start"]["line"] + 1 if "range" in entry else 0  # it counts from 0
    except (KeyError, TypeError, AttributeError) as error:
        raise Malformed(f"a finding has another shape: {error!r}") from error
    if not all(isinstance(text, str) for text in (file, message, said, rule)) or not isinstance(line, int):
        raise Malformed("a finding's file, message, severity, rule or line has another type")
    severity = _SEVERITIES.get(said, "")
    if not severity:
        raise Malformed(f"a finding has the severity {said!r}")
    # an error without a rule cannot be switched off: what the parser says, or the checker where it gave up
    broken = severity == "error" and not rule
    if rule in _UNRESOLVED and not setting.resolves:
        severity = "warning"
    return Diagnostic(
        check=check,
        file=relative(file, setting.root),
        line=max(line, 0),
        rule=rule or ("syntax" if broken else said),
        severity=severity,
        message=first_line(message),
        hides=broken,
    )


_COMMON = Checker(
    name="pyright",
    stage="static",
    seconds=120,
    argv=argv,
    parse=_parser("pyright"),
    roots=pyright_roots,
    programs=("pyright", "basedpyright"),
    serves=("type_check",),
    edit="types",
    suffixes=_SUFFIXES,
    python=True,
)
PYRIGHT = _COMMON
BASEDPYRIGHT = _COMMON._replace(
    name="basedpyright",
    parse=_parser("basedpyright"),
    roots=basedpyright_roots,
    programs=("basedpyright",),
)
