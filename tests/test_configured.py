"""What is configured is not chosen where the project says what it runs."""

from pathlib import Path

import pytest

from test_commit_hooks import planned
from test_green import CI, begun, outcomes, workflow
from untilgreen.checks.plan import scripts
from untilgreen.core.model.check import OwnCall
from world import World

APP = {"app.py": "VALUE = 1\n", "ruff.toml": ""}
EDITOR = '[tool.pyright]\ntypeCheckingMode = "off"\n'
STRICT = EDITOR.replace("off", "strict")


def test_a_tool_that_is_only_configured_stands_against_nothing_where_ci_names_the_checks(world: World) -> None:
    world.write({**APP, "pyproject.toml": STRICT, CI: workflow("ruff check")})
    world.commit()
    answer = world.run("start-loop", "mend it", "--session", world.session)
    assert "left out: pyright is not installed" in answer.stdout.splitlines()
    world.write({"app.py": "VALUE = 2\n"})
    assert world.stop().code == 0
    assert (world.state["completion_reason"], world.state["verified"]) == ("All conditions satisfied", True)
    world.write({CI: "on: push\n"})
    begun(world)
    assert world.stop().code == 0
    assert world.state["completion_reason"] == "Green, but pyright is not installed"


@pytest.mark.parametrize("tools", [("mypy",)])
def test_a_tool_that_is_only_configured_runs_where_it_is_at_hand(world: World) -> None:
    world.write({"app.py": "VALUE: int = ''\n", "mypy.ini": "[mypy]\n", CI: workflow("ruff check")})
    assert begun(world) == [f"ruff ({CI}: check)", "mypy"]
    assert world.stop().held
    assert outcomes(world) == {"ruff": "clean", "mypy": "found"}


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({"pyproject.toml": EDITOR}, ["ruff"]),
        ({"pyproject.toml": STRICT}, ["ruff", "pyright"]),
        ({"pyproject.toml": f"{EDITOR}[tool.basedpyright]\n"}, ["ruff", "basedpyright"]),
        ({"pyproject.toml": EDITOR.replace("pyright", "basedpyright")}, ["ruff"]),
        ({"pyrightconfig.json": '{"typeCheckingMode": "off"}'}, ["ruff"]),
        ({"pyrightconfig.json": '{"typeCheckingMode": "basic"}'}, ["ruff", "pyright"]),
        ({"pyproject.toml": EDITOR, "requirements-dev.txt": "pyright\n"}, ["ruff"]),
        ({"pyproject.toml": EDITOR, CI: workflow("pyright")}, ["ruff", f"pyright ({CI}: check)"]),
    ],
    ids=["off", "on", "another's off", "its own off", "off as JSON", "on as JSON", "off, depended on", "off, called"],
)  # fmt: skip
def test_what_is_switched_off_for_types_makes_no_check_of_its_own(
    tmp_path: Path, files: dict[str, str], expected: list[str]
) -> None:
    assert planned(tmp_path, APP | files, "ruff", "pyright", "basedpyright") == expected


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("py.test -x", ("pytest", "-x")),
        ("python -m pkg.tests", ("runner", "python", "-m", "pkg.tests")),
        ("coverage run -m pkg.tests", ("runner", "python", "-m", "pkg.tests")),
        ("./unit.test", ("unit.test",)),
        ("tests", ("tests",)),
        ("doctest README.md", ("doctest", "README.md")),
    ],
)
def test_a_program_is_no_module_of_its_name(tmp_path: Path, line: str, words: tuple[str, ...]) -> None:
    (tmp_path / ".github" / "workflows").mkdir(parents=True)
    (tmp_path / CI).write_text(workflow(line))
    found: tuple[OwnCall, ...] = scripts.read(str(tmp_path), ("README.md",))
    assert [one.words for one in found] == [words]
