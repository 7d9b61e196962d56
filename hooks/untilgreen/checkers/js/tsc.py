"""tsc: the project's own build where it calls `tsc -b`, as it stands; else `tsc --noEmit` for a configuration and for
every one below it that it references.

Learned from 5.0, 5.9, 6.0 and 7.0: a tsconfig.json of references alone is checked by nothing but a build (`tsc` says
nothing and exits with 0), and a build leaves files behind, even with --noEmit, which it takes only since 5.6. So each
referenced configuration is checked by itself. One that imports from another sees what was last built of that:
`tsc -b --dry` tells whether it is up to date. No option makes tsc look at the other's sources in place of what was
built, or build into another folder; so where something was never built, or not since it was changed, the user's build
is what is asked for. A package that another one finds in node_modules is read as it was built, reference or not.

Types are looked at only where no file has a syntax error.

At an edit TypeScript looks at the one file: in rxjs, 250 files, 5 and 6 (`tsc_of_file.cjs`) take 0.9 s in place of
4.6, 7 (`tsc7_of_file.mjs`) 0.3 in place of 0.9. They say what tsc says of that file; a syntax error elsewhere does not
hide it. In any doubt tsc looks at the whole: what is wrong with the configuration, references, options of a call.
"""

import os
import re
from collections.abc import Sequence
from itertools import pairwise

from untilgreen.checkers import in_turn
from untilgreen.checkers.answer import Malformed, finding, first_line, refusal
from untilgreen.checkers.checker import Checker, Files, Ours
from untilgreen.checkers.js.javascript import JAVASCRIPT, TYPESCRIPT
from untilgreen.checkers.js.tsconfig import ALONE, CONFIGS, REFERS, chosen, roots, variant
from untilgreen.core.model.check import OwnCall
from untilgreen.core.model.outcome import Clean, Diagnostic, Found, Outcome, Output, Setting

# whatever the configuration says: nothing is written, and what incremental checking would note goes nowhere
_FORM = ("--noEmit", "--emitDeclarationOnly", "false", "--incremental", "--tsBuildInfoFile", os.devnull)
# vue-tsc falls over what incremental checking notes
_VUE = ("--noEmit", "--emitDeclarationOnly", "false", "--composite", "false", "--incremental", "false")
_PLAIN = ("--pretty", "false")
# of node, for a process that soon ends: little collecting, no waiting for what is optimised
_QUICK = ("--min-semi-space-size=64", "--max-semi-space-size=64", "--always-sparkplug")
_TOLD = "--diagnostics"  # how long it took, once it has ended: without findings tsc says nothing else

# options of a call that have no say in what is found: of the first the value goes too
_WRITING = ("outdir", "outfile", "declarationdir", "tsbuildinfofile", "generatetrace", "generatecpuprofile", "maproot")
_SAYING = {
    *("noemit", "pretty", "watch", "w", "build", "b", "verbose", "v", "force", "f", "dry", "d", "clean", "incremental"),
    *("emitdeclarationonly", "declaration", "declarationmap", "sourcemap", "inlinesourcemap", "noemitonerror"),
    *("diagnostics", "extendeddiagnostics", "listfiles", "listemittedfiles", "traceresolution", "explainfiles"),
    "preservewatchoutput",
}

_BUILDING = {"-b", "--b", "-build", "--build"}
_UNSAID = {*_BUILDING, "-w", "--w", "-watch", "--watch", "-v", "--verbose"}  # endless, or said anyway
_CLEAN, _AND = "--clean", "&&"

_LINE = re.compile(
    r"(?:(?P<file>\S.*?)\((?P<line>\d{1,9}),(?P<column>\d{1,9})\): )?error TS(?P<code>\d{1,6}): (?P<message>.*)"
)
_ENDED = re.compile(r"^Total time: +\d+\.\d+s$", re.MULTILINE)
_COMPLAINT = r"(?m)^\w*Error\b.*|^.*not the tsc command.*|^.*command not found.*"
_NOTHING = (18002, 18003)
# with --explainFiles: why a file is there when no other file asked for it
_ROOT_FILE = re.compile(r"^ +(?:Matched by |Part of 'files' list |Root file )", re.MULTILINE)
_OF_ANOTHER = re.compile(r"^ +File is output of project reference source ", re.MULTILINE)
_NOT_BUILT = re.compile(r"A non-dry build would build project '(?P<path>.*)'")
# with --explainFiles: a file of declarations, with the lines that say why it is there
_DECLARES = re.compile(r"^(?P<path>\S.*\.d\.[cm]?ts)\n(?P<why>(?:[ ]+.*\n?)*)", re.MULTILINE)
# with --verbose: the configurations that a build is of
_BUILT = re.compile(r"^ +\* \S", re.MULTILINE)

# numbered like errors of syntax, but found with the types
_GRAMMAR = (1192, 1205, 1259, 1294, 1308, 1361, 1362, 1371, 1479, 1484, 1485)
_UNBUILT = 6305  # what a reference was never built to
_NOT_LOOKED_FURTHER = (6053, 6059, 6304, _UNBUILT, 6307)  # a file that is missing, not built, or where it must not be
# a module or its types, and the names and JSX elements that come with them
_UNRESOLVED = (2307, 2580, 2582, 2591, 2593, 2688, 2792, 2875, 7016, 7026)
_OTHER_LANGUAGE = re.compile(r"'[^']*\.(?:vue|svelte|astro)'")


def _own(call: Sequence[str]) -> tuple[str, list[str], list[str]]:
    """What the project's own call says, without what writes, watches, or tells more: the configuration ("" for the
    folder's), those that `-b` names, and the rest."""
    words, project, rest, plain = list(_parts(call)[-1]), "", list[str](), list[str]()
    building = bool(_BUILDING & {word.lower() for word in words})
    while words:
        word = words.pop(0)
        name = word.lstrip("-").lower() if word.startswith("-") else ""
        if name in ("p", "project"):
            project, words = "".join(words[:1]), words[1:]
        elif name in _WRITING:
            words = words[1:]
        elif name in _SAYING:
            words = words[words[:1] in (["true"], ["false"]) :]
        else:
            (plain if building and not name else rest).append(word)
    return project, plain, rest


def _parts(call: Sequence[str]) -> list[tuple[str, ...]]:
    """The words of a build, behind those of what is deleted before it where the call says so."""
    at = call.index(_AND) if _AND in call else -1
    return [tuple(call)] if at < 0 else [tuple(call[:at]), tuple(call[at + 2 :])]


def cleaned(calls: Sequence[OwnCall]) -> list[OwnCall]:
    """The calls; a build with what is deleted right before it (`tsc -b --clean && tsc -b`) as one of them: where the
    declarations lie beside their sources it fails over those of the build before. To delete alone is no check."""
    found = list[OwnCall]()
    for before, one in pairwise((*calls[:1], *calls)):
        if is_build(one.words) and _CLEAN in one.words:
            continue
        same = (before.folder, before.source, before.words) == (one.folder, one.source, (*one.words, _CLEAN))
        found.append(one._replace(words=(*before.words, _AND, *one.words)) if same and is_build(one.words) else one)
    return found


def placed(call: OwnCall) -> OwnCall:
    """A call of `-p FOLDER/tsconfig.json` where that configuration is: it is the check of that folder."""
    words = call.words
    at = next((number for number, word in enumerate(words[:-1]) if word in ("-p", "--project")), 0)
    if words[0] not in ("tsc", "vue-tsc") or not at:
        return call
    path = os.path.normpath(words[at + 1])
    folder, name = os.path.split(path) if path.endswith(".json") else (path, CONFIGS[0])
    named = () if name == CONFIGS[0] else ("-p", name)
    where = os.path.normpath(os.path.join(call.folder, folder))
    return call._replace(words=(*words[:at], *named, *words[at + 2 :]), folder=where.replace(os.sep, "/"))


def _lines(setting: Setting) -> list[tuple[str, str]]:
    """The configurations to check, and of which kind each is."""
    project, built, rest = _own(setting.call)
    if project or any(word.endswith((*TYPESCRIPT, *JAVASCRIPT)) for word in rest):
        return [(ALONE, project)]
    if setting.variant:
        return [line.partition(" ")[::2] for line in setting.variant.split("\n")]
    return [(ALONE, path) for path in built or (".",)]


def is_build(call: Sequence[str]) -> bool:
    return bool(_BUILDING & {word.lower() for word in call})


def _builds(setting: Setting) -> bool:
    return is_build(setting.call) and not setting.stdin


def _of_file(setting: Setting) -> tuple[str, ...]:
    """The command line for the file that was edited; () where only the whole can be looked at."""
    (kind, project), *more = _lines(setting)
    path = os.path.join(setting.root, project)
    config = path if path.endswith(".json") else os.path.join(path, CONFIGS[0])
    package = os.path.dirname(os.path.dirname(os.path.realpath(setting.tool)))
    scripts = {f"{package}/lib/typescript.js": "tsc_of_file.cjs", f"{package}/dist/api/sync/api.js": "tsc7_of_file.mjs"}
    library = next(filter(os.path.isfile, scripts), "")
    others = [word for word in _own(setting.call)[2] if word.lower() not in _BUILDING]
    plain = os.path.basename(setting.tool) == "tsc" and not others
    if more or kind != ALONE or not plain or not library:
        return ()
    return ("node", *_QUICK, f"{os.path.dirname(__file__)}/{scripts[library]}", library, config, *setting.files)


def argv(setting: Setting) -> tuple[str, ...]:
    if setting.files:
        return _of_file(setting)
    if _builds(setting):
        builds = [[word for word in words if word.lower() not in _UNSAID] for words in _parts(setting.call)]
        groups = [("-b", *words, *(() if _CLEAN in words else ("--verbose",)), *_PLAIN) for words in builds]
        return (setting.tool, *groups[0]) if len(groups) == 1 else in_turn.argv(setting.tool, *groups)
    projects, (*_, rest) = _lines(setting), _own(setting.call)
    vue = os.path.basename(setting.tool).startswith("vue-tsc")
    common = (*((*_VUE, "--tsBuildInfoFile", "null") if vue else _FORM), *_PLAIN, _TOLD, *rest)
    groups = [
        (*common, *(("--explainFiles",) * _may_be_stale(projects)), *(("-p", path) if path else ()))
        for _kind, path in projects
    ]
    if [kind for kind, _path in projects] == [ALONE]:
        return (setting.tool, *groups[0])
    if _may_be_stale(projects):
        groups.append(("-b", "--dry", *_PLAIN, "."))  # -b first: 5.0 wants it there
    return in_turn.argv(setting.tool, *groups)


def parse(output: Output, setting: Setting) -> Outcome:
    if _builds(setting):
        return _parse_build(output, setting)
    projects = _lines(setting)
    kinds = [kind for kind, _path in projects]
    runs = [(output.code or 0, output.stdout)] if kinds == [ALONE] else in_turn.runs(output.stdout)
    wanted = len(kinds) + _may_be_stale(projects)  # the last is the build that is not done
    if len(runs) != wanted:
        raise Malformed(f"{wanted} configurations to check, {len(runs)} checked")
    found: list[Diagnostic] = []
    for number, (code, text) in enumerate(runs):
        diagnostics = _diagnostics(text, setting)
        ended = number >= len(kinds) or _ENDED.search(text)
        if not diagnostics and (code != 0 or not ended):
            raise refusal(output, _COMPLAINT)
        found += diagnostics
    if found:
        return Found(tuple(dict.fromkeys(found)))  # a file may belong to several projects
    if all(kind == REFERS and not _ROOT_FILE.search(text) for kind, (_, text) in zip(kinds, runs, strict=False)):
        raise Malformed("no configuration has an input file: nothing was looked at")
    if _may_be_stale(projects):
        stale = [match["path"] for match in _NOT_BUILT.finditer(runs[-1][1])]
        read_built = stale and any(_OF_ANOTHER.search(text) for _, text in runs)
        stale = stale[:1] if read_built else _read_as_built(stale, projects, runs, setting.root)
        if stale:
            raise Malformed(f"checked against what was built before the last change: {_cure(setting)} ({stale[0]})")
    return Clean()


def _parse_build(output: Output, setting: Setting) -> Outcome:
    """What a build says, whose exit code decides."""
    text = (
        output.stdout
        if len(_parts(setting.call)) == 1
        else "".join(text for _, text in in_turn.runs(output.stdout)[1:])
    )
    found = _diagnostics(text, setting)
    if (output.code != 0) != bool(found):
        raise refusal(output, _COMPLAINT)
    if not found and not _BUILT.search(text):
        raise Malformed("no configuration is built: nothing was looked at")
    return Found(tuple(dict.fromkeys(found))) if found else Clean()


def _may_be_stale(projects: Sequence[tuple[str, str]]) -> bool:
    """Whether one configuration may read what was built of another: it references some, or they are of two packages."""
    kinds, paths = zip(*projects, strict=True)
    return REFERS in kinds or len({os.path.dirname(path) for path in paths}) > 1


def _read_as_built(
    stale: Sequence[str], projects: Sequence[tuple[str, str]], runs: Sequence[tuple[int, str]], root: str
) -> list[str]:
    """Those of the configurations that a build would build anew of which another one read declarations: packages that
    find one another in node_modules need no references."""
    homes = {path: os.path.dirname(path) for path in stale}
    found = []
    for (_kind, own), (_, text) in zip(projects, runs, strict=False):
        named = os.path.normpath(os.path.join(root, own))
        mine = os.path.dirname(named) if own.endswith(".json") else named
        imported = [m["path"] for m in _DECLARES.finditer(text) if not _ROOT_FILE.search(m["why"])]
        for read_one in (os.path.normpath(os.path.join(root, path)) for path in imported):
            others = [path for path, home in homes.items() if home != mine and read_one.startswith(f"{home}/")]
            found += others if "/node_modules/" not in read_one else []
    return found


def _diagnostics(text: str, setting: Setting) -> list[Diagnostic]:
    """Raises Malformed where the configuration is at fault: what follows from it is not what was asked."""
    matches = [match for match in map(_LINE.fullmatch, map(str.rstrip, text.split("\n"))) if match]
    for match in matches:
        file, code, message = match["file"] or "", int(match["code"]), first_line(match["message"])
        if code in _NOTHING:
            raise Malformed(f"nothing was looked at: {message}")
        about_options = code // 1000 in (5, 6, 18)
        name = file.rpartition("/")[2]
        if (about_options and (not file or name.endswith(".json"))) or re.match(r"[jt]sconfig.*\.json$", name):
            raise Malformed(f"{file + ': ' if file else ''}TS{code}: {message}")
    no_types = all(_is_syntax(int(match["code"])) for match in matches)
    return [_diagnostic(match, no_types, setting) for match in matches]


def _is_syntax(code: int) -> bool:
    return code // 1000 in (1, 8, 17) and code not in _GRAMMAR


def _diagnostic(match: re.Match[str], no_types: bool, setting: Setting) -> Diagnostic:
    code, message = int(match["code"]), match["message"]
    unresolved = code in _UNRESOLVED and (not setting.resolves or _OTHER_LANGUAGE.search(message))
    severity = "warning" if unresolved else "error"
    # what is said of no file, like a type package that is missing, is said in the place of all types
    hides = (no_types and _is_syntax(code)) or not match["file"] or code in _NOT_LOOKED_FURTHER
    message = f"{_cure(setting)}: {message}" if code == _UNBUILT else message
    return finding(match.group("file", "line", "column"), f"TS{code}", severity, message, hides=hides)


def _cure(setting: Setting) -> str:
    """What is to be done about something that was not built, or not since it was changed."""
    return f"run `{os.path.basename(setting.tool)} -b` in {setting.root}"


CHECKER = Checker(
    name="tsc",
    argv=argv,
    parse=parse,
    roots=roots,
    programs=("vue-tsc", "tsc"),
    package="npm:typescript",
    serves=("type_check",),
    files=Files(edit="types", patterns=(*TYPESCRIPT, *JAVASCRIPT), alone=True),
    ours=Ours(builds_in="TSC_OF_FILE"),
    variant=variant,
    chosen_by=chosen,
    configured=True,
    leaves_out="",
)
