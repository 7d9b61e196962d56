"""The host's status line while a loop runs, in its terminal."""

import shlex
import threading

import pytest

from untilgreen.cli.installing import command_forms
from untilgreen.hosts.claude_code.install import SETTINGS

from .model import Answer, Turn
from .scenes import NEW_ONLY, UNUSED, NewScene, runs

pytestmark = [pytest.mark.e2e, pytest.mark.needs("npm")]

LINE = shlex.join(command_forms.status_line())


@NEW_ONLY
def test_the_loop_is_shown_from_its_start_to_its_end(new_scene: NewScene) -> None:
    line = SETTINGS.with_status_line({}, LINE)
    seen = threading.Event()
    turns: list[Turn] = ["Done.", lambda _: "Still here." * seen.wait(60), runs("rm broken.py"), "Mended."]
    slow = '#!/bin/sh\nuntil [ -e "$TMPDIR/released" ]; do sleep 0.05; done\n'
    scene = new_scene(turns, files={"broken.py": UNUSED, "slow.sh": slow}, settings=line)

    with scene.host.terminal() as terminal:
        terminal.say("/untilgreen:loop --check slow=./slow.sh Mend it")
        terminal.wait_for(r"untilgreen · round 1 of 10 · checking · slow [\d.]+ s · ruff ✗ · 0:\d\d")
        (scene.host.temporary / "released").touch()
        terminal.wait_for(r"untilgreen · round \d of 10 · 1 left: ruff 1 · 0:\d\d")
        seen.set()
        terminal.wait_for(r"untilgreen · complete · verified")


@pytest.mark.wide
@NEW_ONLY
def test_it_shows_the_clock_of_a_turn_that_takes_its_time(new_scene: NewScene) -> None:
    line = SETTINGS.with_status_line({}, LINE)
    scene = new_scene(["Done.", Answer(["Too late."], delay=60)], files={"broken.py": UNUSED}, settings=line)

    with scene.host.terminal() as terminal:
        terminal.say("/untilgreen:loop Mend it")
        first = terminal.wait_for(r"untilgreen · round 2 of 10 · 1 left: ruff 1 · 0:(\d\d)")
        terminal.wait_until_gone(first[0])
        later = terminal.wait_for(r"untilgreen · round 2 of 10 · 1 left: ruff 1 · 0:(\d\d)")

    assert int(later[1]) > int(first[1])
