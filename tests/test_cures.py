"""By which command one gets what a project lacks: its own manager's, and that which fits what its manifest lists."""

import subprocess
import sys
from pathlib import Path

import pytest

import tables
from untilgreen.project import cures

MYPY, ESLINT = (".", "pypi:mypy"), ("web", "npm:eslint")


@pytest.mark.parametrize(("files", "wanted", "cure"), tables.rows("cures", "files", "wanted", "cure"))
def test_a_tool_is_got_as_the_project_gets_its_own(
    tmp_path: Path, files: dict[str, str], wanted: list[tuple[str, str]], cure: str
) -> None:
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    assert cures.installing(str(tmp_path), wanted) == cure


def test_an_environment_that_was_not_made_goes_first(tmp_path: Path) -> None:
    (tmp_path / "uv.lock").touch()
    assert cures.installing(str(tmp_path), [MYPY], first=True) == "uv sync"
    (tmp_path / ".venv").mkdir()
    assert cures.installing(str(tmp_path), [MYPY], first=True) == "uv add --dev mypy"


def test_the_pip_that_a_python_brings_along_gets_what_a_group_lists(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text('[dependency-groups]\ndev = ["ruff"]\n')
    subprocess.run([sys.executable, "-m", "venv", tmp_path / ".venv"], check=True)
    cure = cures.installing(str(tmp_path), [(".", "pypi:ruff")])
    subprocess.run(["sh", "-c", cure], cwd=tmp_path, check=True, capture_output=True)
    assert (tmp_path / ".venv" / "bin" / "ruff").exists()
