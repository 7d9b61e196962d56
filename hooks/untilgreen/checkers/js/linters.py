"""standard, oxlint, biome, and what checks the types of components: svelte-check and `astro check`. Learned from:

- standard 15.0.1, 16.0.4 and 17.1.2: where there is nothing to say it says nothing, and its exit code is the evidence.
  The rule is told with `--verbose` alone.
- oxlint 1.20.0, 1.55.0 and 1.94.0: its JSON says how many files it looked at. Warnings alone are exit code 0 unless
  `--deny-warnings`. Where there is no file, and where its configuration cannot be read, the words for it stand on
  stdout; 1.2.0 went on without one.
- biome 1.9, 2.0 and 2.6: the JSON has two shapes: a finding had offsets in bytes and the whole source text, now it has
  a line. At most 20 findings are shown unless told. biome.json is always among the files that it counts. Formatting
  counts where the project calls `biome check`, `ci` or `format`.
- svelte-check 3.8, 4.0 and 4.7: it looks at TypeScript beside the components too. A message is a text of JSON; a
  configuration that it cannot read is a finding of that file from 4 on.
- @astrojs/check 0.5, 0.9.4 and 0.9.10: it has no form for machines, and colours it always. It looks at `.astro` files
  alone, and its last lines count them.
"""

import itertools
import posixpath
import re

from untilgreen.checkers.answer import Malformed, finding, findings, line_of, matched, refusal, severity_of
from untilgreen.checkers.checker import Checker, Files, left_out
from untilgreen.checkers.documents import json_answer, number, tables, text, within
from untilgreen.checkers.js.javascript import JAVASCRIPT, TYPESCRIPT, depending, keyed, outermost_configured
from untilgreen.checkers.records import Records
from untilgreen.core.model.outcome import Diagnostic, Outcome, Output, Setting
from untilgreen.core.record import Any

_COMPONENTS = (*JAVASCRIPT, *TYPESCRIPT, ".vue", ".svelte", ".astro")
_STANDARD = (
    r"(?m)^ +(?P<file>\S.*?):(?P<line>\d{1,9}):(?P<column>\d{1,9}): (?P<message>.+?)(?: \((?P<rule>[\w@/-]+)\))?$"
)


def _standard(output: Output, _setting: Setting) -> Outcome:
    found = [matched(one, rule="standard") for one in re.finditer(_STANDARD, output.stdout)]
    if output.code not in (0, 1) or (output.code and not found):
        raise refusal(output, r"(?m)^.*Error: .+|^(?!standard: |\s*$).+")
    return findings(found)


STANDARD = Checker(
    name="standard",
    argv=lambda setting: (setting.tool, "--verbose", *setting.call, *setting.files),
    parse=_standard,
    roots=keyed("standard", (), JAVASCRIPT),
    package="npm:standard",
    serves=("lint_clean",),
    files=Files(edit="lint", patterns=JAVASCRIPT, by_file=True),
    leaves_out=left_out("standard"),
)


def _oxlint_argv(setting: Setting) -> tuple[str, ...]:
    return (setting.tool, "--format=json", *(setting.call or (() if setting.files else (".",))), *setting.files)


OXLINT = Checker(
    name="oxlint",
    argv=_oxlint_argv,
    parse=Records(
        answer=r"(?ms)^(\{.*)",
        codes=range(256),
        complaint=r"(?m)^ +\S .+|^[A-Z].+",
        entries="diagnostics",
        file="filename",
        line=lambda record: line_of(within(record, "labels", 0, "span", "line")),
        column=lambda record: within(record, "labels", 0, "span", "column"),
        rule=lambda record: text(record, "code", missing="") or "parse",
        severity="severity",
        message="message",
        hides=lambda _record, found: found.rule == "parse" and found.severity == "error",
        files=lambda answer: number(answer, "number_of_files"),
    ).parse,
    roots=outermost_configured((".oxlintrc.json", ".oxlintrc.jsonc", "oxlint.json", "oxlint.config.ts"), _COMPONENTS),
    package="npm:oxlint",
    serves=("lint_clean",),
    files=Files(edit="lint", patterns=_COMPONENTS, by_file=True),
    leaves_out=left_out("oxlint"),
    strict=r"--deny-warnings|--max-warnings[= ]0\b",
)

_BIOME_FILES = (*_COMPONENTS, ".json", ".jsonc", ".css", ".graphql", ".gql")
_BIOME_WRITING = {"--write", "--fix", "--apply", "--apply-unsafe", "--unsafe"}
_BIOME_UNREAD = ("parse", "internalError/", "fs/", "suppressions/parse")  # categories, or how they begin


def _biome_argv(setting: Setting) -> tuple[str, ...]:
    # the words of a call that writes would count what it mends
    called = () if setting.files or _BIOME_WRITING & set(setting.call) else setting.call
    command, *words = called or ("lint", ".")
    # a file that is named may well be one that the configuration leaves out
    what = ("--no-errors-on-unmatched", *setting.files) if setting.files else words
    return (setting.tool, command, "--colors=off", "--reporter=json", "--max-diagnostics=none", *what)


def _biome(output: Output, setting: Setting) -> Outcome:
    said = re.search(r'(?m)^\{".*', output.stdout)
    if output.code not in (0, 1) or said is None:
        raise refusal(output, r"(?m)^ +\S .+|^\w*[Ee]rror: .+")
    answer = json_answer(said[0])
    looked_at = sum(number(answer, "summary", kind) for kind in ("changed", "unchanged"))
    found = tuple(map(_biome_finding, tables(answer, "diagnostics")))
    left_out = number(answer, "summary", "diagnosticsNotPrinted")
    if left_out:
        raise Malformed(f"{left_out} findings were left out")
    least = 1 if setting.call else 2  # the project's own call may name folders: there the configuration is not counted
    if not found and looked_at < least and not setting.files:
        raise Malformed("no files but its own configuration were processed: nothing was looked at")
    return findings(found)


def _biome_finding(entry: dict[str, Any]) -> Diagnostic:
    category, place = text(entry, "category", missing="biome"), entry.get("location")
    message = text(entry, "message" if entry.get("description") is None else "description")
    file = text(place, "path", *(("file",) if within(place, "path", "file") else ()), missing="")
    offset, source = within(place, "span", 0), text(place, "sourceCode", missing="")
    line, column = number(place, "start", "line", missing=0), within(place, "start", "column")
    if isinstance(offset, int) and source:
        above = source.encode("utf-8", "surrogatepass")[:offset].decode("utf-8", "replace").split("\n")
        line, column = len(above), len(above[-1]) + 1
    severity, hides = severity_of(text(entry, "severity")), category.startswith(_BIOME_UNREAD)
    return finding((file, line, column), category, severity, message, hides=hides)


BIOME = Checker(
    name="biome",
    argv=_biome_argv,
    parse=_biome,
    roots=outermost_configured(("biome.json", "biome.jsonc", ".biome.json", ".biome.jsonc"), _BIOME_FILES),
    package="npm:@biomejs/biome",
    serves=("lint_clean",),
    files=Files(edit="lint", patterns=_BIOME_FILES, by_file=True),
    subcommand=("lint|check|ci|format",),
    leaves_out=left_out("biome"),
    strict="--error-on-warnings",
)

_SVELTE_COUNTS = r"(?m)^\d+ COMPLETED (\d{1,9}) FILES (\d{1,9}) ERRORS (\d{1,9}) WARNINGS"
_TEXT = r'"(?:[^"\\]|\\.)*"'
_SVELTE = (
    rf"(?m)^\d+ (?P<kind>ERROR|WARNING) (?P<file>{_TEXT}) (?P<line>\d{{1,9}}):(?P<column>\d{{1,9}}) "
    rf"(?P<message>{_TEXT})$"
)


def _svelte(output: Output, setting: Setting) -> Outcome:
    counts = re.search(_SVELTE_COUNTS, output.stdout)
    if counts is None:
        raise refusal(output, r"(?m)FAILURE .+|^.*Error\b.*: .+|^(?!\s|Loading |\d+ ).+")
    above = next((after for before, after in itertools.pairwise(setting.call) if "workspace" in before), ".")
    found = []
    for one in re.finditer(_SVELTE, output.stdout):
        file, message = posixpath.normpath(posixpath.join(above, json_answer(one["file"]))), json_answer(one["message"])
        if file.endswith(".json"):
            raise Malformed(f"{file}: {message}")
        found.append(finding((file, *one.group("line", "column")), "svelte", severity_of(one["kind"]), message))
    files, errors, warnings = map(int, counts.groups())
    return findings(found, errors + warnings, files=files)


SVELTE_CHECK = Checker(
    name="svelte-check",
    argv=lambda setting: (setting.tool, "--output", "machine", *setting.call),
    parse=_svelte,
    roots=depending("svelte-check", (".svelte",)),
    package="npm:svelte-check",
    serves=("type_check",),
    files=Files(patterns=(".svelte",)),
    covers="tsc",
    leaves_out=left_out("svelte-check"),
    strict=r"--fail-on-(?:warnings|hints)\b",
)

_ASTRO_COUNTS = r"(?m)^Result \((\d{1,9}) files?\):\s*\n- (\d{1,9}) errors?\s*\n- (\d{1,9}) warnings?"
_ASTRO = (
    r"(?m)^(?P<file>\S.*?):(?P<line>\d{1,9}):(?P<column>\d{1,9}) - (?P<severity>error|warning|hint)"
    r"(?: (?P<rule>[\w-]+\([\w-]+\)|[\w-]+))?: (?P<message>.*)$"
)


def _astro(output: Output, _setting: Setting) -> Outcome:
    said = re.sub(r"\x1b\[[0-9;]*m", "", output.stdout)
    counts = re.search(_ASTRO_COUNTS, said)
    if counts is None:
        raise refusal(output, r"(?m)\[ERROR\] .+|^.*\bError\b.*: .+|^.*not supported by Astro.*|^\[\w*error\w*\] .+")
    found = [matched(one, rule="astro") for one in re.finditer(_ASTRO, said)]
    hints = sum(one.severity == "info" for one in found)  # which it does not always show
    files, errors, warnings = map(int, counts.groups())
    return findings(found, errors + warnings + hints, files=files)


ASTRO_CHECK = Checker(
    name="astro-check",
    argv=lambda setting: (setting.tool, "check", *setting.call),
    parse=_astro,
    roots=depending("@astrojs/check", (".astro",)),
    programs=("astro",),
    package="npm:@astrojs/check",
    serves=("type_check",),
    files=Files(patterns=(".astro",)),
    subcommand=("check",),
    leaves_out=left_out("astro-check"),
    strict=r"--minimumFailingSeverity[= ](?:warning|hint)\b",
)
