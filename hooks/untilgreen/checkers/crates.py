"""Where cargo is called in a project: a workspace covers the crates below it."""

import re

from untilgreen.project.layout import Layout, below_any

_PASSED_OVER = frozenset({"vendor", "target", "node_modules"})
_CLIPPY = ("clippy.toml", ".clippy.toml")
_LINTS = {"Cargo.toml": r"(?:workspace\.)?lints\.clippy(?:\.|$)"}
_TEST = r"#\[(?:\w+::)*(?:test|rstest|test_case)\b|#\[cfg\(test\)\]|(?m:^\s*//[/!]\s*```)"


def roots(layout: Layout) -> list[str]:
    """The folders with a Cargo.toml and Rust code, without members of a workspace above."""
    found: list[str] = []
    for folder in layout.marked(("Cargo.toml",)):
        covered = not _is_workspace(layout, folder) and any(_covers(layout, above, folder) for above in found)
        if not covered and not _PASSED_OVER.intersection(folder.split("/")) and _sources(layout, folder):
            found.append(folder)
    return found


def linted(layout: Layout) -> list[str]:
    """The roots for which clippy is configured: there, below, or above (it looks upwards for its own file)."""
    places = layout.configured(_CLIPPY, _LINTS)
    return [
        root
        for root in roots(layout)
        if root in places or below_any(root, places) or any(below_any(place, (root,)) for place in places)
    ]


def tested(layout: Layout) -> list[str]:
    """The roots with something that cargo test would run: a test or an example in a comment."""
    return [
        root
        for root in roots(layout)
        if any(re.search(_TEST, layout.text(path) or "") for path in _sources(layout, root))
    ]


def _sources(layout: Layout, folder: str) -> list[str]:
    return [path for path in layout.ending(".rs") if below_any(path, (folder,))]


def _is_workspace(layout: Layout, folder: str) -> bool:
    return any(name == "workspace" or name.startswith("workspace.") for name in _manifest(layout, folder))


def _covers(layout: Layout, above: str, folder: str) -> bool:
    """Whether `above` is a workspace that has `folder` for a member: one without a `[workspace]` of its own that lies
    below, and is not excluded, could not be compiled at all otherwise."""
    if not below_any(folder, (above,)) or not _is_workspace(layout, above):
        return False
    listed = re.search(r"(?m)^exclude=(.*)$", _manifest(layout, above).get("workspace", ""))
    excluded = re.findall(r"[\"']([^\"']+)[\"']", listed[1]) if listed else []
    below = [path.strip("/") if above == "." else f"{above}/{path.strip('/')}" for path in excluded]
    return folder not in below and not below_any(folder, below)


def _manifest(layout: Layout, folder: str) -> dict[str, str]:
    return layout.sections("Cargo.toml" if folder == "." else f"{folder}/Cargo.toml") or {}
