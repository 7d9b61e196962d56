"""Which checks a project has, and where: each root of each checker, with the tool that will run there."""

import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence

from untilgreen import sections
from untilgreen.core.model import Check, Criteria
from untilgreen.tools import Tool

_PYTHON = frozenset(
    {"pyproject.toml", "setup.py", "setup.cfg", "ruff.toml", ".ruff.toml", "requirements.txt", "tox.ini"}
)
# in the order in which the tools look: the first file that counts is the one that they read
_MYPY = ("mypy.ini", ".mypy.ini", "pyproject.toml", "setup.cfg")
_PYTEST = ("pytest.toml", ".pytest.toml", "pytest.ini", ".pytest.ini", "pyproject.toml", "tox.ini", "setup.cfg")
# files that are the tool's own by their name; the others must have a section for it
_OWN = frozenset({"mypy.ini", ".mypy.ini", "pytest.toml", ".pytest.toml", "pytest.ini", ".pytest.ini"})
# plain texts: `re` compiles what is needed when it is needed
_SECTION = {
    ("mypy", "pyproject.toml"): r"tool\.mypy(\.|$)",
    ("mypy", "setup.cfg"): r"mypy$",
    ("pytest", "pyproject.toml"): r"tool\.pytest(\.|$)",
    ("pytest", "tox.ini"): r"pytest$",
    ("pytest", "setup.cfg"): r"tool:pytest$",
}
_NAMES_FILES = r"(?mi)^(?:files|packages|modules)\s*[=:]"
_MOST = 1024 * 1024  # bytes of a configuration file
_DEPTH = 2  # levels below the project root where roots are looked for

_STAGES = {"ruff": "static", "mypy": "static", "pytest": "tests"}
_NOT_TRUSTED = "not trusted, {} did not run (`untilgreen trust`)"


def plan(
    project: str,
    files: Sequence[str],
    criteria: Criteria,
    find: Callable[[str, str], Tool | None],
    *,
    near: Iterable[str] = (),
    trusted: bool = True,
    places: Mapping[str, str] = {},
) -> tuple[Check, ...]:
    """The checks that apply, ruff before mypy before pytest, the project root before others.

    `files` and `near` (changed and target files, above which roots may lie deeper than two levels) are posix
    paths relative to the project. `find(tool, root)` gets the root as an absolute path. A check whose tool is
    not there has `absent`. `interpreter` is set whenever imports can be resolved, also for a tool that lives
    in the project's environment. Not trusted, only ruff runs: the others execute what they find. `places`: the
    one root that the user gave to a checker.
    """
    layout = _Layout(project, files, near)
    wanted = [("ruff", root) for root in layout.lint()]
    wanted += [("mypy", root) for root in layout.types(criteria.type_check)]
    if criteria.tests_pass or criteria.preserve:
        wanted += [("pytest", root) for root in layout.tests(criteria.tests_pass)]
    placed = dict.fromkeys((checker, places.get(checker, root)) for checker, root in wanted)
    return tuple(_check(checker, root, project, find, trusted) for checker, root in placed)


def mypy_names_files(project: str, root: str) -> bool:
    """Does mypy's own configuration say what to look at? `root` is relative to the project."""
    for name in _MYPY:
        found = _sections(os.path.join(project, root, name))
        if found is not None and _counts("mypy", name, found):
            return any(re.search(_NAMES_FILES, found.get(section, "")) for section in ("mypy", "tool.mypy"))
    return False


def _check(checker: str, root: str, project: str, find: Callable[[str, str], Tool | None], trusted: bool) -> Check:
    name = checker if root == "." else f"{checker}@{root}"
    stage = _STAGES[checker]
    if checker != "ruff" and not trusted:
        return Check(name, checker, root, stage, "", absent=_NOT_TRUSTED.format(checker))
    tool = find(checker, os.path.normpath(os.path.join(project, root)))
    if tool is None:
        return Check(name, checker, root, stage, "", absent=f"{checker} is not installed")
    return Check(name, checker, root, stage, tool.path, tool.interpreter if checker == "mypy" else "")


class _Layout:
    """Where in the project which kind of files lies."""

    def __init__(self, project: str, files: Sequence[str], near: Iterable[str]) -> None:
        self.project = project
        self.above = {folder for path in near for folder in _above(path)}
        # git may ignore a file at the project root that the tools read all the same
        at_root = {name for name in _PYTHON.union(_MYPY, _PYTEST) if os.path.isfile(os.path.join(project, name))}
        self.files = tuple(sorted({*files, *at_root}))
        self.python = tuple(path for path in self.files if path.endswith((".py", ".pyi")))
        self.test_files = tuple(path for path in self.python if _is_test(path))

    def lint(self) -> list[str]:
        """One root is enough where the project's is Python's: ruff finds nested configurations by itself."""
        nested = _outermost(folder for folder in self._marked(_PYTHON) if _any_below(self.python, folder))
        at_root = "." in self._marked(_PYTHON) or any(not _below_any(path, nested) for path in self.python)
        return (["."] if at_root else nested) if self.python else []

    def types(self, asked: bool) -> list[str]:
        configured = [root for root in self._configured("mypy", _MYPY) if _any_below(self.python, root)]
        return configured or (self.lint() if asked else [])

    def tests(self, asked: bool) -> list[str]:
        """Asked for by name, tests run at the project root even where nothing says that there are any."""
        configured = self._configured("pytest", _PYTEST)
        homes = [root for root in configured if root != "."]
        if "." not in self._marked(_PYTHON) and "." not in configured:
            # nobody runs the tests of such a repository from its top: each part has an environment of its own
            marked = _outermost(folder for folder in self._marked(_PYTHON) if _any_below(self.test_files, folder))
            apart = [folder for folder in marked if not _any_below(homes, folder) and not _below_any(folder, homes)]
            homes = sorted({*homes, *apart})
        at_root = (
            "." in configured or (asked and not homes) or any(not _below_any(path, homes) for path in self.test_files)
        )
        return ["."] * at_root + homes

    def _marked(self, names: Iterable[str]) -> list[str]:
        """The folders that have a file of one of these names, "." first."""
        wanted = frozenset(names)
        folders = {_folder(path) for path in self.files if path.rpartition("/")[2] in wanted}
        return sorted(folder for folder in folders if folder.count("/") < _DEPTH or folder in self.above)

    def _configured(self, checker: str, names: Sequence[str]) -> list[str]:
        return [
            folder
            for folder in self._marked(names)
            if any(
                _counts(checker, name, found)
                for name in names
                if (found := _sections(os.path.join(self.project, folder, name))) is not None
            )
        ]


def _counts(checker: str, name: str, found: dict[str, str]) -> bool:
    """Does the tool take this file for its configuration?"""
    return name in _OWN or any(re.match(_SECTION[checker, name], section) for section in found)


def _sections(path: str) -> dict[str, str] | None:
    """None where there is no such file, or it cannot be read: the tool cannot either."""
    try:
        with open(path, "rb") as stream:
            text = stream.read(_MOST).decode("utf-8", "surrogateescape")
    except OSError:
        return None
    return sections.toml(text) if path.endswith(".toml") else sections.ini(text)


def _is_test(path: str) -> bool:
    name = path.rpartition("/")[2]
    return name.endswith(".py") and (name.startswith("test_") or name.endswith("_test.py"))


def _folder(path: str) -> str:
    return path.rpartition("/")[0] or "."


def _above(path: str) -> list[str]:
    parts = path.split("/")[:-1]
    return ["/".join(parts[:end]) for end in range(1, len(parts) + 1)]


def _below_any(path: str, folders: Iterable[str]) -> bool:
    return any(folder == "." or path.startswith(folder + "/") for folder in folders)


def _any_below(paths: Iterable[str], folder: str) -> bool:
    return any(_below_any(path, (folder,)) for path in paths)


def _outermost(folders: Iterable[str]) -> list[str]:
    found = [folder for folder in folders if folder != "."]
    return [folder for folder in found if not _below_any(folder, found)]
