"""Edits on the real host: what checks find reaches the model with the tool's result, and holds it without a loop."""

import json

import pytest

from world import THEN

from .model import Tool
from .scenes import CLEAN, FOUND, NEW_ONLY, UNUSED, NewScene, edits, writes

pytestmark = [pytest.mark.e2e, pytest.mark.needs("npm")]

AGENTS = "Agent,Task,Bash,Edit,Write,Read"
OLD = "".join(f"import unused_{number}\n" for number in range(1_000)) + 'VALUE = "one tpyo"\n'
AUTO = "Not green yet: {0} left after round 1 of 5 · ruff {0}"
HELD = f"broken.py:1:8 ruff F401: {FOUND} (ruff check --fix)\n{THEN}"
CELLS = {
    "cells": [{"cell_type": "code", "id": "one", "metadata": {}, "execution_count": None, "outputs": [], "source": []}],
    "metadata": {"language_info": {"name": "python"}},
    "nbformat": 4,
    "nbformat_minor": 5,
}


def reads(name: str) -> Tool:
    return Tool("Read", {"file_path": name})


def test_findings_of_an_edit_are_in_the_models_next_request(new_scene: NewScene) -> None:
    scene = new_scene([writes("broken.py", UNUSED), edits("broken.py", UNUSED, CLEAN), "Mended."])

    scene.ask("Add a module")

    told = "untilgreen: 1 new finding in broken.py\nbroken.py:1:8: F401 " + FOUND
    assert told in scene.model.told(1)
    assert "untilgreen:" not in scene.model.told(2)
    loop = scene.loop()
    assert (loop["active"], loop["current"]["error_count"], scene.feedback) == (False, 0, [])


@pytest.mark.wide
@NEW_ONLY
def test_findings_of_an_edit_in_a_loop_are_told_and_kept(new_scene: NewScene) -> None:
    scene = new_scene([writes("broken.py", UNUSED), edits("broken.py", UNUSED, CLEAN), "Mended."])

    scene.ask("/untilgreen:loop Add a module")

    assert f"broken.py:1:8: F401 {FOUND}" in scene.model.told(1)
    loop = scene.loop()
    assert (loop["stop_reason"], scene.edits()["written"]) == ("complete", ["broken.py"])


@pytest.mark.wide
@NEW_ONLY
def test_a_cell_of_a_notebook_is_looked_at(new_scene: NewScene) -> None:
    cell = {"notebook_path": "work.ipynb", "cell_id": "one", "new_source": UNUSED}
    scene = new_scene(
        [reads("work.ipynb"), Tool("NotebookEdit", cell), "Done."], files={"work.ipynb": json.dumps(CELLS)}
    )

    scene.ask("Fill the cell", tools="Read,NotebookEdit")

    told = next(request.told for request in scene.model.main if "untilgreen:" in request.told)
    assert "work.ipynb: F401 cell 1: `os` imported but unused" in told


@NEW_ONLY
def test_what_a_sub_agent_writes_is_told_to_it_and_kept_for_the_session(new_scene: NewScene) -> None:
    call = {"description": "break", "prompt": "Break it", "subagent_type": "general-purpose"}
    scene = new_scene(
        [Tool("Agent", {**call, "run_in_background": False}), "It did.", "It did, really."],
        subagent=[writes("broken.py", UNUSED), "I broke it."],
    )

    run = scene.ask("Send someone", tools=AGENTS)

    theirs = [request.told for request in scene.model.requests if request.kind == "subagent"]
    assert [FOUND in told for told in theirs] == [False, True]
    loop = scene.loop()
    assert (loop["session_id"], scene.edits()["written"]) == (run.session_id, ["broken.py"])
    assert scene.feedback[0] == f"{AUTO.format(1)}\n{HELD}"


@pytest.mark.wide
@NEW_ONLY
def test_a_typo_fixed_among_a_thousand_old_errors_is_not_held(new_scene: NewScene) -> None:
    scene = new_scene([reads("old.py"), edits("old.py", "tpyo", "typo"), "Mended."], files={"old.py": OLD})

    run = scene.ask("Mend the typo")

    assert (run.result["result"], scene.feedback, scene.shown(run)) == ("Mended.", [], [])


@pytest.mark.wide
@NEW_ONLY
def test_with_all_the_same_typo_is_held_until_the_rounds_are_over(new_scene: NewScene) -> None:
    scene = new_scene(
        [reads("old.py"), edits("old.py", "tpyo", "typo"), "Mended."],
        after="It is fine.",
        files={"old.py": OLD, "untilgreen.toml": 'auto = "all"\n'},
    )

    run = scene.ask("Mend the typo")

    assert [text.splitlines()[0] for text in scene.feedback] == [
        AUTO.format(1_000).replace("round 1", f"round {number}") for number in (1, 2, 3)
    ]
    turn = scene.edits()["turn"]
    assert (turn["active"], turn["stop_reason"]) == (False, "stagnant")
    assert run.result["result"] == "It is fine."


def test_an_error_that_the_session_brought_in_holds_it_until_it_is_mended(new_scene: NewScene) -> None:
    scene = new_scene([writes("broken.py", UNUSED), "Done.", edits("broken.py", UNUSED, CLEAN), "Mended.", "Hello."])

    run = scene.ask("Add a module")

    assert (run.result["result"], scene.feedback) == ("Mended.", [f"{AUTO.format(1)}\n{HELD}"])
    again = scene.ask("Hello?", "--resume", run.session_id)
    assert (again.result["result"], len(scene.feedback)) == ("Hello.", 1)


@pytest.mark.wide
def test_a_held_turn_without_a_loop_ends_within_its_rounds(new_scene: NewScene) -> None:
    steps = [step for number in range(8) for step in (writes(f"part{number}.py", UNUSED), f"Part {number} is done.")]
    scene = new_scene(steps)

    scene.ask("Add modules")

    assert len(scene.feedback) <= 4
    turn = scene.edits()["turn"]
    assert (turn["active"], turn["stop_reason"] in ("max-iterations", "stagnant")) == (False, True)
