"""By which command a person gets a package that a Python project asks for and its environment lacks."""

import os
from contextlib import suppress

from untilgreen.project import files, toml_sections

# by the first of these files that is there
_LOCKS = {
    "uv.lock": "uv sync",
    "poetry.lock": "poetry install",
    "pdm.lock": "pdm install",
    "Pipfile.lock": "pipenv sync --dev",
}
_FOR_TESTS = ("test", "tests", "testing", "dev")
_LISTS = tuple(
    f"{folder}{name}.txt"
    for folder in ("", "requirements/")
    for kind in _FOR_TESTS
    for name in (f"requirements-{kind}", f"requirements_{kind}", f"{kind}-requirements", kind)
)


def for_package(root: str, name: str) -> str:
    """The command by what the manifests in `root` (absolute) say; else the one that installs `name` alone."""
    named = _LOCKS | {path: f"pip install -r {path}" for path in _LISTS}
    cures = [command for path, command in named.items() if os.path.isfile(os.path.join(root, path))]
    found: dict[str, str] = {}
    with suppress(OSError, ValueError):
        text = files.read(os.path.join(root, "pyproject.toml"), 1024 * 1024, follow=True)
        found = toml_sections.toml(text.decode("utf-8", "replace"))
    for section, command in (
        ("project.optional-dependencies", "pip install -e '.[{}]'"),
        ("dependency-groups", "pip install --group {}"),
    ):
        names = {line.partition("=")[0] for line in found.get(section, "").split("\n")}
        cures += [command.format(one) for one in _FOR_TESTS if one in names]
    return next(iter(cures), f"pip install {name}")
