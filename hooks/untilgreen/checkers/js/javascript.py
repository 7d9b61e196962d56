"""What the tools of JavaScript and TypeScript share: which files they read, and how configuration is written."""

import os
import re
from collections.abc import Sequence

from untilgreen.checkers.checker import Roots, where
from untilgreen.core.record import Any
from untilgreen.project.tree import toml_sections
from untilgreen.project.tree.layout import Layout, around, below_any, outer

TYPESCRIPT = (".ts", ".tsx", ".mts", ".cts")
JAVASCRIPT = (".js", ".jsx", ".mjs", ".cjs")

_LOCKS = ("package-lock.json", "npm-shrinkwrap.json", "yarn.lock", "pnpm-lock.yaml", "bun.lock", "bun.lockb")
_WORKSPACES = ("pnpm-workspace.yaml", "lerna.json")


def with_comments(text: str) -> dict[str, Any] | None:
    """The object that a text of JSON with comments and last commas holds (tsconfig.json), None where it is none."""
    try:
        value = toml_sections.jsonc(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def path_in(folder: str, name: str) -> str:
    """A name as a folder's configuration writes it, as a path relative to the project, or with `..` outside of it."""
    return os.path.normpath(os.path.join(folder, name)).replace(os.sep, "/")


def read(layout: Layout, path: str) -> dict[str, Any]:
    """What a file of JSON holds, nothing where it cannot be read."""
    return with_comments(layout.text(path) or "") or {}


def package_of(layout: Layout, folder: str) -> dict[str, Any]:
    return read(layout, path_in(folder, "package.json"))


def outermost_configured(configs: Sequence[str], suffixes: tuple[str, ...]) -> Roots:
    """The `roots` of a tool that finds nested configurations by itself."""
    return where(lambda layout: outer(layout.marked(configs)), suffixes, configs)


def keyed(key: str, configs: Sequence[str], suffixes: tuple[str, ...]) -> Roots:
    """The `roots` of a tool with a key of its own in package.json, or a file of its `configs`."""

    def places(layout: Layout) -> list[str]:
        packages = (one for one in layout.marked(("package.json",)) if key in package_of(layout, one))
        return sorted({*layout.marked(configs), *packages})

    return where(places, suffixes)


def depending(name: str, suffixes: tuple[str, ...]) -> Roots:
    """The `roots` of a tool that a project chooses by depending on it: where package.json names it."""
    return where(
        lambda layout: [one for one in layout.marked(("package.json",)) if layout.depends(name, one)], suffixes
    )


def is_installed(layout: Layout, folder: str) -> bool:
    """Whether a package below the project root gets its dependencies: by itself, or as a workspace of one above it.
    Others are examples and what tests are fed with. Of workspaces that other tools list each one may be meant."""
    if folder == "." or folder in layout.marked(_LOCKS):
        return True
    listing = layout.marked(_WORKSPACES)
    return any(above in listing or has_workspace(layout, above, folder) for above in around(folder)[1:])


def manager(layout: Layout, folder: str) -> str:
    """Who runs a package's scripts: npm, or the other one that its `devEngines` insist on: there npm refuses."""
    engines = package_of(layout, folder).get("devEngines")
    said = engines.get("packageManager") if isinstance(engines, dict) else None
    named = [one for one in (said if isinstance(said, list) else [said]) if isinstance(one, dict)]
    insists = bool(named) and named[-1].get("onFail", "error") not in ("ignore", "warn")
    names = [one.get("name") for one in named if insists]
    return "npm" if "npm" in names else next((one for one in ("pnpm", "yarn") if one in names), "npm")


def has_workspace(layout: Layout, root: str, folder: str) -> bool:
    """Whether the root's package.json has a folder below it among its workspaces; the last pattern that fits decides.
    One with more than `*` and `**` in it is taken to fit: rather one workspace too many than one too few."""
    listed = package_of(layout, root).get("workspaces")
    listed = listed.get("packages") if isinstance(listed, dict) else listed
    patterns = [one for one in listed if isinstance(one, str)] if isinstance(listed, list) else []
    found = False
    for pattern in patterns if below_any(folder, (root,)) else ():
        plain = pattern.removeprefix("!")
        words = re.escape(path_in(".", plain)).replace(r"\*\*/", "(?:.+/)?").replace(r"\*\*", ".+")
        fits = re.fullmatch(words.replace(r"\*", "[^/]*"), folder.removeprefix(f"{root}/"))
        if plain == pattern if set("?[]{}()") & set(plain) else fits:
            found = plain == pattern
    return found
