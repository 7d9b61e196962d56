"""A review on the real host: it looks when the loop has said yes, its finding holds, and the fix lets go."""

import json

import pytest

from .model import Turn
from .scenes import CLEAN, UNUSED, NewScene, edits, writes

pytestmark = [pytest.mark.e2e, pytest.mark.needs("npm")]

# finds a line of the diff
REVIEW = """\
case "$(cat)" in
*"+VALUE = 1"*) echo '{"ok": false, "findings": [{"file": "shop.py", "line": 1, "message": "1 is no price"}]}';;
*) echo '{"ok": true, "findings": []}';;
esac
"""
CONFIG = '[review]\ncommand = "sh review.sh"\n\n[[hooks]]\nname = "gate"\ncommand = "true"\n'


@pytest.mark.wide
def test_a_finding_holds_once_the_loop_has_said_yes_and_its_fix_lets_go(new_scene: NewScene) -> None:
    mended, better = edits("shop.py", UNUSED, CLEAN), edits("shop.py", CLEAN, "PRICE = 2\n")
    turns: list[Turn] = [writes("shop.py", UNUSED), "Written.", mended, "Mended.", better, "Better."]
    scene = new_scene(turns, files={"untilgreen.toml": CONFIG, "review.sh": REVIEW, "ruff.toml": ""})

    run = scene.ask("/untilgreen:loop Add the shop")

    assert run.result["result"] == "Better."
    assert [one.split("\n")[:2] for one in scene.feedback] == [
        [
            "Not green yet: 1 left after round 1 of 10 · ruff 1",
            "shop.py:1:8 ruff F401: `os` imported but unused (ruff check --fix)",
        ],
        ["Not green yet: 1 left after round 2 of 10 · review 1", "shop.py:1 review: 1 is no price"],
    ]
    loop = scene.loop()
    assert (loop["stop_reason"], loop["verified"], loop["reviews"]) == ("complete", True, 1)
    [journal] = (scene.project / ".untilgreen").glob("sessions/*/journal.jsonl")
    lines = [json.loads(line) for line in journal.read_text().splitlines()]
    stops = [one["hooks"] for one in lines if one["event"] == "completion"]
    assert [[f"{one['name']} {one['answer']}" for one in asked] for asked in stops] == [
        ["gate skip", "loop continue"],
        ["gate skip", "loop skip", "review continue"],
        ["gate skip", "loop skip", "review skip"],
    ]
