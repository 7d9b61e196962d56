"""By which command a person gets a tool or package that a project asks for and its environment lacks.

In the words of the project's own manager: what makes its environment, where that is not there yet or the manifest
lists the package; else what adds the package to the manifest.
"""

import os
import re
from collections.abc import Iterable

from untilgreen.core.findings import word
from untilgreen.core.record import NamedTuple
from untilgreen.project import tables
from untilgreen.project.tree.layout import Layout, around


class _Manager(NamedTuple):
    files: tuple[str, ...]  #: the project uses it where one of these files is there, or the section of pyproject.toml
    section: str
    makes: str
    adds: str
    environment: str = ""  #: the folder of the environment that it makes, "" where that lies elsewhere


# by the registry, the first that fits
_MANAGERS = {
    registry: [_Manager(tuple(names.split()), *more) for names, *more in rows]
    for registry, rows in tables.read("managers").items()
}
_FOR_TESTS = ("test", "tests", "testing", "dev")
_LISTS = tuple(
    f"{folder}{name}.txt"
    for folder in ("", "requirements/")
    for kind in _FOR_TESTS
    for name in (f"requirements-{kind}", f"requirements_{kind}", f"{kind}-requirements", kind)
)
# section of pyproject.toml -> how uv and pip get what one of its keys lists
_SECTIONS = {
    "project.optional-dependencies": ("uv sync --extra {}", "install -e '.[{}]'"),
    # pip knows groups from 25.1 on, and no Python brings that along
    "dependency-groups": ("uv sync --group {}", "install {{}}"),
}


def installing(root: str, wanted: Iterable[tuple[str, str]], *, first: bool = False) -> str:
    """One line that gets all of these for the project in `root` (absolute), "" where nothing is known that does.

    `wanted`: the folder that wants it, relative to the project, and what, by its registry ("pypi:ruff"). `first`: maybe
    nothing of what the manifest lists was installed yet, and that goes first.
    """
    layout, found = Layout(root, ()), dict[tuple[str, str], list[str]]()
    for folder, package in wanted:
        registry, _, name = package.partition(":")
        command = _command(layout, folder, registry, name, first)
        found.setdefault(command, []).append(name)
    lines = [
        (place, line.replace("{}", " ".join(dict.fromkeys(names)))) for (place, line), names in found.items() if line
    ]
    there = [f"cd {word(place)} && {line}" if place != "." else line for place, line in lines]
    return there[0] if len(there) == 1 else " && ".join(f"({one})" if one.startswith("cd ") else one for one in there)


def _command(layout: Layout, folder: str, registry: str, name: str, first: bool) -> tuple[str, str]:
    """In which folder to call what; with {} for the names of packages, where it takes them."""
    if registry == "rustup":
        return ".", "rustup component add {}"
    managers = _MANAGERS.get(registry, ())
    # a package.json below the lock of a workspace is that manager's, too
    ordered = (managers[:-1], managers[-1:])
    used = ((place, one) for part in ordered for place in around(folder) for one in part if _uses(layout, place, one))
    place, manager = next(used, (folder, None))
    lists = any(layout.depends(name, one) for one in {folder, place})
    if manager:
        fresh = manager.environment and not os.path.isdir(os.path.join(layout.project, place, manager.environment))
        if not lists and not (first and fresh):
            return (folder if registry == "npm" else place), f"{manager.adds} {{}}"
        sections = _sections(layout, place) if manager.makes == "uv sync" else ()
        extras = [uv for _, uv, _, text in sections if _names(text, name)]
        return place, next(iter(extras), manager.makes).removesuffix(" --group dev")
    if registry == "npm":
        return folder, "npm install --save-dev {}"
    return ".", _with_pip(layout, name, first) if registry == "pypi" else ""


def _uses(layout: Layout, place: str, manager: _Manager) -> bool:
    there = any(layout.text(_in(place, name)) is not None for name in manager.files)
    return there or (manager.section or "\0") in (layout.sections(_in(place, "pyproject.toml")) or ())


def _with_pip(layout: Layout, name: str, first: bool) -> str:
    """By the file, extra or group that lists it; else by a file, which may take in others, where they come first; else
    by its name, which every pip understands."""
    files = [(f"install -r {path}", text) for path in _LISTS if (text := layout.text(path)) is not None]
    lists = [*files] + [(words, text) for key, _, words, text in _sections(layout, ".") if key in _FOR_TESTS]
    own = os.path.join(".venv", "bin", "python")
    python = own if os.path.exists(os.path.join(layout.project, own)) else "python"
    found = [words for words, text in lists if _names(text, name)] or [words for words, _ in files if first]
    return f"{python} -m pip {found[0] if found else 'install {}'}"


def _sections(layout: Layout, place: str) -> list[tuple[str, str, str, str]]:
    """Each extra and group of a pyproject.toml: its name, how uv and pip install it, what it lists."""
    sections = layout.sections(_in(place, "pyproject.toml")) or {}
    lines = [
        (forms, *line.partition("=")) for one, forms in _SECTIONS.items() for line in sections.get(one, "").split("\n")
    ]
    return [(key, forms[0].format(key), forms[1].format(key), text) for forms, key, _, text in lines if key]


def _names(text: str, package: str) -> bool:
    return re.search(rf"(?im)(?:^|[\"'])\s*{re.escape(package)}\s*(?:[\[<>=!~;@\"'#\s]|$)", text) is not None


def _in(place: str, name: str) -> str:
    return name if place == "." else f"{place}/{name}"
