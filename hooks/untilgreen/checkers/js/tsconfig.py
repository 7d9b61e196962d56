"""The configurations of TypeScript that a project has: where one is checked, and which ones it references."""

from collections.abc import Sequence

from untilgreen.checkers.js.javascript import JAVASCRIPT, TYPESCRIPT, path_in, read
from untilgreen.core.model.settings import Criteria
from untilgreen.core.record import Any
from untilgreen.project.tree.layout import Layout, around, below_any, folder_of

CONFIGS = ("tsconfig.json", "jsconfig.json")
# what a configuration is: it has references beside files; has none; has nothing else. It is often no project
REFERS, ALONE, _SOLUTION = "refers", "alone", "solution"
_OUT = {"outDir", "outFile", "noEmit"}


def roots(layout: Layout, _criteria: Criteria) -> list[str]:
    """Where a configuration is that no other one above it references, and that is not just what others extend."""
    configured = [folder for folder in layout.marked(CONFIGS) if _config(layout, folder)]
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
    checked = {p: kind for p, kind in projects.items() if kind != _SOLUTION} or dict.fromkeys(projects, REFERS)
    return "\n".join(
        f"{kind} {path if root == '.' else path.removeprefix(root + '/')}" for path, kind in checked.items()
    )


def _config(layout: Layout, folder: str) -> str:
    """The path of the configuration that tsc takes for a folder's; a jsconfig.json only if it asks for types."""
    own, other = (path_in(folder, name) for name in CONFIGS)
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
        found[path] = _SOLUTION if solution else REFERS if "references" in config else ALONE
    return found
