"""By which command one gets what a project lacks: its own manager's, and that which fits what its manifest lists."""

from pathlib import Path

import pytest

from untilgreen.project import cures

MYPY, ESLINT = (".", "pypi:mypy"), ("web", "npm:eslint")
DEV = '[dependency-groups]\ndev = ["mypy>=1"]\n'
LINT = '[dependency-groups]\nlint = ["mypy"]\n'
EXTRA = '[project.optional-dependencies]\ntypes = ["mypy[faster-cache]"]\n'
LISTED = '{"devDependencies": {"eslint": "^9"}}'
LOCK = "web/package-lock.json"


@pytest.mark.parametrize(
    ("files", "wanted", "cure"),
    [
        ({"uv.lock": "", "pyproject.toml": DEV}, [MYPY], "uv sync"),
        ({"uv.lock": "", "pyproject.toml": LINT}, [MYPY], "uv sync --group lint"),
        ({"uv.lock": "", "pyproject.toml": EXTRA}, [MYPY], "uv sync --extra types"),
        ({"uv.lock": ""}, [MYPY, (".", "pypi:ruff")], "uv add --dev mypy ruff"),
        ({"pyproject.toml": "[tool.uv]\n"}, [MYPY], "uv add --dev mypy"),
        ({"pyproject.toml": "[tool.poetry]\nname = 'a'\n"}, [MYPY], "poetry add --group dev mypy"),
        (
            {"poetry.lock": "", "pyproject.toml": '[tool.poetry.group.dev.dependencies]\nmypy = "^1"\n'},
            [MYPY],
            "poetry install",
        ),
        ({"pdm.lock": ""}, [MYPY], "pdm add -dG dev mypy"),
        ({"Pipfile": ""}, [MYPY], "pipenv install --dev mypy"),
        ({"requirements-dev.txt": "ruff\nmypy==1.1 # types\n"}, [MYPY], "pip install -r requirements-dev.txt"),
        ({"requirements-dev.txt": "mypy-extensions\n"}, [MYPY], "pip install mypy"),
        ({"pyproject.toml": DEV, ".venv/bin/python": ""}, [MYPY], ".venv/bin/python -m pip install --group dev"),
        ({LOCK: "", "web/package.json": LISTED}, [ESLINT], "cd web && npm ci"),
        ({LOCK: "", "web/package.json": "{}"}, [ESLINT], "cd web && npm install --save-dev eslint"),
        ({"web/package.json": LISTED}, [ESLINT], "cd web && npm install"),
        ({"pnpm-lock.yaml": "", "web/package.json": LISTED}, [ESLINT], "pnpm install"),
        ({"yarn.lock": "", "web/package.json": "{}"}, [ESLINT], "cd web && yarn add --dev eslint"),
        ({"bun.lock": ""}, [ESLINT], "cd web && bun add --dev eslint"),
        (
            {"uv.lock": "", "web/package.json": "{}"},
            [MYPY, ESLINT],
            "uv add --dev mypy && (cd web && npm install --save-dev eslint)",
        ),
        ({}, [(".", "rustup:clippy")], "rustup component add clippy"),
        ({}, [(".", "")], ""),
    ],
)
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
