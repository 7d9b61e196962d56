"""tsc: `tsc --noEmit` for a configuration and for every one below it that it references.

Learned from 5.0, 5.9, 6.0 and 7.0: a tsconfig.json of references alone is checked by nothing but a build (`tsc` says
nothing and exits with 0), and a build leaves files behind, even with --noEmit, which it takes only since 5.6. So each
referenced configuration is checked by itself. One that imports from another sees what was last built of that:
`tsc -b --dry` tells whether it is up to date. No option makes tsc look at the other's sources in place of what was
built, or build into another folder; so where something was never built, the user's build is what is asked for.

Types are looked at only where no file has a syntax error.
"""

import os
import re
from typing import NamedTuple

from untilgreen.checkers import in_turn, tsconfig
from untilgreen.checkers.answer import Malformed, finding, first_line, refusal
from untilgreen.checkers.checker import Checker
from untilgreen.checkers.javascript import JAVASCRIPT, TYPESCRIPT
from untilgreen.checkers.tsconfig import ALONE, REFERS
from untilgreen.core.model.outcome import Clean, Diagnostic, Found, Outcome, Output, Setting

# whatever the configuration says: nothing is written, and what incremental checking would note goes nowhere
_FORM = ("--noEmit", "--emitDeclarationOnly", "false", "--incremental", "--tsBuildInfoFile", os.devnull)
_PLAIN = ("--pretty", "false")
_TOLD = "--diagnostics"  # how long it took, once it has ended: without findings tsc says nothing else
_DRY = "dry"

_LINE = re.compile(r"(?:(?P<file>\S.*?)\((?P<line>\d{1,9}),\d{1,9}\): )?error TS(?P<code>\d{1,6}): (?P<message>.*)")
_ENDED = re.compile(r"^Total time: +\d+\.\d+s$", re.MULTILINE)
_COMPLAINT = re.compile(r"^\w*Error\b.*|^.*not the tsc command.*|^.*command not found.*", re.MULTILINE)
_NOTHING = (18002, 18003)
# with --explainFiles: why a file is there when no other file asked for it
_ROOT_FILE = re.compile(r"^ +(?:Matched by |Part of 'files' list |Root file )", re.MULTILINE)
_OF_ANOTHER = re.compile(r"^ +File is output of project reference source ", re.MULTILINE)
_NOT_BUILT = re.compile(r"A non-dry build would build project '(?P<path>.*)'")

# numbered like errors of syntax, but found with the types
_GRAMMAR = (1192, 1205, 1259, 1294, 1308, 1361, 1362, 1371, 1479, 1484, 1485)
_UNBUILT = 6305  # what a reference was never built to
_NOT_LOOKED_FURTHER = (6053, 6059, 6304, _UNBUILT, 6307)  # a file that is missing, not built, or where it must not be
# a module or its types, and the names and JSX elements that come with them
_UNRESOLVED = (2307, 2580, 2582, 2591, 2593, 2688, 2792, 2875, 7016, 7026)
_OTHER_LANGUAGE = re.compile(r"'[^']*\.(?:vue|svelte|astro)'")


def argv(setting: Setting) -> tuple[str, ...]:
    projects = [line.partition(" ")[::2] for line in setting.variant.split("\n")] if setting.variant else [(ALONE, ".")]
    if len(projects) == 1 and projects[0][0] == ALONE:
        return (setting.tool, *_FORM, *_PLAIN, _TOLD, "-p", projects[0][1])
    groups = [
        (*_FORM, *_PLAIN, _TOLD, *(("--explainFiles",) if kind == REFERS else ()), "-p", path)
        for kind, path in projects
    ]
    if any(kind == REFERS for kind, _ in projects):
        groups.append(("-b", "--dry", *_PLAIN, "."))  # -b first: 5.0 wants it there
    return in_turn.argv(setting.tool, *groups)


def parse(output: Output, setting: Setting) -> Outcome:
    runs = _runs(output, setting)
    diagnostics = [diagnostic for run in runs for diagnostic in _diagnostics(run, output, setting)]
    if diagnostics:
        return Found(tuple(dict.fromkeys(diagnostics)))  # a file may belong to several projects
    if all(run.kind == REFERS and not _ROOT_FILE.search(run.text) for run in runs if run.kind != _DRY):
        raise Malformed("no configuration has an input file: nothing was looked at")
    stale = next((match for run in runs if run.kind == _DRY and (match := _NOT_BUILT.search(run.text))), None)
    if stale and any(_OF_ANOTHER.search(run.text) for run in runs):
        raise Malformed(f"checked against what was built before the last change: {_cure(setting)} ({stale['path']})")
    return Clean()


class _Compilation(NamedTuple):
    """What tsc said of one configuration; of the build that was not done, where `kind` is "dry"."""

    code: int
    text: str
    kind: str


def _runs(output: Output, setting: Setting) -> list[_Compilation]:
    kinds = [line.partition(" ")[0] for line in setting.variant.split("\n")]
    if kinds in ([""], [ALONE]):
        return [_Compilation(output.code or 0, output.stdout, ALONE)]
    kinds += [_DRY] * (REFERS in kinds)
    ended = in_turn.runs(output.stdout)
    if len(ended) != len(kinds):
        raise Malformed(f"{len(kinds)} configurations to check, {len(ended)} checked")
    return [_Compilation(*run, kind) for run, kind in zip(ended, kinds, strict=True)]


def _diagnostics(run: _Compilation, output: Output, setting: Setting) -> list[Diagnostic]:
    matches = [match for match in map(_LINE.fullmatch, map(str.rstrip, run.text.split("\n"))) if match]
    for match in matches:
        _refuse_configuration(match["file"] or "", int(match["code"]), match["message"])
    if not matches and (run.code != 0 or (run.kind != _DRY and not _ENDED.search(run.text))):
        raise refusal(output, _COMPLAINT)
    no_types = all(_is_syntax(int(match["code"])) for match in matches)
    return [_diagnostic(match, no_types, setting) for match in matches]


def _refuse_configuration(file: str, code: int, message: str) -> None:
    """Raises Malformed where the configuration is at fault: what follows from it is not what was asked."""
    if code in _NOTHING:
        raise Malformed(f"nothing was looked at: {first_line(message)}")
    about_options = code // 1000 in (5, 6, 18)
    name = file.rpartition("/")[2]
    if (about_options and (not file or name.endswith(".json"))) or re.match(r"[jt]sconfig.*\.json$", name):
        raise Malformed(f"{file + ': ' if file else ''}TS{code}: {first_line(message)}")


def _is_syntax(code: int) -> bool:
    return code // 1000 in (1, 8, 17) and code not in _GRAMMAR


def _diagnostic(match: re.Match[str], no_types: bool, setting: Setting) -> Diagnostic:
    code, message = int(match["code"]), match["message"]
    unresolved = code in _UNRESOLVED and (not setting.resolves or _OTHER_LANGUAGE.search(message))
    severity = "warning" if unresolved else "error"
    # what is said of no file, like a type package that is missing, is said in the place of all types
    hides = (no_types and _is_syntax(code)) or not match["file"] or code in _NOT_LOOKED_FURTHER
    message = f"{_cure(setting)}: {message}" if code == _UNBUILT else message
    return finding(match["file"] or "", int(match["line"] or 0), f"TS{code}", severity, message, hides=hides)


def _cure(setting: Setting) -> str:
    """What is to be done about something that was not built, or not since it was changed."""
    return f"run `{os.path.basename(setting.tool)} -b` in {setting.root}"


CHECKER = Checker(
    name="tsc",
    argv=argv,
    parse=parse,
    roots=tsconfig.roots,
    programs=("vue-tsc", "tsc"),
    package="npm:typescript",
    serves=("type_check", "build_success"),
    edit="types",
    patterns=(*TYPESCRIPT, *JAVASCRIPT),
    variant=tsconfig.variant,
)
