"""What the hook itself answers: the user sees it, and the model is not asked."""

import pytest

from .host import TOOLS
from .install import PINNED
from .scenes import UNUSED, NewScene, runs

pytestmark = [pytest.mark.e2e, pytest.mark.needs("npm")]


@pytest.mark.wide
def test_a_status_and_a_cancel_are_shown_on_the_screen(new_scene: NewScene) -> None:
    scene = new_scene(["Which one?", "Good."])
    blocked = PINNED in scene.host.binary.parts
    said = "UserPromptSubmit operation blocked by hook:" if blocked else "Operation stopped by hook:"

    with scene.host.terminal() as terminal:
        terminal.say("/untilgreen:loop Add the module")
        terminal.wait_for("Which one")
        terminal.say("/untilgreen:status")
        terminal.wait_for(rf"● {said}\s+round 1 of 10 · running · ")
        terminal.say("/untilgreen:status /untilgreen:cancel")
        terminal.wait_for(rf"● {said}\s+untilgreen: loop cancelled in round 1 of 10 \(loop-")
        terminal.say("Thank you")
        terminal.wait_for("Good")

    assert (len(scene.model.main), scene.loop()["final_status"]) == (2, "CANCELLED")


def test_what_headless_prints_is_the_agents_and_a_script_asks_for_the_verdict(new_scene: NewScene) -> None:
    scene = new_scene([runs("rm broken.py"), "Mended."], files={"broken.py": UNUSED})
    done = scene.host.command("-p", "/untilgreen:loop Mend it", f"--allowedTools={TOOLS}")
    asked = scene.shell("untilgreen", "status", "--exit-code")
    assert (done.out, done.err, done.code, asked.code) == ("Mended.\n", "", 0, 0)
    assert scene.loop()["stop_reason"] == "complete"


@pytest.mark.wide
def test_a_rollback_is_answered_on_the_screen_and_the_files_are_back(new_scene: NewScene) -> None:
    scene = new_scene(["Which one?"])
    blocked = PINNED in scene.host.binary.parts
    said = "UserPromptSubmit operation blocked by hook:" if blocked else "Operation stopped by hook:"

    with scene.host.terminal() as terminal:
        terminal.say("/untilgreen:loop Add the module")
        terminal.wait_for("Which one")
        (scene.project / "made.txt").write_text("x\n")
        terminal.say("/untilgreen:rollback")
        terminal.wait_for(rf"● {said}\s+untilgreen: 1 file put back as in the start of loop-")

    assert (len(scene.model.main), (scene.project / "made.txt").exists()) == (1, False)


@pytest.mark.wide
def test_a_test_that_was_edited_is_said_by_the_real_host_too(new_scene: NewScene) -> None:
    files = {"shop.py": "def total(a):\n    return a[0]\n", "pytest.ini": "[pytest]\npythonpath = .\n"}
    test = "from shop import total\n\n\ndef test_total():\n    assert total([1, 2]) == {}\n"
    scene = new_scene([runs("sed -i s/3/1/ test_shop.py"), "Done."], files={**files, "test_shop.py": test.format(3)})
    scene.host.command("-p", "/untilgreen:loop Mend it", f"--allowedTools={TOOLS}")
    loop = scene.loop()
    assert (loop["verified"], loop["completion_reason"]) == (
        False,
        "Green, but test_total was edited and fails in its old form",
    )
