"""golangci-lint: its JSON, one line of it, as versions 1 and 2 write it with options of their own.

Read from its documentation and sources (1.64, 2.4), not from a binary: exit code 1 is findings, 3 a failure, 4 a
time-out, 5 no Go files, 7 an error that was only logged. The configuration tells which version it is, as it names 2
since then. Version 2 tells paths from the folder of its configuration. At most 50 findings of a linter are told unless
asked.
"""

import os
import re

from untilgreen.checkers.answer import finding, json_answer, line_of, number, refusal, severity_of, tables, text, within
from untilgreen.checkers.checker import Checker, Files
from untilgreen.checkers.go import go_vet
from untilgreen.core.model.outcome import Clean, Diagnostic, Found, Outcome, Output, Setting
from untilgreen.core.model.settings import Criteria
from untilgreen.project.tree.layout import Layout, around

_OWN = (".golangci.yml", ".golangci.yaml", ".golangci.toml", ".golangci.json")
_SECOND = r"(?m)^[\s{]*[\"']?version[\"']?\s*[:=]\s*[\"']?2"
_COMPLAINT = r"(?m)^(?:level=error msg=.+|ERRO .+|Error: .+|The command is terminated due to an error: .+|panic: .+)"
_ALL = ("--max-issues-per-linter=0", "--max-same-issues=0")
_UNREADABLE = "typecheck"  # the linter in whose name what does not compile is told


def argv(setting: Setting) -> tuple[str, ...]:
    first = setting.variant.startswith("1")
    form = "--out-format=json" if first else "--output.json.path=stdout"
    # several modules are looked at at once
    return (setting.tool, "run", form, *_ALL, "--color=never", "--allow-parallel-runners", *setting.call)


def variant(layout: Layout, root: str) -> str:
    """The version that the nearest configuration is for, and from where its paths are told: `2 ..`."""
    for folder in around(root):
        if name := layout.configuration(folder, _OWN, {}):
            second = re.search(_SECOND, layout.text(name if folder == "." else f"{folder}/{name}") or "")
            return f"2 {os.path.relpath(folder, root)}" if second else "1 ."
    return "2 ."


def roots(layout: Layout, _criteria: Criteria) -> list[str]:
    """The modules that are configured for it, by themselves or from above."""
    return [root for root in go_vet.modules(layout) if any(layout.configuration(up, _OWN, {}) for up in around(root))]


def parse(output: Output, setting: Setting) -> Outcome:
    line = next((line for line in output.stdout.split("\n") if line.startswith('{"Issues":')), "")
    if output.code not in (0, 1) or not line:
        raise refusal(output, _COMPLAINT)
    base = setting.variant.partition(" ")[2]
    found = tuple(_diagnostic(entry, base) for entry in tables(json_answer(line), "Issues", missing=[]))
    return Found(found) if found else Clean()


def _diagnostic(entry: dict[str, object], base: str) -> Diagnostic:
    linter, severity = text(entry, "FromLinter"), severity_of(text(entry, "Severity", missing=""))
    file = os.path.normpath(os.path.join(base, text(entry, "Pos", "Filename")))
    line, column = number(entry, "Pos", "Line", missing=0), line_of(within(entry, "Pos", "Column"))
    return finding((file, line, column), linter, severity, text(entry, "Text"), hides=linter == _UNREADABLE)


CHECKER = Checker(
    name="golangci-lint",
    seconds=240,  # the first run compiles what the module imports
    argv=argv,
    parse=parse,
    roots=roots,
    serves=("lint_clean",),
    files=Files(patterns=(".go",)),
    variant=variant,
    subcommand=("run",),
    leaves_out=(
        "--fix -v --verbose --color= --out-format= --output.json.path= --output.text.path= --output.tab.path= "
        "--output.html.path= --output.checkstyle.path= --output.code-climate.path= --output.junit-xml.path= "
        "--output.teamcity.path= --output.sarif.path= --output.text.colors --output.text.print-issued-lines "
        "--output.text.print-linter-name --print-issued-lines --print-linter-name --show-stats --sort-results "
        "--path-prefix= --path-mode= --max-issues-per-linter= --max-same-issues= -j= --concurrency= "
        "--allow-parallel-runners --allow-serial-runners --print-resources-usage --cpu-profile-path= "
        "--mem-profile-path= --trace-path="
    ),
    fails_by_all=True,
)
