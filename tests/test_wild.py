"""A few of the real projects of `make wild`: our verdict is that of their commands, and loops say what they must."""

import pytest

import wild
from node import HOME, REPOSITORY
from wild_projects import FIXES, PROJECTS

FOLDER = REPOSITORY / ".cache" / "wild"
FEW = {"cargo-new": ("cargo",), "create-vite": ("npm",)}


@pytest.fixture(autouse=True)
def home(monkeypatch: pytest.MonkeyPatch) -> None:
    """The developer's own: uv, npm and cargo keep what they fetched there."""
    monkeypatch.setenv("HOME", HOME)


@pytest.mark.parametrize("name", [pytest.param(name, marks=pytest.mark.needs(*tools)) for name, tools in FEW.items()])
def test_the_verdict_on_a_real_project_is_that_of_its_own_commands(name: str) -> None:
    [project] = [one for one in PROJECTS if one.name == name]
    _, differences = wild.told(project, FOLDER)
    assert differences == []


def test_the_tests_of_a_release_hold_in_the_code_before_and_its_code_ends_the_loop() -> None:
    assert list(wild.fixed(FIXES[0], FOLDER)) == []
