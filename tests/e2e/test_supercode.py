"""SuperCode's Ralph Loop at the terminal of the real host: its commands and its words."""

import pytest

import tables

from .model import Answer
from .scenes import NewScene, wait_until

pytestmark = [pytest.mark.e2e, pytest.mark.needs("npm")]

TEXT = tables.text("e2e-supercode", "text")


@pytest.mark.wide
def test_a_ralph_loop_goes_on_until_its_promise_whatever_its_case_and_white_space(new_scene: NewScene) -> None:
    turns = [
        "I have begun.",
        "Output: ALL FIXED (in a promise tag)? Not yet.",
        "Mended.\n\n<Promise> all\n fixed </PROMISE>",
    ]
    scene = new_scene(turns, files={"untilgreen.toml": 'preset = "supercode"\n'})
    assert scene.shell("untilgreen", "init", "--alias", "ralph").code == 0

    with scene.host.terminal() as terminal:
        terminal.say('/ralph "Mend it" --max-iterations=25 --completion-promise="ALL FIXED"')
        terminal.wait_for("Ralph Loop Complete! · Task completed after 3 iteration")
        terminal.say("/cancel-ralph")
        terminal.wait_for("No Active Loop · No Ralph Loop is currently running")
        scene.model.after = Answer(["scripted 400"], status=400)
        terminal.say('/ralph "Go on"')
        wait_until(lambda: scene.loop()["status"] == "paused")

    assert scene.feedback == [TEXT.format(2), TEXT.format(3)]
    assert [scene.loop()[name] for name in ("stop_reason", "iteration", "status")] == [None, 1, "paused"]
