"""A real project of `make wild`, with --all a few: our verdict is that of their commands; loops say what they must."""

import pytest

import wild
from node import HOME, REPOSITORY
from wild_projects import FIXES, PROJECTS

FOLDER = REPOSITORY / ".cache" / "wild"
FEW = {"cargo-new": [pytest.mark.needs("cargo")], "create-vite": [pytest.mark.needs("npm"), pytest.mark.wide]}


@pytest.fixture(autouse=True)
def home(monkeypatch: pytest.MonkeyPatch) -> None:
    """The developer's own: uv, npm and cargo keep what they fetched there."""
    monkeypatch.setenv("HOME", HOME)


@pytest.mark.parametrize("name", [pytest.param(name, marks=marks) for name, marks in FEW.items()])
def test_the_verdict_on_a_real_project_is_that_of_its_own_commands(name: str) -> None:
    [project] = [one for one in PROJECTS if one.name == name]
    _, differences = wild.told(project, FOLDER)
    assert differences == []


@pytest.mark.wide
def test_the_tests_of_a_release_hold_in_the_code_before_and_its_code_ends_the_loop() -> None:
    assert list(wild.fixed(FIXES[0], FOLDER)) == []
