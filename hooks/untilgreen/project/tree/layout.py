"""Where in the project which kind of files lies: what every checker is asked to find its roots with."""

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

from untilgreen.core import languages
from untilgreen.project import files
from untilgreen.project.tree import toml_sections

_MOST = 1024 * 1024  # bytes of a configuration file
PYTHON = (".py", ".pyi")
PYTHON_MARKERS = ("pyproject.toml", "setup.py", "setup.cfg", "ruff.toml", ".ruff.toml", "requirements.txt", "tox.ini")
MANIFESTS = (
    *("pyproject.toml", "setup.cfg", "setup.py", "Pipfile", "requirements.txt", "requirements-dev.txt"),
    *("requirements_dev.txt", "dev-requirements.txt", "test-requirements.txt", "requirements-test.txt"),
    *("requirements/dev.txt", "requirements/test.txt", "requirements/tests.txt", "requirements/lint.txt"),
)
# levels below the project root where roots are looked for; the second where nothing at the root says what it is, or it
# is a workspace
_DEPTH, _DEEP = 2, 4
_WORKSPACES = ("pnpm-workspace.yaml", "lerna.json", "go.work")
_LISTING = {"package.json": '"workspaces"', "pyproject.toml": "[tool.uv.workspace", "Cargo.toml": "[workspace"}
_JAVASCRIPT = (".js", ".jsx", ".mjs", ".cjs", ".ts", ".tsx", ".mts", ".cts", ".vue", ".svelte", ".astro")
# the code that a marker is about, where its name says so
_PYTESTS = ("pytest.ini", ".pytest.ini", "pytest.toml", ".pytest.toml")
_ABOUT: dict[str, tuple[str, ...]] = dict.fromkeys((*PYTHON_MARKERS, *_PYTESTS, "mypy.ini", ".mypy.ini"), PYTHON)
_ABOUT |= dict.fromkeys(("package.json", "tsconfig.json", "jsconfig.json"), _JAVASCRIPT)
_ABOUT |= {"go.mod": (".go",), "Cargo.toml": (".rs",)}
PROJECT_FILES = (*_ABOUT, *MANIFESTS, "untilgreen.toml", "[Mm]akefile", "GNUmakefile", "justfile", "Taskfile.y*ml")
_VENDORED = frozenset(
    {"vendor", "vendored", "_vendor", "_vendored", "third_party", "third-party", "thirdparty", "3rdparty", "extern"}
    | {"node_modules", "bower_components", "site-packages"}
)
_TESTS = frozenset({"test", "tests", "__tests__", "spec", "specs", "testing"})
# what tests are fed with, wherever it lies; and below the tests
_DATA = frozenset({"testdata", "test_data", "test-data", "fixtures", "__fixtures__", "test-fixtures", "test_fixtures"})
_FED = frozenset(
    {"data", "fixture", "cases", "samples", "sample", "snapshots", "__snapshots__", "resources", "assets", "golden"}
    | {"goldens", "input", "inputs", "output", "outputs", "expected", "examples", "projects", "submodules"}
)
_SHOWN = frozenset({"docs", "doc", "documentation", "examples", "example"})
_MEASURED = frozenset({"bench", "benchmark", "benchmarks"})
# scripts that nobody imports, where they are no package
_SCRIPTS = _MEASURED | {
    *("ci", "demo", "demos", "dev", "downstream", "fuzz", "fuzzing", "perf", "performance", "release", "scripts"),
    "tools",
}
_NESTED = (f"**/{tests}/**/{fed}" for tests in ("test", "tests") for fed in sorted(_FED))
# all that is not the project's own code, as patterns
ASIDE = (*sorted(_VENDORED | _DATA | _SHOWN), *_NESTED)


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
        self._ending: dict[tuple[str, ...], tuple[str, ...]] = {}
        self._own: dict[tuple[str, ...], list[str]] = {}
        self._languages: set[tuple[str, ...]] | None = None
        for path in self.files:
            folder, _, name = path.rpartition("/")
            self._folders.setdefault(name, []).append(folder or ".")

    def has(self, sign: str) -> bool:
        """Whether there is a file of this name, or one with the suffix of `*.suffix`."""
        if sign.startswith("*"):
            return any(name.endswith(sign[1:]) for name in self._folders)
        return sign in self._folders or os.path.isfile(os.path.join(self.project, sign))

    def ending(self, *suffixes: str) -> tuple[str, ...]:
        if suffixes not in self._ending:  # one checker after the other asks
            self._ending[suffixes] = tuple(path for path in self.files if path.endswith(suffixes))
        return self._ending[suffixes]

    def matching(self, patterns: Sequence[str]) -> tuple[str, ...]:
        return tuple(path for path in self.files if languages.fits(path, patterns))

    def has_any(self, patterns: Sequence[str]) -> bool:
        return any(languages.fits(path, patterns) for path in self.files)

    def marked(self, names: Iterable[str]) -> list[str]:
        """The folders that have a file of one of these names, "." first."""
        folders = {one for name in names for one in self._folders.get(name, ()) if self._is_root(one, name)}
        # git may ignore a file at the project root that the tools read all the same
        if any(os.path.isfile(os.path.join(self.project, name)) for name in names):
            folders.add(".")
        depth = _DEEP if self._is_wide() else _DEPTH
        return sorted(folder for folder in folders if folder.count("/") < depth or folder in self._above)

    def own(self, suffixes: tuple[str, ...]) -> list[str]:
        """The files with one of these suffixes that are the project's code or its tests: nothing of others or that
        tests are fed with, and below the tests none of a language that the project is not written in."""
        if suffixes not in self._own:
            written = self._is_written_in(suffixes)
            self._own[suffixes] = [
                path
                for path in self.ending(*suffixes)
                if not aside(folder_of(path)) and (written or not is_tests(folder_of(path)))
            ]
        return self._own[suffixes]

    def _is_root(self, folder: str, name: str) -> bool:
        """Whether a marker makes this folder one; as in `own`. What lies beside the project is none by itself."""
        beside = not (_SHOWN | _MEASURED).isdisjoint(folder.split("/")) and folder not in self._above
        own = not aside(folder) and not beside
        return own and (not is_tests(folder) or self._is_written_in(_ABOUT.get(name, ())))

    def _is_written_in(self, suffixes: tuple[str, ...]) -> bool:
        """Whether code that is no test's has one of these suffixes, or there is none in any language."""
        if self._languages is None:
            outside = (path for path in self.files if is_own(folder_of(path)) and not is_tests(folder_of(path)))
            ends = {"".join(path.rpartition(".")[1:]) for path in outside}
            self._languages = {one for one in _ABOUT.values() if not ends.isdisjoint(one)}
        return not suffixes or suffixes in self._languages or not self._languages

    def _is_wide(self) -> bool:
        """Whether nothing at the root says what the project is, or it lists packages below it."""
        root = [name for name, folders in self._folders.items() if "." in folders]
        if any(name in _WORKSPACES or _LISTING.get(name, "\0") in (self.text(name) or "") for name in root):
            return True
        return not any(name in _ABOUT or name in MANIFESTS for name in root)

    def text(self, path: str) -> str | None:
        """The text of a file, at most 1 MB of it; None where it is not there, or cannot be read: no tool can either."""
        if path not in self._texts:
            try:
                with open(os.path.join(self.project, path), "rb", opener=files.followed) as stream:
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

    def scope(self, root: str, suffixes: tuple[str, ...]) -> list[str]:
        """What to name to a tool that has to be told where the project's own code is, relative to the root: "." where
        no other code lies below it, else the folders and files without the others."""
        inside = [path for path in self.ending(*suffixes) if below_any(path, (root,))]
        theirs = [path if root == "." else path.removeprefix(f"{root}/") for path in inside]
        # nobody imports what installs the project, or lies in a folder of scripts that is no package
        scripts = _SCRIPTS - {folder_of(path) for path in theirs if path.endswith("__init__.py")}
        others = [p for p in theirs if not is_own(folder_of(p)) or p == "setup.py" or p.split("/", 1)[0] in scripts]
        return _covering(".", theirs, others)

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


def _covering(folder: str, files: Sequence[str], others: Sequence[str]) -> list[str]:
    """The fewest folders and files that hold all of the files but the others."""
    files = [path for path in files if below_any(path, (folder,))]
    if not any_below(others, folder):
        return [folder] if files else []
    depth = 0 if folder == "." else folder.count("/") + 1
    below = dict.fromkeys("/".join(path.split("/")[: depth + 1]) for path in files)
    kept = (one for one in below if one not in others)
    return [found for one in kept for found in ([one] if one in files else _covering(one, files, others))]


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
    return any(folder == "." or path.startswith(folder + "/") for folder in folders)


def any_below(paths: Iterable[str], folder: str) -> bool:
    return any(below_any(path, (folder,)) for path in paths)


def outermost(folders: Iterable[str]) -> list[str]:
    """The folders that lie in no other one of them; the project root aside."""
    found = [folder for folder in folders if folder != "."]
    return [folder for folder in found if not below_any(folder, found)]


def outer(folders: Sequence[str]) -> list[str]:
    """The project root if it is one of the folders, else those that lie in no other one of them."""
    return ["."] if "." in folders else outermost(folders)


def python_roots(layout: Layout) -> list[str]:
    """The roots of Python code; one is enough where the project's is Python's: tools find nested configurations."""
    files, marked = layout.own(PYTHON), layout.marked(PYTHON_MARKERS)
    nested = outermost(folder for folder in marked if any_below(files, folder))
    at_root = "." in marked or any(not below_any(path, nested) for path in files)
    return (["."] if at_root else nested) if files else []


# --- folders by their names: code of others, what tests are fed with, examples, documentation and scripts


@lru_cache(maxsize=10_000)  # there are many files in a folder
def aside(folder: str) -> bool:
    """Whether a folder, relative to the project, holds code of others or what tests are fed with."""
    parts = folder.split("/")
    first = next((number for number, part in enumerate(parts) if part in _TESTS), len(parts))
    return any(part in _VENDORED or part in _DATA for part in parts) or any(part in _FED for part in parts[first:])


@lru_cache(maxsize=10_000)
def is_tests(folder: str) -> bool:
    """Whether it is, or lies below, a folder of tests."""
    return not _TESTS.isdisjoint(folder.split("/"))


@lru_cache(maxsize=10_000)
def is_own(folder: str) -> bool:
    """Whether it holds the project's own code, or its tests: not documentation or examples, nor what is aside."""
    return _SHOWN.isdisjoint(folder.split("/")) and not aside(folder)


def passed_over(folder: str) -> bool:
    """Whether the go command looks for no package there: what lies there are samples or others' code."""
    return any(part in ("vendor", "testdata", "node_modules") or re.match(r"[._].", part) for part in folder.split("/"))
