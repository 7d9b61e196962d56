"""The thin slice, through the installed executables: held, told, released."""

import json
import re

from world import THEN, World


def test_a_red_project_holds_and_a_green_one_lets_go(red: World) -> None:
    # as a host does it: each executable by an interpreter of its own
    assert red.process("start-loop", "mend it", "--session", red.session).code == 0
    held = red.process("stop-loop", stdin=json.dumps(red.payload()))
    assert held.code == 2
    assert held.stderr == (
        "Not green yet: 1 left after round 1 of 10 · ruff 1\n"
        "app.py:1:8 ruff F401: `os` imported but unused (ruff check --fix)\n"
        f"Task: mend it\n{THEN}\n"
    )
    assert held.notice == "✗ round 1 of 10 · 1 left · N s · /untilgreen:cancel ends it"
    red.write({"app.py": "VALUE = 1\n"})
    done = red.process("stop-loop", stdin=json.dumps(red.payload()))
    assert (done.code, done.stderr) == (0, "")
    assert re.sub(r"[\d.]+ s ", "N s ", done.notice) == "✓ green after 2 rounds, N s · ruff ✓ · left 1 ▁ 0"
    assert red.state["stop_reason"] == "complete"
    assert red.state["verified"] is True
    assert red.stop() == (0, "", "")
