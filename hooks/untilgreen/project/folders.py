"""Folders by their names: which hold code of others, what tests are fed with, examples, documentation and scripts."""

from collections.abc import Container

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


def aside(folder: str) -> bool:
    """Whether a folder, relative to the project, holds code of others or what tests are fed with."""
    parts = folder.split("/")
    first = next((number for number, part in enumerate(parts) if part in _TESTS), len(parts))
    return any(part in _VENDORED or part in _DATA for part in parts) or any(part in _FED for part in parts[first:])


def is_tests(folder: str) -> bool:
    """Whether it is, or lies below, a folder of tests."""
    return not _TESTS.isdisjoint(folder.split("/"))


def is_script(path: str, packages: Container[str]) -> bool:
    """Whether a Python file is imported by nobody: it installs the project, or lies in a folder of scripts. `packages`:
    the folders that are packages."""
    first = path.split("/", 1)[0]
    return path == "setup.py" or (first in _SCRIPTS and first not in packages)


def is_beside(folder: str) -> bool:
    """Whether it holds documentation, examples or measurements: beside the project, not of it."""
    return not (_SHOWN | _MEASURED).isdisjoint(folder.split("/"))


def is_own(folder: str) -> bool:
    """Whether it holds the project's own code, or its tests: not documentation or examples, nor what is aside."""
    return _SHOWN.isdisjoint(folder.split("/")) and not aside(folder)
