"""Which packages of a workspace a call of npm, pnpm, yarn or bun means, or one of turbo, nx or lerna."""

import fnmatch
import os
import re
from collections.abc import Iterator, Sequence

from untilgreen.core.model.check import ENGINES, OwnCall
from untilgreen.core.shell.scopes import of_goal
from untilgreen.project.calls.documents import Texts, strings, table

_MOST = 300  # packages, and folders that are looked into
_DEEPEST = 4  # folders below which `**` looks
_PROGRAMS = ("npm", "pnpm", "yarn", "bun")
_NAMING = ("--filter", "-F", "--workspace", "-w")
_TASKS = r"(\w[\w:-]*(?:[ ,]\w[\w:-]*)*)"
_ANY = r"(?: --[\w-]+(?:=\S+)?)*"
_RUNNERS = {
    "turbo": rf"(?:run{_ANY} )?{_TASKS}{_ANY}",
    "lerna": rf"run{_ANY} {_TASKS}{_ANY}",
    "nx": rf"(?:run-many|affected){_ANY} (?:-t|--targets?)[ =]{_TASKS}{_ANY}",
}
# without more words than how they run these scripts in all packages that have them; what is affected since a commit
_HOW = r"(?:no-)?(?:parallel|stream|continue|cache|bail|force|verbose|no-sort)|(?:parallel|concurrency)=\S+"
_SINCE = r"--(?:all|affected|base|head|files|uncommitted|untracked)\b|--filter=.*\["
_FOLDER = ("-C", "--dir", "--prefix", "--cwd")
_ALL = ("-r", "--recursive", "--workspaces", "-ws")
_VALUED = ("--workspace-concurrency", "--reporter", "--loglevel", "--network-concurrency")
# of `yarn workspaces foreach`: those that choose no other packages
_EVERY = r"-[Aptiv]+|--(?:all|parallel|topological(?:-dev)?|interlaced|verbose)"


def moved(call: OwnCall) -> OwnCall:
    """A call of a package manager in the folder that it names first: `pnpm -C docs run lint`."""
    while call.words[0] in _PROGRAMS and call.words[1:2] != () and call.words[1] in _FOLDER and call.words[3:]:
        folder = os.path.normpath(os.path.join(call.folder, call.words[2]))
        call = call._replace(words=(call.words[0], *call.words[3:]), folder=folder)
    return call


def tasks(texts: Texts, call: OwnCall) -> list[tuple[str, ...]]:
    """The words of a call of turbo or nx, once for each task, the last word, where the project depends on it. What is
    affected since a commit is all of it here: of what is committed by now nothing would be left."""
    names, options = _parts(call) if call.words[0] in ENGINES and is_installed(texts, call) else ([], [])
    opening, named = (("nx", "run-many"), "--target=") if call.words[0] == "nx" else (("turbo", "run"), "")
    return [(*opening, *options, f"{named}{name}") for name in dict.fromkeys(names)]


def _parts(call: OwnCall) -> tuple[list[str], list[str]]:
    """The tasks that turbo, nx or lerna are to run, and the options with which; none where that cannot be told."""
    match = re.fullmatch(_RUNNERS[call.words[0]], " ".join(call.words[1:]))
    options = [one for one in call.words if one[:2] == "--" and not re.match(rf"--targets?\b|{_SINCE}", one)]
    return (re.split(r"[\s,]+", match[1]), options) if match else ([], [])


def is_installed(texts: Texts, call: OwnCall) -> bool:
    """Whether the package.json where a call stands depends on its program."""
    manifest = texts.json(call.folder, "package.json")
    return any(call.words[0] in table(manifest, key) for key in ("dependencies", "devDependencies"))


def selected(texts: Texts, call: OwnCall) -> list[OwnCall] | None:
    """The call once for each package that it means, without the words that say so; None where it chooses none, or in a
    way that cannot be told from its words."""
    program, *words = call.words
    if call.words[0] in ENGINES and of_goal(call.words[-1])[0] == "test" and is_installed(texts, call):
        return None  # what passed before has its result from the cache
    if program in _RUNNERS:
        return _scripts(texts, call)
    if program not in _PROGRAMS:
        return None
    if program == "yarn" and words[:1] == ["workspace"]:
        return _placed(texts, call, words[1:2], words[2:])
    if program == "yarn" and words[:1] == ["workspaces"] and "run" in words:
        at = words.index("run")
        known = at == 1 or (words[1] == "foreach" and all(re.fullmatch(_EVERY, one) for one in words[2:at]))
        return _placed(texts, call, ["*"], words[at:]) if known else None
    names, rest, everywhere = list[str](), list[str](), list[str]()
    while words and words[0] != "--":
        word, equals, value = words.pop(0).partition("=")
        if word in _NAMING or (word in _VALUED and not rest):
            value = value if equals else "".join(words[:1])
            words = words[0 if equals else 1 :]
            names += [value] if word in _NAMING else []
        elif word in _ALL or (program == "pnpm" and word == "--parallel" and {*rest} <= {"run"}):
            everywhere = ["*"]
        elif rest or not word.startswith("-"):  # what stands before the script's name says how it is run
            rest.append(word + equals + value)
    names = names or everywhere  # of all packages those that a filter means
    return _placed(texts, call, names, [*rest, *words]) if names else None


def _scripts(texts: Texts, call: OwnCall) -> list[OwnCall] | None:
    """The scripts that turbo, nx or lerna run in every package; None where something has to be built before, or the
    words say more than that."""
    names, options = _parts(call)
    more = any(not re.fullmatch(_HOW, one[2:]) for one in options)
    if more or any("project.json" in texts.listed(folder) for folder, _ in packages(texts, call.folder)):
        return None
    for file, key in (("turbo.json", "tasks"), ("turbo.json", "pipeline"), ("nx.json", "targetDefaults")):
        document = texts.json(call.folder, file)
        before = [one for name in names for one in strings(table(document, key, name).get("dependsOn"))]
        if {one.lstrip("^") for one in before} - {*names} or (document is None and texts.text(call.folder, file)):
            return None
    npm = call._replace(words=("npm",))
    return [one for name in names for one in _placed(texts, npm, ["*"], ("run", name)) or ()] or None


def _placed(texts: Texts, call: OwnCall, names: Sequence[str], words: Sequence[str]) -> list[OwnCall] | None:
    known = dict(packages(texts, call.folder)) if names else {}
    folders = [] if any(name[:1] != "!" for name in names) else [*known]
    for said in sorted(names, key=lambda name: name[:1] == "!"):
        name = said.removeprefix("!")
        told = not (name[:1] in ("", "[") or "..." in name)
        paths = _expanded(texts, call.folder, name.strip("{}")) if name[:1] in (".", "{") else [name]
        places = {os.path.normpath(os.path.join(call.folder, one)) for one in paths}
        fitting = [one for one, own in known.items() if one in places or name == "*" or fnmatch.fnmatchcase(own, name)]
        fitting = fitting or [one for one, own in known.items() if own.rpartition("/")[2] == name]  # without its scope
        if not told or not fitting:
            return None
        folders = [one for one in folders if one not in fitting] if said != name else [*folders, *fitting]
    script = next((word for word in words if word not in ("run", "run-script")), "")
    # packages without the script are passed over
    folders = [one for one in folders if script in table(texts.json(one, "package.json"), "scripts")] or folders
    placed = (call._replace(words=(call.words[0], *words), folder=folder) for folder in dict.fromkeys(folders))
    return list(placed) or None


def packages(texts: Texts, folder: str) -> Iterator[tuple[str, str]]:
    """Folder and name of each package of the workspace whose root is here."""
    document = texts.json(folder, "package.json")
    globs = [
        *strings(table(document).get("workspaces")),
        *strings(table(document, "workspaces").get("packages")),
        *strings(table(texts.yaml(folder, "pnpm-workspace.yaml")).get("packages")),
    ]
    found = dict.fromkeys(one for glob in globs if not glob.startswith("!") for one in _expanded(texts, folder, glob))
    for glob in globs:
        if glob.startswith("!"):
            pattern = os.path.normpath(os.path.join(folder, glob[1:])).replace("**", "*")
            found = {one: None for one in found if not fnmatch.fnmatchcase(one, pattern)}
    for one in list(found)[:_MOST]:
        if texts.text(one, "package.json") is not None:
            yield one, str(table(texts.json(one, "package.json")).get("name", ""))


def _expanded(texts: Texts, folder: str, glob: str) -> Iterator[str]:
    """The folders that fit a glob of a workspace."""
    places = [folder]
    for part in glob.strip("./").split("/"):
        if part == "**":
            for _ in range(_DEEPEST):
                places += [one for one in _below(texts, places, "*") if one not in places]
        elif "*" in part:
            places = _below(texts, places, part)
        else:
            places = [os.path.normpath(os.path.join(place, part)) for place in places]
        places = places[:_MOST]
    yield from places


def _below(texts: Texts, places: Sequence[str], pattern: str) -> list[str]:
    return [
        os.path.normpath(os.path.join(place, name))
        for place in places
        for name in texts.listed(place)
        if name[0] != "." and name != "node_modules" and fnmatch.fnmatchcase(name, pattern)
    ]
