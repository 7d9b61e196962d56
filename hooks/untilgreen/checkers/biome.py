"""biome: `biome lint` as JSON, whose summary says how many files it looked at.

Learned from 1.9, 2.0 and 2.6: the JSON calls itself experimental and has two shapes: a finding had offsets in bytes and
the whole source text, now it has a line. At most 20 findings are shown unless told. biome.json is always among
the files that it counts. Formatting is not looked at: it is no finding that anybody has to think about.
"""

import re
from typing import Any

from untilgreen.checkers.checker import Checker, Malformed, first_line, json_answer, refusal, relative
from untilgreen.checkers.javascript import JAVASCRIPT, TYPESCRIPT, covering
from untilgreen.core.model import Clean, Criteria, Diagnostic, Found, Outcome, Output, Setting
from untilgreen.project.layout import Layout

_CONFIGS = ("biome.json", "biome.jsonc", ".biome.json", ".biome.jsonc")
_SUFFIXES = (*JAVASCRIPT, *TYPESCRIPT, ".json", ".jsonc", ".css", ".graphql", ".gql", ".vue", ".svelte", ".astro")
_COMPLAINT = re.compile(r"^ +\S .+|^\w*[Ee]rror: .+", re.MULTILINE)
_SEVERITY = {
    "fatal": "error",
    "error": "error",
    "warning": "warning",
    "information": "info",
    "info": "info",
    "hint": "info",
}
_UNREADABLE = ("parse", "internalError/", "fs/", "suppressions/parse")  # categories, or how they begin


def roots(layout: Layout, _criteria: Criteria) -> list[str]:
    """Where it is configured; nested configurations it finds by itself."""
    files = [path for path in layout.ending(*_SUFFIXES) if path.rpartition("/")[2] not in _CONFIGS]
    return covering(layout.marked(_CONFIGS), files)


def argv(setting: Setting) -> tuple[str, ...]:
    # a file that is named may well be one that the configuration leaves out
    what = ("--no-errors-on-unmatched", *setting.files) if setting.files else (".",)
    return (setting.tool, "lint", "--colors=off", "--reporter=json", "--max-diagnostics=none", *what)


def parse(output: Output, setting: Setting) -> Outcome:
    text = next((line for line in output.stdout.split("\n") if line.startswith('{"')), "")
    if output.code not in (0, 1) or not text:
        raise refusal(output, _COMPLAINT)
    answer = json_answer(text)
    try:
        summary, entries = answer["summary"], answer["diagnostics"]
        looked_at, left_out = summary["changed"] + summary["unchanged"], summary["diagnosticsNotPrinted"]
        if not isinstance(looked_at, int):
            raise TypeError("changed, unchanged")
        diagnostics = tuple(_diagnostic(entry, setting) for entry in entries)
    except (KeyError, TypeError, AttributeError, UnicodeEncodeError) as error:
        raise Malformed(f"the answer has another shape: {error!r}") from error
    if left_out:
        raise Malformed(f"{left_out} findings were left out")
    if diagnostics:
        return Found(diagnostics)
    if looked_at < 2 and not setting.files:
        raise Malformed("no files but its own configuration were processed: nothing was looked at")
    return Clean()


def _diagnostic(entry: Any, setting: Setting) -> Diagnostic:
    category, location = entry["category"] or "biome", entry["location"]
    message = entry["description"] if "description" in entry else entry["message"]
    path = location["path"]
    file = path["file"] if isinstance(path, dict) else path or ""
    if not (isinstance(category, str) and isinstance(message, str) and isinstance(file, str)):
        raise TypeError("category, message or path")
    return Diagnostic(
        check="biome",
        file=relative(file, setting.root).removeprefix("./"),
        line=_line(location),
        rule=category,
        severity=_SEVERITY[entry["severity"]],
        message=first_line(message),
        hides=category.startswith(_UNREADABLE),
    )


def _line(location: Any) -> int:
    """1-based; 0 where nothing is known."""
    if "start" in location:
        line = location["start"]["line"]
    elif location.get("span") and location.get("sourceCode"):
        line = location["sourceCode"].encode()[: location["span"][0]].count(b"\n") + 1
    else:
        line = 0
    if not isinstance(line, int):
        raise TypeError("line")
    return max(line, 0)


CHECKER = Checker(
    name="biome",
    stage="static",
    seconds=120,
    argv=argv,
    parse=parse,
    roots=roots,
    serves=("lint_clean",),
    edit="lint",
    suffixes=_SUFFIXES,
    by_file=True,
)
