"""biome: `biome lint`, or what the project calls, as JSON, whose summary says how many files it looked at.

Learned from 1.9, 2.0 and 2.6: the JSON calls itself experimental and has two shapes: a finding had offsets in bytes and
the whole source text, now it has a line. At most 20 findings are shown unless told. biome.json is always among
the files that it counts. Formatting counts where the project calls `biome check`, `ci` or `format`.
"""

from untilgreen.checkers.answer import (
    Malformed,
    finding,
    json_answer,
    line_of,
    number,
    refusal,
    severity_of,
    tables,
    text,
    within,
)
from untilgreen.checkers.checker import Checker, Files
from untilgreen.checkers.js.javascript import JAVASCRIPT, TYPESCRIPT, outermost_configured
from untilgreen.core.model.outcome import Clean, Diagnostic, Found, Outcome, Output, Setting
from untilgreen.core.record import Any

_CONFIGS = ("biome.json", "biome.jsonc", ".biome.json", ".biome.jsonc")
_SUFFIXES = (*JAVASCRIPT, *TYPESCRIPT, ".json", ".jsonc", ".css", ".graphql", ".gql", ".vue", ".svelte", ".astro")
_COMPLAINT = r"(?m)^ +\S .+|^\w*[Ee]rror: .+"
_WRITING = ("--write", "--fix", "--apply", "--apply-unsafe", "--unsafe")
_UNREADABLE = ("parse", "internalError/", "fs/", "suppressions/parse")  # categories, or how they begin


def argv(setting: Setting) -> tuple[str, ...]:
    # the words of a call that writes would count what it mends
    called = () if setting.files or set(_WRITING) & set(setting.call) else setting.call
    command, *words = called or ("lint", ".")
    # a file that is named may well be one that the configuration leaves out
    what = ("--no-errors-on-unmatched", *setting.files) if setting.files else words
    return (setting.tool, command, "--colors=off", "--reporter=json", "--max-diagnostics=none", *what)


def parse(output: Output, setting: Setting) -> Outcome:
    line = next((line for line in output.stdout.split("\n") if line.startswith('{"')), "")
    if output.code not in (0, 1) or not line:
        raise refusal(output, _COMPLAINT)
    answer = json_answer(line)
    looked_at = sum(number(answer, "summary", kind) for kind in ("changed", "unchanged"))
    diagnostics = tuple(map(_diagnostic, tables(answer, "diagnostics")))
    left_out = number(answer, "summary", "diagnosticsNotPrinted")
    if left_out:
        raise Malformed(f"{left_out} findings were left out")
    least = 1 if setting.call else 2  # the project's own call may name folders: there the configuration is not counted
    if not diagnostics and looked_at < least and not setting.files:
        raise Malformed("no files but its own configuration were processed: nothing was looked at")
    return Found(diagnostics) if diagnostics else Clean()


def _diagnostic(entry: dict[str, Any]) -> Diagnostic:
    category, severity = text(entry, "category", missing="biome"), severity_of(text(entry, "severity"))
    message = text(entry, "message" if entry.get("description") is None else "description")
    place = entry.get("location")
    file = text(place, "path", *(("file",) if within(place, "path", "file") else ()), missing="")
    offset, source = within(place, "span", 0), text(place, "sourceCode", missing="")
    line, column = number(place, "start", "line", missing=0), line_of(within(place, "start", "column"))
    if isinstance(offset, int) and source:
        above = source.encode("utf-8", "surrogatepass")[:offset].decode("utf-8", "replace").split("\n")
        line, column = len(above), len(above[-1]) + 1
    hides = category.startswith(_UNREADABLE)
    return finding((file, line, column), category, severity, message, hides=hides)


CHECKER = Checker(
    name="biome",
    argv=argv,
    parse=parse,
    roots=outermost_configured(_CONFIGS, _SUFFIXES),
    package="npm:@biomejs/biome",
    serves=("lint_clean",),
    files=Files(edit="lint", patterns=_SUFFIXES, by_file=True),
    subcommand=("lint|check|ci|format",),
    leaves_out=(
        "--verbose --use-server --changed --staged --colors= --reporter= --reporter-file= --max-diagnostics= --since= "
        "--log-file= --log-level= --log-kind= --diagnostic-level="
    ),
    strict="--error-on-warnings",
)
