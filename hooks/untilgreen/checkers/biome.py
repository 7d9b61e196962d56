"""biome: `biome lint` as JSON, whose summary says how many files it looked at.

Learned from 1.9, 2.0 and 2.6: the JSON calls itself experimental and has two shapes: a finding had offsets in bytes and
the whole source text, now it has a line. At most 20 findings are shown unless told. biome.json is always among
the files that it counts. Formatting is not looked at: it is no finding that anybody has to think about.
"""

from typing import Any

from untilgreen.checkers.answer import (
    Malformed,
    finding,
    json_answer,
    number,
    refusal,
    severity_of,
    tables,
    text,
    within,
)
from untilgreen.checkers.checker import Checker
from untilgreen.checkers.javascript import JAVASCRIPT, TYPESCRIPT
from untilgreen.core.model.outcome import Clean, Diagnostic, Found, Outcome, Output, Setting
from untilgreen.core.model.settings import Criteria
from untilgreen.project.layout import Layout, any_below, outermost

_CONFIGS = ("biome.json", "biome.jsonc", ".biome.json", ".biome.jsonc")
_SUFFIXES = (*JAVASCRIPT, *TYPESCRIPT, ".json", ".jsonc", ".css", ".graphql", ".gql", ".vue", ".svelte", ".astro")
_COMPLAINT = r"(?m)^ +\S .+|^\w*[Ee]rror: .+"
_UNREADABLE = ("parse", "internalError/", "fs/", "suppressions/parse")  # categories, or how they begin


def roots(layout: Layout, _criteria: Criteria) -> list[str]:
    """Where it is configured; nested configurations it finds by itself."""
    files = [path for path in layout.ending(*_SUFFIXES) if path.rpartition("/")[2] not in _CONFIGS]
    configured = layout.marked(_CONFIGS)
    outer = ["."] if "." in configured else outermost(configured)
    return [folder for folder in outer if any_below(files, folder)]


def argv(setting: Setting) -> tuple[str, ...]:
    # a file that is named may well be one that the configuration leaves out
    what = ("--no-errors-on-unmatched", *setting.files) if setting.files else (".",)
    return (setting.tool, "lint", "--colors=off", "--reporter=json", "--max-diagnostics=none", *what)


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
    if not diagnostics and looked_at < 2 and not setting.files:
        raise Malformed("no files but its own configuration were processed: nothing was looked at")
    return Found(diagnostics) if diagnostics else Clean()


def _diagnostic(entry: dict[str, Any]) -> Diagnostic:
    category, severity = text(entry, "category", missing="biome"), severity_of(text(entry, "severity"))
    message = text(entry, "message" if entry.get("description") is None else "description")
    place = entry.get("location")
    file = text(place, "path", *(("file",) if within(place, "path", "file") else ()), missing="")
    offset, source = within(place, "span", 0), text(place, "sourceCode", missing="")
    line = number(place, "start", "line", missing=0)
    if isinstance(offset, int) and source:
        line = source.encode("utf-8", "surrogatepass")[:offset].count(b"\n") + 1
    return finding(file, line, category, severity, message, hides=category.startswith(_UNREADABLE))


CHECKER = Checker(
    name="biome",
    argv=argv,
    parse=parse,
    roots=roots,
    package="npm:@biomejs/biome",
    serves=("lint_clean",),
    edit="lint",
    patterns=_SUFFIXES,
    by_file=True,
)
