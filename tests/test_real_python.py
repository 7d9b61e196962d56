"""pyright, basedpyright, ty, bandit and unittest themselves, through the installed executables."""

import os
import shutil
from typing import Any

import pytest

from node import installed
from world import World, listed

pytestmark = pytest.mark.tools("all")

PYRIGHT = "pyright@1.1.414"
IGNORED = {".gitignore": "node_modules\n__pycache__/\n.ruff_cache/\n"}
CONFIGURED = {
    "pyright": {"pyrightconfig.json": "{}\n"},
    "basedpyright": {"pyproject.toml": '[tool.basedpyright]\ntypeCheckingMode = "standard"\n'},
    "ty": {"ty.toml": "[rules]\n"},
    "bandit": {"pyproject.toml": '[tool.bandit]\nexclude_dirs = ["tests"]\n'},
}
SPOILED = {
    "pyright": {"pyrightconfig.json": "{\n  x\n"},
    "basedpyright": {"pyproject.toml": "[tool.basedpyright]\nx = [\n"},
    "ty": {"ty.toml": "[rules\n"},
    "bandit": {"pyproject.toml": "[tool.bandit]\nx = [\n"},
}
WHY = {
    "pyright": 'exit code 3: Config file "',
    "basedpyright": "it did not read its configuration: Config file ",
    "ty": "exit code 2: Cause: ",
    "bandit": "exit code 2: ERROR\t",
}
RED = 'def double(number: int) -> int:\n    return number * 2\n\n\nCOUNT: int = double("one")\n'
GREEN = RED.replace('"one"', "1")
# basedpyright says of most things what pyright does: where both would show the same, it alone is asked
TYPES = [pytest.param("pyright", marks=[pytest.mark.needs("npm"), pytest.mark.wide]), "basedpyright", "ty"]
# what it says where it looked at nothing, and of a broken configuration, is recorded: tests/outputs/basedpyright
RECORDED = [TYPES[0], pytest.param("basedpyright", marks=pytest.mark.wide), "ty"]


def begin(world: World, tool: str, files: dict[str, str], *options: str) -> None:
    """A loop in a project that configures this tool."""
    if tool == "pyright":
        (world.project / "node_modules").symlink_to(installed(PYRIGHT) / "node_modules")
        world.env["PATH"] += os.pathsep + os.path.dirname(shutil.which("node") or "")
    world.write({**IGNORED, **CONFIGURED.get(tool, {}), **files})
    world.commit()
    world.start("mend it", *options)


def newest(world: World) -> dict[str, Any]:
    snapshot: dict[str, Any] = world.state["snapshots"][-1]
    return snapshot


def let_go(world: World) -> None:
    """The agent stops, and it is green without a doubt."""
    answer = world.stop()
    assert (answer.code, answer.stderr) == (0, ""), answer
    assert (world.state["stop_reason"], world.state["verified"]) == ("complete", True), answer


# --- type checkers --------------------------------------------------------------


@pytest.mark.parametrize("tool", [TYPES[0], "ty"])
def test_a_type_error_holds_with_its_line_until_it_is_mended(world: World, tool: str) -> None:
    begin(world, tool, {"app.py": RED})
    (line,) = listed(world.stop())
    rule = {"ty": "invalid-argument-type"}.get(tool, "reportArgumentType")
    assert line.startswith(f"app.py:5: {rule} Argument ")
    assert newest(world)["error_count"] == 1
    world.write({"app.py": GREEN})
    let_go(world)


@pytest.mark.parametrize("tool", TYPES[1:])
def test_type_check_asked_by_name_is_met_by_the_type_checker_of_the_project(world: World, tool: str) -> None:
    begin(world, tool, {"app.py": RED}, "--criteria", "type_check")
    assert world.stop().held
    assert set(newest(world)["outcomes"]) == {"ruff", tool}
    world.write({"app.py": GREEN})
    let_go(world)


@pytest.mark.parametrize("tool", [*RECORDED, "bandit"])
def test_a_configuration_that_cannot_be_read_is_broken_not_green(world: World, tool: str) -> None:
    begin(world, tool, {"app.py": GREEN})
    world.write(SPOILED[tool])
    assert f"check {tool}: {WHY[tool]}" in world.stop().stderr
    assert newest(world)["outcomes"][tool] == "broken"


@pytest.mark.parametrize("tool", RECORDED[1:])
def test_a_project_whose_python_is_gone_is_broken_not_green(world: World, tool: str) -> None:
    begin(world, tool, {"app.py": GREEN})
    (world.project / "app.py").unlink()
    assert "nothing was looked at" in world.stop().stderr
    assert newest(world)["outcomes"][tool] == "broken"


@pytest.mark.parametrize("tool", [TYPES[0], "ty"])
def test_imports_that_nobody_can_resolve_do_not_hold(world: World, tool: str) -> None:
    begin(world, tool, {"app.py": GREEN})
    world.write({"app.py": "import no_such_package\n\nprint(no_such_package)\n"})
    let_go(world)
    assert (newest(world)["error_count"], newest(world)["warning_count"]) == (0, 1)


@pytest.mark.wide
@pytest.mark.parametrize("tool", TYPES[1:])
def test_a_syntax_error_is_never_progress_of_a_type_checker(world: World, tool: str) -> None:
    begin(world, tool, {"app.py": RED + 'OTHER: int = "two"\n'})
    assert world.stop().held
    world.write({"app.py": "def (\n"})
    assert world.stop().held
    assert newest(world)["scores"]["static"] is None


# --- bandit ---------------------------------------------------------------------

SHELL = "import subprocess\n\nsubprocess.call('ls', shell=True)\n"


def test_a_finding_of_bandit_holds_a_loop_that_asks_for_none(world: World) -> None:
    begin(world, "bandit", {"app.py": SHELL, "tests/test_app.py": "assert True\n"}, "--zero-security")
    assert any(line.startswith("app.py:3: B602 subprocess call with shell=True") for line in listed(world.stop()))
    world.write({"app.py": "print('ls')\n", "tests/test_app.py": ""})
    let_go(world)


def test_a_file_that_bandit_cannot_parse_is_told(world: World) -> None:
    # ruff knows of the same file that it cannot be parsed, and each mistake is told once
    begin(world, "bandit", {"app.py": "print('ls')\n", "untilgreen.toml": "[checks.ruff]\nenabled = false\n"})
    world.write({"app.py": "def (\n"})
    assert any(line.startswith("app.py: syntax ") for line in listed(world.stop()))


# --- unittest -------------------------------------------------------------------

HEAD = "import unittest\n\nfrom app import double\n\n\nclass TestDouble(unittest.TestCase):\n"
TEST = HEAD + "    def test_one(self):\n        self.assertEqual(double(1), 2)\n"
WRONG = "def double(number):\n    return number\n"
RIGHT = "def double(number):\n    return number * 2\n"


def test_a_failing_test_of_unittest_holds_with_its_line_until_it_is_mended(world: World) -> None:
    begin(world, "unittest", {"app.py": WRONG, "tests/test_app.py": TEST}, "--tests-pass")
    assert listed(world.stop()) == ["tests/test_app.py:8: TestDouble::test_one AssertionError: 1 != 2"]
    assert (newest(world)["tests_run"], newest(world)["tests_failed"]) == (1, 1)
    world.write({"app.py": RIGHT})
    let_go(world)
    assert (newest(world)["tests_run"], newest(world)["outcomes"]) == (1, {"ruff": "clean", "unittest": "clean"})


@pytest.mark.parametrize(
    ("test", "told_of_it"),
    [
        (
            TEST.replace("self.assertEqual(double(1), 2)", "__import__('os')._exit(0)"),
            "exit code 0, but the tests did not end",
        ),
        (TEST.replace("class", "@unittest.skip('later')\nclass"), "no test ran: 1 skipped"),
        ("", "no tests were found"),
    ],
)
def test_tests_that_did_not_run_are_broken_not_green(world: World, test: str, told_of_it: str) -> None:
    begin(world, "unittest", {"app.py": RIGHT, "tests/test_app.py": TEST}, "--tests-pass")
    world.write({"tests/test_app.py": test})
    assert f"check unittest: {told_of_it}" in world.stop().stderr
    assert newest(world)["tests_passed"] is False


def test_a_test_file_that_cannot_be_imported_hides_its_tests(world: World) -> None:
    begin(world, "unittest", {"app.py": RIGHT, "tests/test_app.py": TEST}, "--tests-pass")
    world.write({"app.py": "import nowhere\n" + RIGHT})
    held = listed(world.stop())
    assert "tests/test_app.py:3: collection ModuleNotFoundError: No module named 'nowhere'" in held
    assert newest(world)["scores"]["tests"] is None


def test_where_pytest_is_the_way_unittest_does_not_run(world: World) -> None:
    begin(world, "unittest", {"app.py": WRONG, "tests/test_app.py": TEST, "conftest.py": ""}, "--tests-pass")
    assert listed(world.stop()) == ["tests/test_app.py:7: TestDouble::test_one AssertionError: 1 != 2"]
    world.write({"app.py": RIGHT})
    let_go(world)
    assert newest(world)["outcomes"] == {"ruff": "clean", "pytest": "clean"}


def test_each_part_of_a_repository_has_its_own_tests(world: World) -> None:
    part = {"setup.py": "", "app.py": WRONG, "tests/__init__.py": "", "tests/test_app.py": TEST}
    begin(world, "unittest", {f"{name}/{file}": text for name in "bc" for file, text in part.items()}, "--tests-pass")
    assert listed(world.stop()) == [
        f"{name}/tests/test_app.py:8: TestDouble::test_one AssertionError: 1 != 2" for name in "bc"
    ]
