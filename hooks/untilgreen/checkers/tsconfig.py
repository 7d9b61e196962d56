"""Which configurations tsc has in a project, and which of them is checked with which.

A tsconfig.json is often no project: it lists others (`references`), or is what others extend.
"""

from collections.abc import Sequence
from typing import Any

from untilgreen.checkers.javascript import JAVASCRIPT, TYPESCRIPT, path_in, with_comments
from untilgreen.core.model.settings import Criteria
from untilgreen.project.layout import Layout, below_any, folder_of

REFERS, ALONE, SOLUTION = "refers", "alone", "solution"  # has references beside files; has none; has nothing else

_CONFIGS = ("tsconfig.json", "jsconfig.json")


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


def variant(layout: Layout, root: str) -> str:
    """A line for each configuration to check: whether it has references of its own, and its path from the root."""
    projects = _projects(layout, root)
    # where there is nothing but references, to other places, that is for tsc to say
    checked = {p: kind for p, kind in projects.items() if kind != SOLUTION} or dict.fromkeys(projects, REFERS)
    return "\n".join(
        f"{kind} {path if root == '.' else path.removeprefix(root + '/')}" for path, kind in checked.items()
    )


def _config(layout: Layout, folder: str) -> str:
    """The path of the configuration that tsc takes for a folder's; a jsconfig.json only if it asks for types."""
    for name in _CONFIGS:
        path = path_in(folder, name)
        text = layout.text(path)
        if text is not None and (name == "tsconfig.json" or _options(text).get("checkJs") is True):
            return path
    return ""


def _options(text: str) -> dict[str, Any]:
    options = (with_comments(text) or {}).get("compilerOptions")
    return options if isinstance(options, dict) else {}


def _files(layout: Layout, folder: str) -> list[str]:
    """The files below a folder that its configuration may be for."""
    config = layout.text(_config(layout, folder)) or ""
    options = _options(config)
    javascript = True in (options.get("allowJs"), options.get("checkJs")) or '"references"' in config
    found = layout.ending(*TYPESCRIPT, *(JAVASCRIPT if javascript else ()))
    return [path for path in found if below_any(path, (folder,))]


def _is_base(layout: Layout, folder: str, nested: Sequence[str]) -> bool:
    """Says nothing about files of its own, and every file below it has another configuration nearer to it."""
    config = with_comments(layout.text(_config(layout, folder)) or "") or {}
    if any(key in config for key in ("files", "include", "references")):
        return False
    return all(below_any(path, nested) for path in _files(layout, folder))


def _projects(layout: Layout, root: str) -> dict[str, str]:
    """The root's configuration and those below it that it references, directly or not: path to kind."""
    found: dict[str, str] = {}
    waiting = [_config(layout, root) or path_in(root, "tsconfig.json")]
    while waiting:
        path = waiting.pop(0)
        if path in found or not below_any(path, (root,)) or path.startswith(("/", "../")):
            continue
        config = with_comments(layout.text(path) or "") or {}
        listed = config.get("references")
        named = [entry.get("path") for entry in listed if isinstance(entry, dict)] if isinstance(listed, list) else []
        waiting += [_referenced(folder_of(path), name) for name in named if isinstance(name, str)]
        solution = named and config.get("files") == [] and not config.get("include")
        found[path] = SOLUTION if solution else REFERS if "references" in config else ALONE
    return found


def _referenced(folder: str, name: str) -> str:
    path = path_in(folder, name)
    return path if path.endswith(".json") else path_in(path, "tsconfig.json")
