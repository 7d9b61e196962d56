"""The host's status line while a loop runs, in its terminal."""

import sys
from pathlib import Path

import pytest

import untilgreen
from untilgreen.cli import statusline

from .model import Answer, Turn
from .scenes import NEW_ONLY, UNUSED, NewScene, runs

pytestmark = [pytest.mark.e2e, pytest.mark.needs("npm")]

FOLDER = str(Path(untilgreen.__file__).parent)
THEIRS = {
    "type": "command",
    "command": 'sed \'s/.*"version":"\\([^"]*\\)".*/their \\1/\'',
    "padding": 0,
    "refreshInterval": 1,
}


def test_the_loop_is_shown_from_its_start_to_its_end_above_the_line_that_was_there(new_scene: NewScene) -> None:
    settings = {"statusLine": statusline.setting(THEIRS, sys.executable, FOLDER)}
    turns: list[Turn] = ["Done.", Answer(["Still here."], delay=4), runs("rm broken.py"), "Mended."]
    scene = new_scene(turns, files={"broken.py": UNUSED}, settings=settings)
    theirs = r"their \d+\.\d+\.\d+"

    with scene.host.terminal() as terminal:
        terminal.wait_for(theirs)
        assert "Ralph Loop" not in terminal.screen()
        terminal.say("/untilgreen:loop Mend it")
        terminal.wait_for(rf"Ralph Loop \d/10 · 1 error · 0:\d\d.*\n *{theirs}")
        terminal.wait_for(rf"Ralph Loop complete · verified.*\n *{theirs}")


@NEW_ONLY
def test_alone_it_shows_the_clock_of_a_turn_that_takes_its_time(new_scene: NewScene) -> None:
    settings = {"statusLine": statusline.setting(None, sys.executable, FOLDER)}
    scene = new_scene(["Done.", Answer(["Too late."], delay=60)], files={"broken.py": UNUSED}, settings=settings)

    with scene.host.terminal() as terminal:
        terminal.say("/untilgreen:loop Mend it")
        first = terminal.wait_for(r"Ralph Loop 2/10 · 1 error · 0:(\d\d)")
        terminal.wait_until_gone(first[0])
        later = terminal.wait_for(r"Ralph Loop 2/10 · 1 error · 0:(\d\d)")

    assert int(later[1]) > int(first[1])
