"""A person at the terminal of the real host while a loop runs: interrupting, cancelling, asking, clearing."""

import re
from threading import Event

import pytest

from world import REPOSITORY

from .model import Answer, Body, Turn
from .scenes import FOUND, NEW_ONLY, UNUSED, NewScene, runs, wait_until
from .terminal import Terminal

pytestmark = [pytest.mark.e2e, pytest.mark.needs("npm")]

RED = {"broken.py": UNUSED}
RUNNING = 'untilgreen: loop paused in round 2 of 10; say "go on", or /untilgreen:cancel'
SLOW = '#!/bin/sh\ntouch "$TMPDIR/started"\nuntil [ -e "$TMPDIR/released" ]; do sleep 0.05; done\n'
WORKING = Answer(["Too late."], delay=60)
"""What is interrupted."""


def interrupt(terminal: Terminal) -> None:
    terminal.key("esc")
    terminal.wait_for("Interrupted")


@pytest.mark.wide
@NEW_ONLY
def test_escape_and_then_a_typed_cancel_end_the_loop(new_scene: NewScene) -> None:
    scene = new_scene(["Done.", WORKING, "I like it red."], files=RED)

    with scene.host.terminal() as terminal:
        terminal.say("/untilgreen:loop Mend it")
        scene.model.wait_for(2)
        interrupt(terminal)
        terminal.say("/untilgreen:cancel")
        terminal.wait_for(r"Operation stopped by hook: untilgreen: loop cancelled in round 2 of 10 \(")
        terminal.say("Leave it so")
        terminal.wait_for("I like it red")
        terminal.say("Thank you")
        terminal.wait_for("Nothing more to do")

    loop = scene.loop()
    assert (loop["final_status"], loop["iteration"]) == ("CANCELLED", 2)
    assert f"untilgreen: loop cancelled in round 2 of 10 ({loop['loop_id']})" in scene.model.told(2)
    assert (len(scene.feedback), len(scene.model.main)) == (1, 4)


@pytest.mark.wide
def test_a_question_after_escape_is_answered_and_the_loop_still_runs(new_scene: NewScene) -> None:
    scene = new_scene(["Done.", WORKING, "An import is red.", runs("rm broken.py"), "Mended."], files=RED)

    with scene.host.terminal() as terminal:
        terminal.say("/untilgreen:loop Mend it")
        scene.model.wait_for(2)
        interrupt(terminal)
        terminal.say("What is red?")
        terminal.wait_for(RUNNING)
        between = scene.loop()
        terminal.say("go on")
        terminal.wait_for("✓ green after ")

    assert (between["active"], between["iteration"]) == (True, 2)
    assert (len(scene.feedback), len(scene.model.main)) == (1, 5)
    assert [scene.loop()[name] for name in ("stop_reason", "iteration")] == ["complete", 2]


@pytest.mark.wide
def test_cancel_loop_in_a_second_shell_lets_go_an_agent_that_is_being_checked(new_scene: NewScene) -> None:
    scene = new_scene(["Done.", "I am here."], files={**RED, "slow.sh": SLOW})
    started, released = scene.host.temporary / "started", scene.host.temporary / "released"

    with scene.host.terminal() as terminal:
        terminal.say("/untilgreen:loop --check 'slow=./slow.sh' Mend it")
        wait_until(started.exists)
        cancelled = scene.shell("cancel-loop")
        released.touch()
        terminal.say("Are you there?")
        terminal.wait_for("I am here")
        terminal.say("Good")
        terminal.wait_for("Nothing more to do")

    loop = scene.loop()
    assert (cancelled.code, cancelled.out) == (0, f"untilgreen: loop cancelled in round 1 of 10 ({loop['loop_id']})\n")
    assert (scene.feedback, len(scene.model.main), loop["final_status"]) == ([], 3, "CANCELLED")


@pytest.mark.wide
@NEW_ONLY
def test_cancel_loop_in_a_second_shell_lets_go_an_agent_that_works(new_scene: NewScene) -> None:
    ended = Event()

    def works(body: Body) -> str:
        assert ended.wait(30)
        return "I have tried."

    scene = new_scene(["Done.", works], files=RED)

    with scene.host.terminal() as terminal:
        terminal.say("/untilgreen:loop Mend it")
        scene.model.wait_for(2)
        cancelled = scene.shell("cancel-loop")
        ended.set()
        terminal.wait_for("I have tried")
        terminal.say("Good")
        terminal.wait_for("Nothing more to do")

    assert cancelled.out.startswith("untilgreen: loop cancelled in round 2 of 10 (")
    assert (len(scene.feedback), len(scene.model.main), scene.loop()["final_status"]) == (1, 3, "CANCELLED")


@NEW_ONLY  # the older one announces a typed question when it delivers it, not before
@pytest.mark.parametrize("rounds", ["of words", pytest.param("of tool calls", marks=pytest.mark.wide)])
def test_a_question_typed_while_the_agent_is_held_is_answered_at_once(new_scene: NewScene, rounds: str) -> None:
    asked = Event()

    def talks(body: Body) -> str:
        assert asked.wait(30)
        return "It is done."

    scene = new_scene(files=RED)
    flag = scene.host.temporary / "asked"
    works: Turn = talks if rounds == "of words" else runs(f"until [ -e {flag} ]; do sleep 0.05; done")
    scene.model.turns += ["Done.", works, "An import is red.", runs("rm broken.py"), "Mended."]

    with scene.host.terminal() as terminal:
        terminal.say("/untilgreen:loop Mend it")
        scene.model.wait_for(2)
        terminal.say("What is red?")
        scene.wait_for_prompts(2)
        asked.set()
        flag.touch()
        terminal.wait_for("An import is red")
        terminal.wait_for(RUNNING)
        between = scene.loop()
        terminal.say("go on")
        terminal.wait_for("✓ green after ")

    assert "What is red?" in scene.model.told(2)
    assert (between["active"], between["iteration"], len(scene.feedback)) == (True, 2, 1)
    assert [scene.loop()[name] for name in ("stop_reason", "iteration", "verified")] == ["complete", 2, True]


def test_after_a_compaction_and_after_clear_the_loop_goes_on_and_the_model_is_told_what_was_kept(
    new_scene: NewScene,
) -> None:
    summary = "<analysis>Little.</analysis>\n<summary>We talked.</summary>"
    turns: list[Turn] = [
        "Done.",
        WORKING,
        summary,
        "Still red.",
        WORKING,
        "All is well.",
        runs("rm broken.py"),
        "Mended.",
    ]
    scene = new_scene(turns, files=RED)

    with scene.host.terminal() as terminal:
        terminal.say("/untilgreen:loop Mend it")
        scene.model.wait_for(2)
        session = scene.loop()["session_id"]
        interrupt(terminal)
        terminal.say("/compact")
        terminal.wait_for("Compacted")
        terminal.say("Go on")
        scene.model.wait_for(5)
        interrupt(terminal)
        terminal.say("/clear")
        taken = scene.wait_for_loop(lambda loop: loop["session_id"] != session)
        terminal.wait_until_gone("Interrupted")
        terminal.say("Go on")
        terminal.wait_for("Mended")
        ended = scene.wait_for_loop(lambda loop: not loop["active"])

    for number, told in enumerate((scene.model.told(3), scene.model.told(5)), 1):
        assert f"untilgreen: loop still running, round {number + 1} of 10: Mend it\n\n## Ralph Summary\n" in told
        assert f"## Iteration {number}\n" in told
        assert f"## Ralph Feedback\n{scene.feedback[number - 1]}" in told
    assert [text.partition(" · ")[0] for text in scene.feedback] == [
        f"Not green yet: 1 left after round {number} of 10" for number in (1, 2, 3)
    ]
    assert FOUND in scene.model.told(6)
    assert (ended["session_id"], ended["loop_id"]) == (taken["session_id"], taken["loop_id"])
    assert (ended["stop_reason"], ended["iteration"]) == ("complete", 4)


@NEW_ONLY
def test_a_held_round_looks_like_work_on_the_screen(new_scene: NewScene) -> None:
    """What is the host's own: the bullets, what each hook "says", "Ran 1 stop hook", the cut at 120 columns."""
    scene = new_scene(["Done.", runs("rm broken.py"), "Mended."], files=RED)

    with scene.host.terminal() as terminal:
        terminal.say("/untilgreen:loop Mend it")
        terminal.wait_for("✓ green after ")
        screen = terminal.screen()

    golden = (REPOSITORY / "tests/screens/held.txt").read_text(encoding="utf-8")
    first, last = (golden.split("\n")[at] for at in (0, -2))
    shown = re.sub(r"(?<=[ ,·] )[\d.]+ s(?= ·)", "N s", screen.replace("\xa0", " "))
    assert shown[shown.index(first) : shown.index(last) + len(last)] + "\n" == golden
