"""Examples in documentation are tests: told by name, line and example, and run again first while they fail."""

import pytest

import tables
from test_green import CI, begun, left, workflow
from untilgreen.checkers.answer import Malformed
from untilgreen.checkers.formats import runners
from world import World

CALC = tables.text("doctests", "calc")
GUIDE = "# Guide\n\n>>> from pkg.calc import double\n>>> double(5)\n{}\n"
CONFIG = '[tool.pytest.ini_options]\npythonpath = ["src"]\naddopts = "--doctest-modules --doctest-glob=*.md"\n'


def test_pytests_are_told_by_name_and_line_and_run_first_while_they_fail(world: World) -> None:
    world.write({"src/pkg/__init__.py": "", "src/pkg/calc.py": CALC.format(5, 9), "GUIDE.md": GUIDE.format(9)})
    world.write({"pyproject.toml": CONFIG})
    assert begun(world) == ["ruff", "pytest"]
    assert world.stop().held
    told = [
        "GUIDE.md:4: GUIDE.md double(5): expected 9, got 10",
        "src/pkg/calc.py:3: pkg.calc double(2): expected 5, got 4",
        "src/pkg/calc.py:13: pkg.calc.double double(4): expected 9, got 8",
        "src/pkg/calc.py:21: pkg.calc.absent nothing(): NameError(\"name 'nothing' is not defined\")",
    ]
    red = [f"{one} (failed at the start, too)" for one in told]
    assert sorted(left(world)) == sorted(red)
    calc = CALC.replace(">>> nothing()", ">>> None")
    world.write({"src/pkg/calc.py": calc.format(4, 9), "GUIDE.md": GUIDE.format(10)})
    assert world.stop().held
    assert (left(world), world.state["snapshots"][-1]["not_run"]) == ([red[2]], {"pytest": 1})
    world.write({"src/pkg/calc.py": calc.format(4, 8)})
    assert world.stop().code == 0


def test_those_that_doctest_runs_by_itself_are_told_so_too(world: World) -> None:
    world.write(
        {
            "calc.py": CALC.format(5, 9).replace(">>> nothing()", ">>> half(4)"),
            CI: workflow("python -m doctest calc.py"),
        }
    )
    assert begun(world) == ["ruff", f"python -m doctest calc.py ({CI}: check)"]
    assert world.stop().held
    assert left(world) == [
        "calc.py:3: calc double(2): expected 5, got 4",
        "calc.py:21: calc.absent half(4): expected nothing, got 2.0",
        "calc.py:13: calc.double double(4): expected 9, got 8",
    ]
    world.write({"calc.py": CALC.format(4, 8).replace(">>> nothing()", ">>> None")})
    assert world.stop().code == 0
    assert world.state["verified"]


LINES = "*" * 70
TOLD = f"""{LINES}
File "/p/a.py", line 3, in a
Failed example:
    for x in (1, 2):
        print(x)
Expected:
    1
    3
Got:
    1
    2
{LINES}
File "/p/a.py", line 9, in a.b
Failed example:
    c()
Exception raised:
    Traceback (most recent call last):
      File "<doctest a.b[0]>", line 1, in <module>
        c()
    KeyError
{LINES}
2 items had failures:
   1 of   1 in a
   1 of   1 in a.b
"""


def test_several_lines_are_told_as_one_and_what_does_not_add_up_is_not_believed() -> None:
    found = runners.doctests(f"{TOLD}***Test Failed*** 2 failures.\n")
    assert [(one.file, one.line, one.rule, one.message) for one in found] == [
        ("/p/a.py", 3, "a", "for x in (1, 2):: expected 1; 3, got 1; 2"),
        ("/p/a.py", 9, "a.b", "c(): KeyError"),
    ]
    for count in ("***Test Failed*** 3 failures.\n", ""):
        with pytest.raises(Malformed, match="counted, 2 read"):
            runners.doctests(TOLD + count)
