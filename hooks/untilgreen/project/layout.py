"""Where in the project which kind of files lies: what every checker is asked to find its roots with."""

import os
import re
from collections.abc import Iterable, Mapping, Sequence

from untilgreen.core import languages
from untilgreen.project import toml_sections

_MOST = 1024 * 1024  # bytes of a configuration file
PYTHON = (".py", ".pyi")
PYTHON_MARKERS = ("pyproject.toml", "setup.py", "setup.cfg", "ruff.toml", ".ruff.toml", "requirements.txt", "tox.ini")
MANIFESTS = (
    *("pyproject.toml", "setup.cfg", "setup.py", "Pipfile", "requirements.txt", "requirements-dev.txt"),
    *("requirements_dev.txt", "dev-requirements.txt", "test-requirements.txt", "requirements-test.txt"),
    *("requirements/dev.txt", "requirements/test.txt", "requirements/tests.txt", "requirements/lint.txt"),
)
_DEPTH = 2  # levels below the project root where roots are looked for


class Layout:
    """The files of a project, as posix paths relative to it, without ignored ones; their texts are read when asked for.

    `near`: changed and target files, above which roots may lie deeper than two levels.
    """

    def __init__(self, project: str, files: Sequence[str], near: Iterable[str] = ()) -> None:
        self.project = project
        self.files = tuple(files)
        self._above = {folder for path in near for folder in around(folder_of(path))}
        self._texts: dict[str, str | None] = {}
        self._sections: dict[str, dict[str, str] | None] = {}
        self._folders: dict[str, list[str]] = {}
        for path in self.files:
            folder, _, name = path.rpartition("/")
            self._folders.setdefault(name, []).append(folder or ".")

    def has(self, sign: str) -> bool:
        """Whether there is a file of this name, or one with the suffix of `*.suffix`."""
        if sign.startswith("*"):
            return any(name.endswith(sign[1:]) for name in self._folders)
        return sign in self._folders or os.path.isfile(os.path.join(self.project, sign))

    def ending(self, *suffixes: str) -> tuple[str, ...]:
        """The files with one of these suffixes."""
        return tuple(path for path in self.files if path.endswith(suffixes))

    def matching(self, patterns: Sequence[str]) -> tuple[str, ...]:
        """The files that one of these patterns fits, as in `languages.fits`."""
        return tuple(path for path in self.files if languages.fits(path, patterns))

    def marked(self, names: Iterable[str]) -> list[str]:
        """The folders that have a file of one of these names, "." first."""
        folders = {folder for name in names for folder in self._folders.get(name, ())}
        # git may ignore a file at the project root that the tools read all the same
        if any(os.path.isfile(os.path.join(self.project, name)) for name in names):
            folders.add(".")
        return sorted(folder for folder in folders if folder.count("/") < _DEPTH or folder in self._above)

    def text(self, path: str) -> str | None:
        """The text of a file, at most 1 MB of it; None where it is not there, or cannot be read: no tool can either."""
        if path not in self._texts:
            try:
                with open(os.path.join(self.project, path), "rb") as stream:
                    self._texts[path] = stream.read(_MOST).decode("utf-8", "surrogateescape")
            except OSError:
                self._texts[path] = None
        return self._texts[path]

    def sections(self, path: str) -> dict[str, str] | None:
        """A TOML or INI file by section; None as in `text`."""
        if path not in self._sections:
            text = self.text(path)
            read = toml_sections.toml if path.endswith(".toml") else toml_sections.ini
            self._sections[path] = None if text is None else read(text)
        return self._sections[path]

    def depends(self, package: str, folder: str) -> bool:
        """Whether the folder's manifest names this package among what it, or its development, depends on."""
        words = rf"""(?im)(?:^|["',\[])[ \t]*{re.escape(package)}(?:\[[\w,\s-]*\])?[ \t]*(?:[<>=!~;"',\]@^(]|$)"""
        return any(
            re.search(words if not name.endswith(".json") else rf'"{re.escape(package)}"\s*:', text)
            for name in (*MANIFESTS, "package.json")
            if (text := self.text(name if folder == "." else f"{folder}/{name}")) is not None
        )

    def configured(self, own: Sequence[str], shared: Mapping[str, str]) -> list[str]:
        """The folders in which a tool is configured: by a file of its `own`, or by a section of a `shared` one.

        `shared`: file name to the expression that such a section's name matches.
        """
        return [folder for folder in self.marked((*own, *shared)) if self.configuration(folder, own, shared)]

    def configuration(self, folder: str, own: Sequence[str], shared: Mapping[str, str]) -> str:
        """The name of the folder's first file that configures the tool, "" where none does."""
        for name in (*own, *shared):
            path = name if folder == "." else f"{folder}/{name}"
            if name in own:
                if os.path.isfile(os.path.join(self.project, path)):
                    return name
            elif any(re.match(shared[name], section) for section in self.sections(path) or ()):
                return name
        return ""


def folder_of(path: str) -> str:
    """The folder of a relative path, "." for the project root."""
    return path.rpartition("/")[0] or "."


def around(folder: str) -> list[str]:
    """A folder and those above it, up to the project root."""
    found = [folder]
    while found[-1] != ".":
        found.append(folder_of(found[-1]))
    return found


def below_any(path: str, folders: Iterable[str]) -> bool:
    """Whether the path lies below one of the folders."""
    return any(folder == "." or path.startswith(folder + "/") for folder in folders)


def any_below(paths: Iterable[str], folder: str) -> bool:
    """Whether one of the paths lies below the folder."""
    return any(below_any(path, (folder,)) for path in paths)


def outermost(folders: Iterable[str]) -> list[str]:
    """The folders that lie in no other one of them; the project root aside."""
    found = [folder for folder in folders if folder != "."]
    return [folder for folder in found if not below_any(folder, found)]


def python_roots(layout: Layout) -> list[str]:
    """The roots of Python code; one is enough where the project's is Python's: tools find nested configurations."""
    files, marked = layout.ending(*PYTHON), layout.marked(PYTHON_MARKERS)
    nested = outermost(folder for folder in marked if any_below(files, folder))
    at_root = "." in marked or any(not below_any(path, nested) for path in files)
    return (["."] if at_root else nested) if files else []
