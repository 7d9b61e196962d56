"""What the hook itself answers: the user sees it, and the model is not asked."""

import pytest

from .install import PINNED
from .scenes import NewScene

pytestmark = [pytest.mark.e2e, pytest.mark.needs("npm")]


def test_a_status_and_a_cancel_are_shown_on_the_screen(new_scene: NewScene) -> None:
    scene = new_scene(["Which one?", "Good."])
    blocked = PINNED in scene.host.binary.parts
    said = "UserPromptSubmit operation blocked by hook:" if blocked else "Operation stopped by hook:"

    with scene.host.terminal() as terminal:
        terminal.say("/untilgreen:loop Add the module")
        terminal.wait_for("Which one")
        terminal.say("/untilgreen:status")
        terminal.wait_for(rf"● {said}\s+untilgreen: loops of this project\n +loop-\d+ .* round 1 of 10, running")
        terminal.say("/untilgreen:status /untilgreen:cancel")
        terminal.wait_for(rf"● {said}\s+untilgreen: loop cancelled in round 1 of 10 \(loop-")
        terminal.say("Thank you")
        terminal.wait_for("Good")

    assert (len(scene.model.main), scene.loop()["final_status"]) == (2, "CANCELLED")
