"""What goes wrong in a first hour: each mistake has one message, and it says what to do.

Others stand elsewhere: a second terminal (test_cli.py), a suite of ten minutes (test_red_first.py), no packages
beside a plugin's Python (e2e/test_plugin.py), a package that is gone (e2e/test_gone.py); and `init` while the host is
open, which ends by saying that the host is to be started anew.
"""

import json
from collections.abc import Mapping
from typing import NamedTuple

import pytest

from world import World

NOT_TRIED = "Did you mean --max-iterations? Fix: if it belongs to the task, put -- and then the task at the end: "


class Mistake(NamedTuple):
    """What the project is like, what is typed in which of its folders, and the line that helps."""

    typed: tuple[str, ...]
    told: str
    files: Mapping[str, str] = {"app.py": "import os\n", "ruff.toml": ""}
    git: bool = True
    folder: str = "."


MISTAKES = {
    "no git": Mistake(
        typed=("untilgreen", "init"),
        told="no git repository: what changed is told by the times and sizes of files. Fix: git init",
        git=False,
    ),
    "no environment": Mistake(
        typed=("untilgreen", "start", "mend it"),
        told="untilgreen failed: none of the project's tools is installed: mypy. Fix: uv sync",
        files={"pyproject.toml": '[dependency-groups]\ndev = ["mypy"]\n', "uv.lock": "", "app.py": ""},
    ),
    "no tests": Mistake(
        typed=("untilgreen", "check"),
        told="pytest: broken, no tests were collected. Fix: write a test, or leave them out: --no-tests",
        files={"pytest.ini": "[pytest]\n", "app.py": ""},
    ),
    "a wrong flag": Mistake(
        typed=("untilgreen", "start", "--max-iteration", "3", "mend it"),
        told=f"untilgreen failed: no such option --max-iteration. {NOT_TRIED}untilgreen start -- 'the task'",
    ),
    "a broken configuration": Mistake(
        typed=("untilgreen", "start", "mend it"),
        told="untilgreen failed: untilgreen.toml:2: max_minutes is -1. Fix: give a number from 0 up",
        files={"untilgreen.toml": 'marker = "trust"\nmax_minutes = -1\n'},
    ),
    "a subfolder": Mistake(
        typed=("untilgreen", "init"),
        told="next: start claude anew in {project}, then type /untilgreen:loop make the tests pass",
        files={"app.py": "", "pkg/more.py": ""},
        folder="pkg",
    ),
    "hooks that are switched off": Mistake(
        typed=("untilgreen", "init"),
        told='"disableAllHooks" is true in .claude/settings.json: the host runs no hook. '
        'Fix: edit .claude/settings.json: take "disableAllHooks" out',
        files={".claude/settings.json": json.dumps({"disableAllHooks": True})},
    ),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_told_with_its_cure(world: World, name: str) -> None:
    mistake = MISTAKES[name]
    world.write(mistake.files)
    if mistake.git:
        world.commit()
    if mistake.typed[1] == "check":
        world.trust()
    answer = world.run(*mistake.typed, cwd=world.project / mistake.folder)
    assert mistake.told.format(project=world.project) in (answer.stdout + answer.stderr).splitlines()
