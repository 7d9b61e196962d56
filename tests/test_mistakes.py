"""What goes wrong in a first hour: each mistake has one message, and it says what to do.

Others stand elsewhere: a second terminal (test_cli.py), a suite of ten minutes (test_red_first.py), no packages
beside a plugin's Python (e2e/test_plugin.py), a package that is gone (e2e/test_gone.py); and `init` while the host is
open, which ends by saying that the host is to be started anew.
"""

from collections.abc import Mapping
from typing import NamedTuple

import pytest

import tables
from world import World


class Mistake(NamedTuple):
    """What the project is like, what is typed in which of its folders, and the line that helps."""

    typed: tuple[str, ...]
    told: str
    files: Mapping[str, str] = {"app.py": "import os\n", "ruff.toml": ""}
    git: bool = True
    folder: str = "."


MISTAKES = {name: Mistake(**one) for name, one in tables.literal("mistakes", "mistakes").items()}


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
