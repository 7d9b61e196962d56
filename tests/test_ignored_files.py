"""What git ignores is not the project's: whatever tool walks there, its findings are none."""

import pytest

from test_green import CI, begun, left, outcomes, workflow
from world import World

WRONG = "import os\nVALUE: int = ''\n"
# an environment, and what a build left: git ignores both
BESIDE = (".env-3.11/lib/tool.py", "build/lib/pkg/__init__.py", "build/lib/pkg/app.py")
RIGHT = {"pkg/__init__.py": '"""One."""\n', "pkg/app.py": '"""One."""\n\nVALUE: int = 1\n'}


@pytest.mark.parametrize(
    ("call", "code", "rule"),
    [
        ("flake8 .", "flake8", "F401"),
        ("mypy .", "mypy", "assignment"),
        ("pylint --recursive=y .", "pylint", "unused-import"),
        ("bandit -q -r .", "bandit", "B101"),
        ("isort --check .", "isort", "format"),
    ],
)
@pytest.mark.parametrize("tools", [("flake8", "mypy", "pylint", "bandit", "isort")])
def test_findings_in_files_that_git_ignores_are_none(world: World, call: str, code: str, rule: str) -> None:
    wrong = WRONG + "assert VALUE\nimport ast\n"
    world.write(dict.fromkeys(BESIDE, wrong) | RIGHT | {CI: workflow(call), ".gitignore": ".env-*\nbuild/\n"})
    world.commit()
    begun(world)
    world.write({"pkg/app.py": f'"""One."""\n\n{wrong}'})
    assert world.stop().held
    assert {item.partition(":")[0] for item in left(world)} == {"pkg/app.py"}
    assert any(rule in item or rule == "format" for item in left(world))
    world.write(RIGHT)
    assert world.stop().code == 0
    assert outcomes(world)[code] == "clean"


def test_a_linter_that_goes_by_its_lines_is_clean_where_each_names_an_ignored_file(world: World) -> None:
    program = world.programs / "codespell"
    program.write_text("#!/bin/sh\ncat said\nexit 65\n")
    program.chmod(0o755)
    world.write({CI: workflow("codespell"), "said": "./build/a.py:1: teh ==> the\n", ".gitignore": "build\nsaid\n"})
    world.write({"build/a.py": "", "other.txt": ""})
    world.commit()
    assert begun(world) == [f"codespell ({CI}: check)"]
    assert world.stop().code == 0
    world.write({"said": "./build/a.py:1: teh ==> the\ncannot read b.py\n", "other.txt": "x"})
    begun(world)
    assert world.stop().held
    world.write({"said": "./build/a.py:1: teh ==> the\n./work.txt:1: teh ==> the\n"})
    assert world.stop().held
    assert left(world) == ["work.txt:1: error teh ==> the"]


FAILS = "def test_one() -> None:\n    assert False\n"


@pytest.mark.parametrize(("call", "held"), [("pytest", False), ("pytest . made/tests", True)])
def test_tests_that_git_ignores_are_none_unless_the_call_names_them(world: World, call: str, held: bool) -> None:
    world.write({"test_app.py": FAILS.replace("False", "True"), "made/tests/test_made.py": FAILS})
    world.write({CI: workflow(call), ".gitignore": "made/\n"})
    world.commit()
    begun(world)
    assert world.stop().held is held
    assert outcomes(world)["pytest"] == ("found" if held else "clean")
    world.write({"test_app.py": FAILS})
    begun(world, *(["--replace"] if held else []))
    assert world.stop().held
    assert len(left(world)) == (2 if held else 1)
