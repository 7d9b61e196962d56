"""The agent's own runs on the real host: they are worth what they were worth when the last file changed."""

import pytest

from .model import Turn
from .scenes import NEW_ONLY, NewScene, edits, runs

pytestmark = [pytest.mark.e2e, pytest.mark.needs("npm")]

DONE = "Done.\n\n<ralph>COMPLETE</ralph>"
APP = "VALUE, OTHER = 1, 1\n"
TEST = "from app import OTHER, VALUE\n\n\ndef test_value():\n    assert VALUE == 2\n\n\n"
TEST += "def test_other():\n    assert OTHER == 3\n"
MENDED = "VALUE, OTHER = 2, 3\n"


@pytest.mark.wide
@NEW_ONLY  # 2.1.150 edits no file that the model did not read
def test_green_tests_before_the_last_edit_and_one_green_test_of_many_end_nothing(new_scene: NewScene) -> None:
    turns: list[Turn] = [
        runs("pytest -q"),
        edits("app.py", APP, MENDED),
        runs("cd tests && cd .. && pytest -q"),
        runs("pytest -q"),
        edits("app.py", MENDED, "VALUE, OTHER = 2, 5\n"),
        DONE,  # red, then green, then an edit
        runs("pytest -q tests/test_app.py::test_value"),
        DONE,  # one green test of many
        edits("app.py", "VALUE, OTHER = 2, 5\n", MENDED),
        runs("cd tests && pytest -q | tail -1"),
        runs("cd .. && pytest -q | tail -1"),
        runs("pytest -q | tail -1"),
        DONE,
    ]
    files = {"app.py": APP, "tests/test_app.py": TEST, "pytest.ini": "[pytest]\npythonpath = .\n"}
    scene = new_scene(turns, files=files)

    run = scene.ask("/untilgreen:loop --preset talkcody --require-tests --only tests Mend it")

    stale, narrowed = scene.feedback
    assert "Not green yet: 1 left after round 1 of 6 · pytest 1 failed of 2\n" in stale
    assert "\nYour own runs: `pytest -q` passed, but files changed after it.\n" in stale
    assert "\nYour own runs: `pytest -q tests/test_app.py::test_value` passed, on a part of it all.\n" in narrowed
    assert scene.shown(run)[2:] == scene.visible(
        "✓ green, but tests by the agent's own run · after 3 rounds, N s · pytest ✓ 2 · left 1 ▁ 1 ▁ 0"
    )
    loop = scene.loop()
    root = str(scene.project)
    told = [
        (one["success"], one["scope"], one["cwd"].replace(root, "."), one["stale"], one["iteration"])
        for one in loop["evidence"]
    ]
    assert told == [
        (False, "whole", ".", True, 1),
        (True, "whole", "", False, 1),  # the tree is again as it was then
        (True, "whole", ".", False, 1),
        (True, "narrowed", ".", True, 2),
        (True, "whole", "./tests", False, 3),
        (True, "whole", "", False, 3),
        (True, "whole", ".", False, 3),
    ]
    assert [(one["about"], one["resolved"]) for one in loop["tool_errors"]] == [("pytest -q", True)]
