"""Checks of which nothing can be concluded in a copy: by rule, each with its reason."""

import json
import os
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress

from untilgreen.checkers.js import npm_script
from untilgreen.checks.elsewhere.private_copy import Copy
from untilgreen.core.model.check import Check
from untilgreen.core.model.outcome import Broken, Found, Outcome
from untilgreen.core.model.settings import Settings
from untilgreen.core.trees import Tree
from untilgreen.project.toplevel import above

_LARGEST = 1024 * 1024
# programs that make an environment of their own for the folder that they are called in, or install into it
_INSTALLING = re.compile(
    r"(?<![\w/.-])(?:tox|nox|hatch|poetry|pipenv|pdm|rye|pixi|docker|docker-compose|podman|vagrant|conda|mamba"
    r"|(?:pip3?|uv|npm|pnpm|yarn|bun)\s+(?:install|ci|add|sync)"
    r"|pip3?\s+install|setup\.py\s+(?:develop|install))(?![\w.-])"
)
_RUNNERS = {"make": ("Makefile", "makefile", "GNUmakefile"), "just": ("justfile",), "task": ("Taskfile.yml",)}
_OPAQUE = ("custom", "runner", "npm-script", "npm-test")
_NODE = ("npm-test", "npm-script")
# what a tool may read that says where something lies
_SAYING = re.compile(
    r"(?:.*/)?(?:[Mm]akefile|GNUmakefile|justfile|tox\.ini|pytest\.ini|setup\.(?:cfg|py)|conftest\.py|noxfile\.py"
    r"|package\.json|tsconfig.*\.json|[\w.-]+\.(?:toml|mk)|[\w.-]+\.config\.\w+|go\.(?:mod|work)|\.npmrc|\.env)"
)
_NATIVE = (".c", ".cc", ".cpp", ".cxx", ".h", ".hpp", ".pyx", ".pxd", ".rs", ".f90", ".f", ".go", ".zig", ".swift")
# how each kind of manifest names what lies elsewhere
_ELSEWHERE = {
    "Cargo.toml": r"""\bpath\s*=\s*["'](?P<path>[^"']+)""",
    "go.mod": r"=>\s*(?P<path>\.{1,2}/\S*)",
    "go.work": r"(?m)^\s*(?:use\s+)?(?P<path>\.{1,2}/\S*)",
    "package.json": r'"(?:file|link|portal):(?P<path>\.{1,2}/[^"]+)',
}
_READS = {"cargo": ("Cargo.toml",), "go": ("go.mod", "go.work"), "npm": ("package.json",)}


def reasons(planned: Sequence[Check], copy: Copy, tree: Tree, project: str, settings: Settings) -> dict[str, str]:
    """Check to why nothing would be concluded from it, "" where something is. Raises OSError."""
    of_all = ""
    for path in filter(_SAYING.fullmatch, tree):
        text = _text(copy, path)
        if project in text and copy.move.word(text) != text:
            of_all = f"{path} names the project by its absolute path"
            break
    # what was compiled in place, where the sources of anything compiled are others
    native = [path for path in copy.beside.others if path.endswith((".so", ".pyd", ".dylib", ".node"))]
    if not of_all and native and any(path.endswith(_NATIVE) for path in copy.differing):
        of_all = f"{native[0]} was compiled of other sources"
    return {one.name: of_all or _reason(one, copy, tree, project, settings) for one in planned}


def _reason(check: Check, copy: Copy, tree: Tree, project: str, settings: Settings) -> str:
    if check.checker in _NODE and any(os.path.isfile(os.path.join(project, f".pnp.{kind}")) for kind in ("cjs", "js")):
        return "its packages are where yarn's Plug'n'Play says"
    if away := next(_away(check, copy, tree, project), ""):
        return f"{away} lies outside of the project"
    if word := next(_installing(check, copy, settings), ""):
        return f"{word} installs what it runs"
    return ""


def _away(check: Check, copy: Copy, tree: Tree, project: str) -> Iterator[str]:
    """What the manifests that a check reads name outside of the project; a go.work above it, of which Go makes use."""
    for name in _READS.get(check.checker.partition("-")[0], ()):
        for path in (one for one in tree if one == name or one.endswith(f"/{name}")):
            for found in re.finditer(_ELSEWHERE[name], _text(copy, path)):
                full = os.path.normpath(os.path.join(os.path.dirname(path), found["path"]))
                if full == ".." or full.startswith("../"):
                    yield found["path"]
    if check.checker.startswith("go"):
        yield from filter(os.path.isfile, (os.path.join(folder, "go.work") for folder in above(project)))


def _installing(check: Check, copy: Copy, settings: Settings) -> Iterator[str]:
    """The programs among what a check runs that install: through a link they would do so in the user's environment."""
    if check.checker not in _OPAQUE:
        return
    own = settings.checks.get(check.name) if check.checker == "custom" else None
    words = own.command if own else check.call or ("npm", "test")
    texts = [" ".join(words)]
    if words[0] in ("npm", "pnpm", "yarn", "bun"):
        with suppress(ValueError, LookupError, TypeError, RecursionError):  # it may have no scripts
            scripts = json.loads(_text(copy, os.path.join(check.root, "package.json")))["scripts"]
            texts += [command for command, _ in npm_script.parts(scripts, words[-1])]
    elif words[0] in _RUNNERS:
        texts += [_text(copy, os.path.join(check.root, name)) for name in _RUNNERS[words[0]]]
    for text in texts:
        yield from (found[0] for found in _INSTALLING.finditer(text))


def _text(copy: Copy, path: str) -> str:
    full = os.path.normpath(os.path.join(copy.root, path))
    if os.path.islink(full) or not os.path.isfile(full):
        return ""
    with open(full, encoding="utf-8", errors="surrogateescape") as stream:
        return stream.read(_LARGEST)


def unbuilt(check: Check, outcome: Outcome, copy: Copy) -> str:
    """What a build makes, and was left out, and a check that is not clean asks for; "" where it does not."""
    if isinstance(outcome, Broken):
        said, unloaded = [outcome.reason, outcome.tail], True
    else:
        found = outcome.diagnostics if isinstance(outcome, Found) else ()
        said, unloaded = [one.message for one in found], any(one.hides or one.rule == "collection" for one in found)
    for path in copy.unbuilt:
        folder, name = os.path.split(path)
        if any(re.search(rf"""(?<=[/'"`]){re.escape(name)}(?=[/'"`])""", text) for text in said):
            return name
        # a package that cannot be loaded: not everyone says that it is for this
        manifest = _text(copy, os.path.join(folder, "package.json")) if unloaded and check.checker in _NODE else ""
        if re.search(rf'"(?:\./)?{re.escape(name)}/', manifest):
            return name
    return ""
