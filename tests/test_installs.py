"""Installed by a real pip, pipx or uv: the console scripts run, and each hook from where it was installed."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

import installs
from installs import Installation
from trees import Tree, tree
from untilgreen.cli.installing import command_forms
from untilgreen.hosts.hook_rows import EDIT
from untilgreen.hosts.host import EXECUTABLES
from world import Answer, World

BY = (*(pytest.param(by, marks=pytest.mark.wide) for by in ("venv", "pipx")), "uv")  # the first hour has a venv
SYSTEM = f"/usr/bin{os.pathsep}/bin"
CURE = "install untilgreen in the project's .venv or on the PATH of everybody, or use --local"


@pytest.fixture(params=BY)
def installation(request: pytest.FixtureRequest) -> Installation:
    return installs.installed(request.param)


def run(world: World, installation: Installation, name: str, *words: str, stdin: str = "", **env: str) -> Answer:
    return world.process(str(installation.bin / name), *words, stdin=stdin, env=env)


def everything(world: World) -> Tree:
    return tree(world.home.parent, ["project/.git/index"])


def hooks(path: Path) -> dict[str, dict[str, Any]]:
    """The hook entries of a settings file by their command."""
    table = json.loads(path.read_text(encoding="utf-8"))["hooks"]
    every = (hook for groups in table.values() for group in groups for hook in group["hooks"])
    return {hook["command"]: hook for hook in every}


def test_every_executable_runs(green: World, installation: Installation) -> None:
    names = ("untilgreen", "start-loop", "cancel-loop", *EXECUTABLES)
    shown = {name: run(green, installation, name, "--version") for name in names}
    assert shown == {name: (0, f"{name}, version 0.1.0\n", "") for name in names}


def test_the_environments_own_interpreter_is_registered_and_runs_the_hook(
    red: World, installation: Installation
) -> None:
    before = everything(red)
    assert run(red, installation, "untilgreen", "init", "--statusline", PATH=SYSTEM).code == 0
    found = hooks(red.project / ".claude/settings.local.json")
    named = [command_forms.read(file) for file in found]
    assert {Path(one.interpreter).parent for one in named if one} == {installation.environment / "bin"}
    assert {Path(one.directory).parents[2] for one in named if one} == {installation.environment}

    assert run(red, installation, "start-loop", "mend it", "--session", red.session).code == 0
    [stop] = [hook for file, hook in found.items() if file.endswith("/stop-loop")]
    done = red.process(stop["command"], *stop["args"], stdin=json.dumps(red.payload()), cwd=Path("/"))
    assert done.code == 2, done
    assert done.stderr.startswith("Not green yet: 1 left after round 1 of 10")

    assert run(red, installation, "untilgreen", "uninstall", PATH=SYSTEM).code == 0
    assert everything(red) == before


def test_a_team_shares_the_bare_names_where_they_are_on_the_path(red: World, installation: Installation) -> None:
    before = everything(red)
    refused = run(red, installation, "untilgreen", "init", "--shared", PATH=SYSTEM)
    why = "--shared: stop-loop is not on the PATH, and an absolute path is yours alone"
    assert refused == (64, "", f"untilgreen failed: {why}. Fix: {CURE}\n")
    assert everything(red) == before

    path = f"{installation.bin}{os.pathsep}{SYSTEM}"
    assert run(red, installation, "untilgreen", "init", "--shared", PATH=path).code == 0
    found = hooks(red.project / ".claude/settings.json")
    assert [(name, hook["args"]) for name, hook in found.items()] == [
        (name, ["--host", "claude-code", *(EDIT[1:] if name == EDIT[0] else ())])
        for name in EXECUTABLES
        if name not in ("post-tool-lsp", "post-tool-ast-grep")
    ]
    assert run(red, installation, "untilgreen", "uninstall", PATH=path).code == 0
    assert everything(red) == before


def test_the_extras_ast_grep_is_found_beside_the_interpreter(red: World, installation: Installation) -> None:
    red.write({"app.py": "eval(input())\n"})
    start = ("start-loop", "mend it", "--session", red.session, "--criteria", "zero_security", "--only", "lint")
    started = run(red, installation, *start, PATH=SYSTEM)
    told = "\nchecks: ast-grep\nleft out: ruff is not installed: python -m pip install ruff\n"
    assert (started.code, told in started.stdout) == (0, True)
    edited = red.edited("app.py", "eval(input())\n", None)
    held = run(red, installation, "post-tool-ast-grep", stdin=json.dumps(red.payload(**edited)), PATH=SYSTEM)
    assert held.context.startswith("untilgreen: 1 new finding")
