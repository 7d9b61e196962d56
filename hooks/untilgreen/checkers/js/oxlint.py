"""oxlint: its JSON, which says how many files it looked at.

Learned from 1.20.0, 1.55.0 and 1.94.0: warnings alone are exit code 0 unless `--deny-warnings`. Where there is no
file, and where its configuration cannot be read, the words for it stand on stdout; 1.2.0 went on without one.
"""

import re

from untilgreen.checkers.answer import (
    finding,
    findings,
    json_answer,
    number,
    refusal,
    severity_of,
    tables,
    text,
    within,
)
from untilgreen.checkers.checker import Checker, Files
from untilgreen.checkers.js.javascript import JAVASCRIPT, TYPESCRIPT, outermost_configured
from untilgreen.core.model.outcome import Diagnostic, Outcome, Output, Setting
from untilgreen.core.record import Any

CONFIGS = (".oxlintrc.json", ".oxlintrc.jsonc", "oxlint.json", "oxlint.config.ts")
_SUFFIXES = (*JAVASCRIPT, *TYPESCRIPT, ".vue", ".svelte", ".astro")


def argv(setting: Setting) -> tuple[str, ...]:
    return (setting.tool, "--format=json", *(setting.call or (() if setting.files else (".",))), *setting.files)


def parse(output: Output, setting: Setting) -> Outcome:
    begin = re.search(r"(?m)^\{", output.stdout)
    if begin is None:
        raise refusal(output, r"(?m)^ +\S .+|^[A-Z].+")
    answer = json_answer(output.stdout[begin.start() :])
    files = number(answer, "number_of_files") or len(setting.files)
    return findings(map(_diagnostic, tables(answer, "diagnostics")), files=files)


def _diagnostic(entry: dict[str, Any]) -> Diagnostic:
    rule, severity = text(entry, "code", missing=""), severity_of(text(entry, "severity"))
    span = within(entry, "labels", 0, "span")
    at = (text(entry, "filename"), within(span, "line"), within(span, "column"))
    return finding(at, rule or "parse", severity, text(entry, "message"), hides=not rule and severity == "error")


CHECKER = Checker(
    name="oxlint",
    argv=argv,
    parse=parse,
    roots=outermost_configured(CONFIGS, _SUFFIXES),
    package="npm:oxlint",
    serves=("lint_clean",),
    files=Files(edit="lint", patterns=_SUFFIXES, by_file=True),
    leaves_out=(
        "--fix --fix-suggestions --fix-dangerously --silent --print-config --format= -f= --output-file= --threads="
    ),
    strict=r"--deny-warnings|--max-warnings[= ]0\b",
)
