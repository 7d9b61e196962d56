"""The builds of a project: its own task named `build`, what its CI calls, else what its manifests say how to build. A
build takes long: `build_success` asks for it, and tests that read what CI builds before them."""

import itertools
import os
import re
from collections.abc import Iterator, Sequence

from untilgreen.checkers import command
from untilgreen.checkers.js import tsc, tsconfig
from untilgreen.checkers.js.javascript import path_in
from untilgreen.checkers.other import cargo, go
from untilgreen.core.model.check import OwnCall
from untilgreen.core.model.settings import Criteria
from untilgreen.project import calls
from untilgreen.project.calls import environments, resolve, scripts
from untilgreen.project.calls.documents import Texts, table, where
from untilgreen.project.tree.layout import Layout, below_any, folder_of, outer

_TASK = "build"
# scripts of package.json that build what others read, and those that test
_BUILDING, _TESTING = r"(?:build|compile)(?::(?:all|packages|libs?))?", r"t|tst|test(?:[:-].+)?|vitest|jest|mocha"
# the words that run a task, by the reader of its file
_RUNS = {
    **{name: (name,) for name in ("make", "just", "task", "poe")},
    **{name: (name, "run") for name in ("npm", "pdm", "hatch")},
}
_SOURCES = {"make": "Makefile", "just": "justfile", "task": "Taskfile", "npm": "package.json", "hatch": "hatch"}
_LOCKS = {"pnpm-lock.yaml": "pnpm", "yarn.lock": "yarn", "bun.lock": "bun", "bun.lockb": "bun"}
ELSEWHERE = ("docker", "docker-compose", "podman", "vagrant", "ssh", "kubectl", "sudo")  # what they need is not here
_PYTHON = {"uv.lock": "uv", "poetry.lock": "poetry", "pdm.lock": "pdm", "hatch.toml": "hatch"}
_DOTNET = (".csproj", ".fsproj", ".vbproj")
_MAVEN, _GRADLE = ("pom.xml",), ("build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts")


def called(texts: Texts, layout: Layout, found: Sequence[OwnCall]) -> Iterator[OwnCall]:
    """The project's own calls: a task that is named so runs as it stands; where there is none, what CI builds with."""
    own = _tasks(texts, layout)
    if not own and scripts.steps(texts, "make", ".", "all") is not None and not list(by_manifest(layout)):
        own = [OwnCall(("builder", "make", "all"), ".", where(".", "Makefile", "all"))]
    yield from own
    known = set[tuple[str, str]]()
    for one in found if not own else ():
        said = one.words[1:] if one.words[0] == "runner" else one.words  # `mvn package` tests, and builds
        words = None if one.script or not one.whole else command.building(said, module=one.module)
        if words and (words[1], one.folder) not in known:  # one of many alike is enough: other targets, other profiles
            known.add((words[1], one.folder))
            yield one._replace(words=words)


def before_tests(texts: Texts, layout: Layout) -> Iterator[OwnCall]:
    """What a job of CI builds by a script before it tests, where a package is read as it was built."""
    entries = (path for folder in layout.marked(("package.json",)) for path in _entries(texts, folder))
    if {*entries} <= {*layout.files}:
        return
    for _, steps in itertools.groupby(calls.of_ci(texts), key=lambda step: step.source):
        lines = [one for step in steps for one in resolve.commands(step)]
        own = ((at, one) for at, one in enumerate(lines) if layout.has(path_in(one.folder, "package.json")))
        tested = max((at for at, one in own if _names(one, _TESTING)), default=0)
        for one in lines[:tested]:
            parts = resolve.called(texts, one) if one.whole and _names(one, _BUILDING) else ()
            if any(not tsc.is_build(part.words) for part in parts):  # what tsc builds is a check already
                yield one._replace(words=("builder", *one.words), caller="tests")


def _names(one: OwnCall, scripts: str) -> bool:
    """Whether a manager of packages is called with one of these scripts."""
    return one.words[0] in (*_LOCKS.values(), "npm") and any(re.fullmatch(scripts, word) for word in one.words[1:])


def _entries(texts: Texts, folder: str) -> Iterator[str]:
    """The files by which others read a package below the root."""
    said = texts.json(folder, "package.json") if folder != "." else None
    values = [table(said).get(key) for key in ("main", "module", "exports")]
    while values:
        value = values.pop()
        values += value.values() if isinstance(value, dict) else ()
        if isinstance(value, str) and value.endswith((".js", ".cjs", ".mjs")) and "*" not in value:
            yield path_in(folder, os.path.normpath(value))


def _tasks(texts: Texts, layout: Layout) -> list[OwnCall]:
    """The first task of the project root that builds; one that needs what is not here is none."""
    for name in scripts.READERS:
        steps = scripts.steps(texts, name, ".", _TASK) if name != "npm" else None
        if steps is not None and not any(word in ELSEWHERE for step in steps for word in step.text.split()):
            source = steps[0].source if len(steps) == 1 else where(".", _SOURCES.get(name, "pyproject.toml"), _TASK)
            return [OwnCall(("builder", *_RUNS[name], _TASK), ".", source)]
    for program, option, reader in (("tox", "-e", environments.tox), ("nox", "-s", environments.nox)):
        if run := reader(texts, ".", _TASK):
            return [OwnCall(("builder", program, option, _TASK), ".", run[0].source)]
    # the build scripts of package.json: the root's, or those of the packages below it
    folders = [one for one in layout.marked(("package.json",)) if scripts.steps(texts, "npm", one, _TASK)]
    words = ("builder", next((name for lock, name in _LOCKS.items() if layout.has(lock)), "npm"), "run", _TASK)
    return [OwnCall(words, one, where(one, "package.json", _TASK)) for one in (["."] if "." in folders else folders)]


def wanted(layout: Layout, calls: Sequence[OwnCall]) -> Iterator[OwnCall]:
    """Every build of the project; a manifest below a folder that has a call of its own says nothing more."""
    built = {(one.words[1:], one.folder): one for one in reversed(calls) if one.words[0] == "builder"}
    own = [one._replace(words=one.words[1:]) for one in reversed(built.values())]
    yield from own
    homes = [one.folder for one in own]
    for root, call in by_manifest(layout):
        if root not in homes and not below_any(root, homes):
            yield OwnCall(call, root, "")


def by_manifest(layout: Layout) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Folder and command line of what manifests, locks and configurations say how to build."""
    yield from ((root, ("cargo", "build", "--workspace")) for root in cargo.roots(layout))
    yield from ((root, ("go", "build", "./...")) for root in go.modules(layout))
    for root in tsconfig.chosen(layout, Criteria(build_success=True)):
        yield root, ("tsc", "-b" if tsconfig.emits_apart(layout, root) else "--noEmit")

    def has(root: str, name: str) -> bool:
        return layout.text(path_in(root, name)) is not None

    for root in outer(layout.marked(("pyproject.toml", "setup.py"))):
        sections = layout.sections(path_in(root, "pyproject.toml")) or ()
        if has(root, "setup.py") or any(name.startswith("build-system") for name in sections):
            yield (
                root,
                next(((name, "build") for lock, name in _PYTHON.items() if has(root, lock)), ("pyproject-build",)),
            )
    for root in outer(layout.marked(_MAVEN)):
        yield root, ("mvnw" if has(root, "mvnw") else "mvn", "-B", "-q", "-DskipTests", "package")
    for root in outer(layout.marked(_GRADLE)):
        yield root, ("gradlew" if has(root, "gradlew") else "gradle", "--console=plain", "assemble")
    homes = {folder_of(path) for path in layout.ending(".sln") or layout.ending(*_DOTNET)}
    yield from ((root, ("dotnet", "build", "--nologo")) for root in outer(sorted(homes)))
