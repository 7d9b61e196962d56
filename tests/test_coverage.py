"""A threshold of coverage holds however the project measures: `coverage report` behind `coverage run` fails it too."""

import pytest

from test_green import CI, begun, workflow
from world import World

APP = "def half(yes):\n    if yes:\n        return 1\n    return 2\n"
TEST = "from app import half\n\n\ndef test_half():\n    assert half(True) == 1\n"
CASE = "import unittest\n\nfrom app import half\n\n\nclass TestHalf(unittest.TestCase):\n    def test_half(self):\n"
CASE += "        self.assertEqual(half(True), 1)\n"
INI = "[coverage:report]\nfail_under = 90\n"
TOX = (
    "[tox]\nenvlist = py3, report\n[testenv]\ncommands = coverage run --source=app -m pytest\n"
    "[testenv:report]\ncommands = coverage report --fail-under=90\n"
)
FAILS = {".coveragerc": "[report]\nfail_under = 90\n"}
TABLE = {"pyproject.toml": "[tool.coverage.report]\nfail_under = 90\n"}
MAKE = "test:\n\tcoverage run --source=app -m pytest\n\ncoverage: test\n\tcoverage report -m\n"
NOX = (
    "import nox\n\n\n@nox.session\ndef tests(session):\n"
    '    session.run("coverage", "run", "--source=app", "-m", "pytest")\n'
    '    session.run("coverage", "report", "--fail-under=90")\n'
)


AT_90 = " --fail-under=90"


def ci(*lines: str) -> dict[str, str]:
    return {CI: workflow(*lines)}


@pytest.mark.tools("coverage")
@pytest.mark.parametrize(
    ("files", "more", "source"),
    [
        (TABLE | ci("coverage run --source=app -m pytest && coverage xml", "coverage report"), "", f"{CI}: check"),
        (ci("python -m coverage run --source app -m pytest -q", f"coverage report{AT_90}"), AT_90, f"{CI}: check"),
        (
            {"setup.cfg": INI} | ci("coverage run -p --source=app -m pytest && coverage combine && coverage html"),
            *("", f"{CI}: check"),
        ),
        (ci("make coverage") | {"Makefile": MAKE, "tox.ini": INI}, "", "Makefile: test"),
        ({"tox.ini": TOX}, AT_90, "tox.ini: testenv"),
        ({"noxfile.py": NOX}, AT_90, "noxfile.py: tests"),
    ],
)
def test_what_coverage_report_asks_behind_the_tests_is_asked_of_them(
    world: World, files: dict[str, str], more: str, source: str
) -> None:
    world.write({"app.py": APP, "test_app.py": TEST, **files})
    assert begun(world) == ["ruff", f"pytest --coverage=run --source=app; report{more} ({source})"]


@pytest.mark.tools("coverage")
@pytest.mark.parametrize(
    ("before", "whole", "lines"),
    [
        (TEST, f"{TEST}    assert half(False) == 2\n", ["coverage run --source=app -m pytest; coverage report"]),
        (
            *(CASE, f"{CASE}        self.assertEqual(half(False), 2)\n"),
            ["coverage run --source=. -m unittest discover -v", "coverage report --include=app.py"],
        ),
    ],
    ids=["pytest", "unittest"],
)
def test_it_holds_until_the_tests_cover_enough(world: World, before: str, whole: str, lines: list[str]) -> None:
    world.write({".gitignore": "__pycache__\n", "app.py": APP, "test_app.py": before, **FAILS, **ci(*lines)})
    runner = begun(world)[1].partition(" ")[0]
    assert world.stop().stderr.splitlines()[:2] == [
        f"Not green yet: 1 left after round 1 of 10 · {runner} 1 failed of 1",
        f"{runner} coverage: total of 75 is less than fail-under=90: app.py 75%",
    ]
    world.write({"test_app.py": whole})
    assert world.stop().code == 0
    assert (world.state["verified"], [one.name for one in world.project.glob(".cov*")]) == (True, [*FAILS])


@pytest.mark.tools("coverage")
def test_failing_tests_are_named_as_ever_and_no_threshold_measures_nothing(world: World) -> None:
    files = {"app.py": APP, "test_app.py": TEST.replace("== 1", "== 3"), **FAILS}
    world.write(files | {CI: workflow("coverage run -m pytest -q && coverage report --include=app.py")})
    assert begun(world) == ["ruff", f"pytest --coverage=run; report --include=app.py ({CI}: check)"]
    # whether it failed at the start, too, is told where there was time to ask
    assert [line.partition(" (")[0] for line in world.stop().stderr.splitlines()[:2]] == [
        "Not green yet: 1 left after round 1 of 10 · pytest 1 failed of 1",
        "test_app.py:4 test_half: assert 1 == 3",
    ]
    world.write({".coveragerc": "[run]\n"})
    assert begun(world, "--replace") == ["ruff", f"pytest ({CI}: check)"]


@pytest.mark.parametrize(
    "steps",
    [
        ("coverage run -m pytest tests/a", "coverage run -a -m pytest tests/b", "coverage report"),
        ("coverage report", "coverage run -m pytest"),
        ("coverage run -m pytest", "coverage report --fail-under=${{ vars.LEAST }}"),
    ],
)
def test_what_several_runs_cover_together_is_asked_of_none_of_them(world: World, steps: tuple[str, ...]) -> None:
    world.write({"test_app.py": TEST, ".coveragerc": FAILS[".coveragerc"], CI: workflow(*steps)})
    assert not [one for one in begun(world) if "--coverage=" in one]


def test_a_missing_coverage_is_named(world: World) -> None:
    world.write(
        {"app.py": APP, "test_app.py": TEST, **FAILS, CI: workflow("coverage run -m pytest", "coverage report")}
    )
    begun(world)
    answer = world.stop()
    assert "coverage is not installed" in f"{answer.stdout}{answer.stderr}"
    assert world.state["snapshots"][-1]["outcomes"]["pytest"] == "broken"
