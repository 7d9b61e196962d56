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
from collections.abc import Sequence

from untilgreen.checkers import in_turn
from untilgreen.checkers.answer import Malformed, finding, first_line, refusal
from untilgreen.checkers.checker import Checker, Files
from untilgreen.checkers.js.javascript import JAVASCRIPT, TYPESCRIPT, path_in, read
from untilgreen.core.model.check import OwnCall
from untilgreen.core.model.outcome import Clean, Diagnostic, Found, Outcome, Output, Setting
from untilgreen.core.model.settings import Criteria
from untilgreen.core.record import Any
from untilgreen.project.tree.layout import Layout, around, below_any, folder_of

_CONFIGS = ("tsconfig.json", "jsconfig.json")
# what a configuration is: it has references beside files; has none; has nothing else. It is often no project
_REFERS, _ALONE, _SOLUTION = "refers", "alone", "solution"

# whatever the configuration says: nothing is written, and what incremental checking would note goes nowhere
_FORM = ("--noEmit", "--emitDeclarationOnly", "false", "--incremental", "--tsBuildInfoFile", os.devnull)
# vue-tsc falls over what incremental checking notes
_VUE = ("--noEmit", "--emitDeclarationOnly", "false", "--composite", "false", "--incremental", "false")
_OUT = {"outDir", "outFile", "noEmit"}
_PLAIN = ("--pretty", "false")
_TOLD = "--diagnostics"  # how long it took, once it has ended: without findings tsc says nothing else

# options of a call that have no say in what is found: of the first the value goes too
_WRITING = ("outdir", "outfile", "declarationdir", "tsbuildinfofile", "generatetrace", "generatecpuprofile", "maproot")
_SAYING = {
    *("noemit", "pretty", "watch", "w", "build", "b", "verbose", "v", "force", "f", "dry", "d", "clean", "incremental"),
    *("emitdeclarationonly", "declaration", "declarationmap", "sourcemap", "inlinesourcemap", "noemitonerror"),
    *("diagnostics", "extendeddiagnostics", "listfiles", "listemittedfiles", "traceresolution", "explainfiles"),
    "preservewatchoutput",
}

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

# numbered like errors of syntax, but found with the types
_GRAMMAR = (1192, 1205, 1259, 1294, 1308, 1361, 1362, 1371, 1479, 1484, 1485)
_UNBUILT = 6305  # what a reference was never built to
_NOT_LOOKED_FURTHER = (6053, 6059, 6304, _UNBUILT, 6307)  # a file that is missing, not built, or where it must not be
# a module or its types, and the names and JSX elements that come with them
_UNRESOLVED = (2307, 2580, 2582, 2591, 2593, 2688, 2792, 2875, 7016, 7026)
_OTHER_LANGUAGE = re.compile(r"'[^']*\.(?:vue|svelte|astro)'")


def roots(layout: Layout, _criteria: Criteria) -> list[str]:
    """Where a configuration is that no other one above it references, and that is not just what others extend."""
    configured = [folder for folder in layout.marked(_CONFIGS) if _config(layout, folder)]
    found, covered = list[str](), set[str]()
    for folder in configured:
        nested = [other for other in configured if other != folder and below_any(other, (folder,))]
        if folder not in covered and _files(layout, folder) and not _is_base(layout, folder, nested):
            found.append(folder)
            covered.update(folder_of(path) for path in _projects(layout, folder) if path.endswith("tsconfig.json"))
    return found


def chosen(layout: Layout, criteria: Criteria) -> list[str]:
    """The roots in which the project wants tsc: a configuration is for editors, bundlers and runners of tests, too, so
    where manifests above it list what development needs, TypeScript is in one of these lists."""
    places = {root: around(root) for root in roots(layout, criteria)}
    listing = '"devDependencies"'
    return [
        root
        for root, above in places.items()
        if any(layout.depends("typescript", folder) for folder in above)
        or not any(listing in (layout.text(path_in(folder, "package.json")) or "") for folder in above)
    ]


def emits_apart(layout: Layout, root: str) -> bool:
    """Whether a build writes nothing beside the sources: its configuration says where to, or only names others."""
    path = _config(layout, root)
    return "references" in read(layout, path) or not _OUT.isdisjoint(_options(layout, path))


def variant(layout: Layout, root: str) -> str:
    """A line for each configuration to check: whether it has references of its own, and its path from the root."""
    if not _config(layout, root):
        return ""
    projects = _projects(layout, root)
    # where there is nothing but references, to other places, that is for tsc to say
    checked = {p: kind for p, kind in projects.items() if kind != _SOLUTION} or dict.fromkeys(projects, _REFERS)
    return "\n".join(
        f"{kind} {path if root == '.' else path.removeprefix(root + '/')}" for path, kind in checked.items()
    )


def _config(layout: Layout, folder: str) -> str:
    """The path of the configuration that tsc takes for a folder's; a jsconfig.json only if it asks for types."""
    own, other = (path_in(folder, name) for name in _CONFIGS)
    if layout.text(own) is not None:
        return own
    return other if _options(layout, other).get("checkJs") is True else ""


def _options(layout: Layout, path: str) -> dict[str, Any]:
    options = read(layout, path).get("compilerOptions")
    return options if isinstance(options, dict) else {}


def _files(layout: Layout, folder: str) -> list[str]:
    """The files below a folder that its configuration may be for."""
    path = _config(layout, folder)
    options = _options(layout, path)
    javascript = True in (options.get("allowJs"), options.get("checkJs")) or "references" in read(layout, path)
    found = layout.ending(*TYPESCRIPT, *(JAVASCRIPT if javascript else ()))
    return [path for path in found if below_any(path, (folder,))]


def _is_base(layout: Layout, folder: str, nested: Sequence[str]) -> bool:
    """Says nothing about files of its own, and every file below it has another configuration nearer to it."""
    own = {"files", "include", "references"} & read(layout, _config(layout, folder)).keys()
    return not own and all(below_any(path, nested) for path in _files(layout, folder))


def _projects(layout: Layout, root: str) -> dict[str, str]:
    """The root's configuration and those below it that it references, directly or not: path to kind."""
    found: dict[str, str] = {}
    waiting = [_config(layout, root) or path_in(root, "tsconfig.json")]
    while waiting:
        path = waiting.pop(0)
        if path in found or not below_any(path, (root,)) or path.startswith(("/", "../")):
            continue
        config = read(layout, path)
        listed = config.get("references")
        named = [entry.get("path") for entry in listed if isinstance(entry, dict)] if isinstance(listed, list) else []
        places = [path_in(folder_of(path), name) for name in named if isinstance(name, str)]
        waiting += [place if place.endswith(".json") else path_in(place, "tsconfig.json") for place in places]
        solution = named and config.get("files") == [] and not config.get("include")
        found[path] = _SOLUTION if solution else _REFERS if "references" in config else _ALONE
    return found


def _own(call: Sequence[str]) -> tuple[str, list[str], list[str]]:
    """What the project's own call says, without what writes, watches, or tells more: the configuration ("" for the
    folder's), those that `-b` names, and the rest."""
    words, project, rest, plain = list(call), "", list[str](), list[str]()
    building = bool({"-b", "--b", "-build", "--build"} & {word.lower() for word in words})
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


def placed(call: OwnCall) -> OwnCall:
    """A call of `-p FOLDER/tsconfig.json` where that configuration is: it is the check of that folder."""
    words = call.words
    at = next((number for number, word in enumerate(words[:-1]) if word in ("-p", "--project")), 0)
    if words[0] not in ("tsc", "vue-tsc") or not at:
        return call
    path = os.path.normpath(words[at + 1])
    folder, name = os.path.split(path) if path.endswith(".json") else (path, _CONFIGS[0])
    named = () if name == _CONFIGS[0] else ("-p", name)
    where = os.path.normpath(os.path.join(call.folder, folder))
    return call._replace(words=(*words[:at], *named, *words[at + 2 :]), folder=where.replace(os.sep, "/"))


def _lines(setting: Setting) -> list[tuple[str, str]]:
    """The configurations to check, and of which kind each is."""
    project, built, rest = _own(setting.call)
    if project or any(word.endswith((*TYPESCRIPT, *JAVASCRIPT)) for word in rest):
        return [(_ALONE, project)]
    if setting.variant:
        return [line.partition(" ")[::2] for line in setting.variant.split("\n")]
    return [(_ALONE, path) for path in built or (".",)]


def argv(setting: Setting) -> tuple[str, ...]:
    projects, (*_, rest) = _lines(setting), _own(setting.call)
    vue = os.path.basename(setting.tool).startswith("vue-tsc")
    common = (*((*_VUE, "--tsBuildInfoFile", "null") if vue else _FORM), *_PLAIN, _TOLD, *rest)
    groups = [
        (*common, *(("--explainFiles",) * (kind == _REFERS)), *(("-p", path) if path else ()))
        for kind, path in projects
    ]
    if [kind for kind, _path in projects] == [_ALONE]:
        return (setting.tool, *groups[0])
    if any(kind == _REFERS for kind, _path in projects):
        groups.append(("-b", "--dry", *_PLAIN, "."))  # -b first: 5.0 wants it there
    return in_turn.argv(setting.tool, *groups)


def parse(output: Output, setting: Setting) -> Outcome:
    kinds = [kind for kind, _path in _lines(setting)]
    runs = [(output.code or 0, output.stdout)] if kinds == [_ALONE] else in_turn.runs(output.stdout)
    wanted = len(kinds) + (_REFERS in kinds)  # the last is the build that is not done
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
    if all(kind == _REFERS and not _ROOT_FILE.search(text) for kind, (_, text) in zip(kinds, runs, strict=False)):
        raise Malformed("no configuration has an input file: nothing was looked at")
    stale = _NOT_BUILT.search(runs[-1][1]) if _REFERS in kinds else None
    if stale and any(_OF_ANOTHER.search(text) for _, text in runs):
        raise Malformed(f"checked against what was built before the last change: {_cure(setting)} ({stale['path']})")
    return Clean()


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
    files=Files(edit="types", patterns=(*TYPESCRIPT, *JAVASCRIPT)),
    variant=variant,
    chosen_by=chosen,
    configured=True,
    leaves_out="",
)
