"""Newer Pythons than the one that runs the tests: the core's tests pass there, and a hook holds and lets go."""

import importlib.util
import json
import subprocess
from pathlib import Path

import pytest

import pythons
import untilgreen
from untilgreen.cli.installing import command_forms
from world import REPOSITORY, World

VERSIONS = [
    pytest.param("3.12", marks=[pytest.mark.needs("python3.12"), pytest.mark.wide]),
    pytest.param("3.13", marks=pytest.mark.needs("python3.13")),
]
# what the core's tests import beside the package: none of it is compiled for a version
PURE = ("pytest", "_pytest", "py", "pluggy", "iniconfig", "packaging", "pygments")
TESTS = ("policy", "progress", "markers", "roots", "tools", "trust")
PACKAGE = Path(untilgreen.__file__).parent


@pytest.mark.parametrize("version", VERSIONS)
def test_the_tests_of_the_core_pass(tmp_path: Path, version: str) -> None:
    packages = tmp_path / "packages"
    packages.mkdir()
    (packages / "untilgreen").symlink_to(PACKAGE)
    for name in PURE:
        spec = importlib.util.find_spec(name)
        assert spec is not None, name
        assert spec.origin is not None, name
        place = Path(spec.origin).parent if spec.submodule_search_locations else Path(spec.origin)
        (packages / place.name).symlink_to(place)
    tests = [str(REPOSITORY / "tests" / f"test_{name}.py") for name in TESTS]
    quiet = ("-q", "--noconftest", "-p", "no:cacheprovider", "-k", "not megabyte")  # no other time there
    done = subprocess.run(
        [pythons.found(version), "-B", "-m", "pytest", *quiet, *tests],
        cwd=tmp_path,
        env={"PYTHONPATH": str(packages), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "LC_ALL": "C.UTF-8"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    assert " failed" not in done.stdout


@pytest.mark.parametrize("version", VERSIONS)
def test_a_hook_holds_and_lets_go(red: World, version: str) -> None:
    red.start("mend it")
    args = ["-I", "-c", command_forms.code("stop-loop", str(PACKAGE.parent)), "--host", "claude-code"]
    stop = (pythons.found(version), "-B", *args)
    held = red.process(*stop, stdin=json.dumps(red.payload()))
    assert held.code == 2
    assert "  app.py:1: F401 `os` imported but unused\n" in held.stderr
    red.write({"app.py": "VALUE = 1\n"})
    released = red.process(*stop, stdin=json.dumps(red.payload()))
    assert (released.code, released.stderr) == (0, "")
    assert released.notice.startswith("Ralph Loop: COMPLETE - All conditions satisfied | ")
