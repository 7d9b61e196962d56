"""Where the checks' tools are found. A tool is an executable file in a folder; no real one is needed."""

import os
import sys
from pathlib import Path

import pytest

from untilgreen.project import tools
from untilgreen.project.tools import Tool


def program(path: Path, script: str = "") -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\n" + script)
    path.chmod(0o755)
    return str(path)


def environment(folder: Path, *names: str) -> Path:
    """A virtual environment with these programs."""
    for name in ("python", *names):
        program(folder / "bin" / name)
    (folder / "pyvenv.cfg").write_text("")
    return folder


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    (folder / "backend" / "api").mkdir(parents=True)
    return folder


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    program(tmp_path / "usr" / "mypy")
    return tmp_path / "usr"


def find(root: Path, project: Path, env: dict[str, str], asked: dict[str, str] | None = None) -> Tool | None:
    return tools.find("mypy", str(root), str(project), env, trusted=True, asked=asked or {})


def inside(folder: Path) -> Tool:
    return Tool(str(folder / "bin" / "mypy"), str(folder / "bin" / "python"), inside=True)


@pytest.mark.parametrize("name", [".venv", "venv", "env"])
def test_the_nearest_environment_in_the_project_comes_before_path(project: Path, outside: Path, name: str) -> None:
    environment(project / name, "mypy")
    assert find(project, project, {"PATH": str(outside)}) == inside(project / name)
    environment(project / "backend" / "venv", "mypy")
    found = [find(root, project, {"PATH": str(outside)}) for root in (project / "backend" / "api", project)]
    assert found == [inside(project / "backend" / "venv"), inside(project / name)]


def test_a_tool_on_path_is_told_the_projects_interpreter_and_none_from_above_it(
    tmp_path: Path, project: Path, outside: Path
) -> None:
    environment(tmp_path / ".venv", "mypy")
    assert find(project, project, {"PATH": ""}) is None
    assert find(project, project, {"PATH": str(outside)}) == Tool(str(outside / "mypy"), "", inside=False)
    environment(project / ".venv")
    expected = Tool(str(outside / "mypy"), str(project / ".venv" / "bin" / "python"), inside=False)
    assert find(project, project, {"PATH": str(outside)}) == expected


@pytest.mark.parametrize("variable", ["VIRTUAL_ENV", "CONDA_PREFIX"])
def test_an_active_environment_counts_unless_it_is_ours(
    tmp_path: Path, project: Path, outside: Path, variable: str
) -> None:
    active = environment(tmp_path / "active", "mypy")
    assert find(project, project, {variable: str(active), "PATH": ""}) == inside(active)
    ours = {variable: sys.prefix, "PATH": str(outside)}
    assert find(project, project, ours) == Tool(str(outside / "mypy"), "", inside=False)


def test_an_environment_that_a_lock_tool_or_path_names_counts(tmp_path: Path, project: Path) -> None:
    kept, odd = environment(tmp_path / "cache" / "project-x1", "mypy"), environment(project / "py311", "mypy")
    assert find(project, project, {"PATH": ""}, {"poetry": str(kept)}) == inside(kept)
    assert find(project, project, {"PATH": str(odd / "bin")}) == inside(odd)


@pytest.mark.parametrize("relative", [False, True])
def test_a_linked_worktree_uses_the_main_trees_environment(tmp_path: Path, project: Path, relative: bool) -> None:
    linked, folder = tmp_path / "linked", project / ".git" / "worktrees" / "linked"
    (linked / "backend").mkdir(parents=True)
    folder.mkdir(parents=True)
    (folder / "commondir").write_text("../..\n")
    target = os.path.relpath(folder, linked) if relative else folder
    (linked / ".git").write_text(f"gitdir: {target}\n")
    environment(project / "backend" / ".venv", "mypy")
    assert find(linked / "backend", linked, {"PATH": ""}) == inside(project / "backend" / ".venv")


def test_what_cannot_be_executed_is_no_tool(project: Path, outside: Path) -> None:
    (project / ".venv" / "bin" / "mypy").mkdir(parents=True)
    program(project / "venv" / "bin" / "mypy")
    (project / "venv" / "bin" / "mypy").chmod(0o644)
    assert find(project, project, {"PATH": str(outside)}) == Tool(str(outside / "mypy"), "", inside=False)


def test_without_trust_nothing_out_of_the_project_is_used(tmp_path: Path, project: Path, outside: Path) -> None:
    environment(project / ".venv", "mypy")
    program(project / "mypy")
    (tmp_path / "linked").symlink_to(project / ".venv" / "bin")
    sly = tmp_path / "sly"
    sly.mkdir()
    (sly / "mypy").symlink_to(project / "mypy")
    entries = ["", ".", "bin", str(project), str(project / ".venv" / "bin"), str(tmp_path / "linked"), str(sly)]
    env = {"PATH": os.pathsep.join(entries), "VIRTUAL_ENV": str(project / ".venv")}

    def found(path: str) -> Tool | None:
        return tools.find("mypy", str(project), str(project), env | {"PATH": path}, trusted=False, asked={})

    assert found(env["PATH"]) is None
    assert found(env["PATH"] + os.pathsep + str(outside)) == Tool(str(outside / "mypy"), "", inside=False)


def test_a_checker_of_ours_is_found_beside_our_interpreter_unless_that_is_the_untrusted_projects(
    tmp_path: Path, project: Path, outside: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def found(tool: str, root: Path, *path: Path) -> Tool | None:
        env = {"PATH": os.pathsep.join(map(str, path))}
        return tools.find(tool, str(root), str(root), env, trusted=False, asked={})

    ours, other = program(tmp_path / "ours/bin/ast-grep"), program(outside / "ast-grep")
    monkeypatch.setattr(sys, "executable", program(tmp_path / "ours/bin/python3"))
    assert found("ast-grep", project) == Tool(ours, "", inside=False)
    assert found("ast-grep", project, outside) == Tool(other, "", inside=False)
    assert found("ast-grep", tmp_path / "ours") is None
    assert found("mypy", project) is None


def test_lock_tools_are_asked_for_their_environments(tmp_path: Path, project: Path) -> None:
    kept = environment(tmp_path / "kept")
    commands = tmp_path / "commands"
    program(commands / "poetry", f'[ "$*" = "env info -p" ] && [ -z "$VIRTUAL_ENV" ] && echo note && echo {kept}\n')
    program(commands / "pipenv", f'[ "$*" = --venv ] && pwd >&2 && echo {kept}; exit 1\n')
    program(commands / "hatch", "echo /there/is/none\n")
    env = {"PATH": f"{commands}{os.pathsep}{os.defpath}", "VIRTUAL_ENV": "/ours", "UV_PROJECT_ENVIRONMENT": "uv-env"}
    assert tools.ask_environments(str(project), env) == {}
    for lock in ("poetry.lock", "Pipfile.lock", "hatch.toml", "pdm.lock", "uv.lock"):
        (project / lock).write_text("")
    environment(project / "uv-env")
    (project / ".pdm-python").write_text(f"{kept}/bin/python\n")
    expected = {"poetry": str(kept), "pdm": str(kept), "uv": str(project / "uv-env")}
    assert tools.ask_environments(str(project), env) == expected
    (project / ".pdm-python").write_text("/usr/bin/python3")  # no environment
    assert "pdm" not in tools.ask_environments(str(project), env)
