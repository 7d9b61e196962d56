"""The thin slice, through the installed executables: held, told, released."""

import json

from world import World


def test_a_red_project_holds_and_a_green_one_lets_go(red: World) -> None:
    # as a host does it: each executable by an interpreter of its own
    assert red.process("start-loop", "mend it", "--session", red.session).code == 0
    held = red.process("stop-loop", stdin=json.dumps(red.payload()))
    assert held.code == 2
    assert held.stderr.startswith(
        "Ralph Loop: CONTINUE | Iteration: 2/10 | Current: 1 error(s), 0 warning(s), 0 security issue(s) | "
        "Progress: 0% improvement | Next: Fix 1 remaining error(s)\n"
        "Failing:\n"
        "  app.py:1: F401 `os` imported but unused\n"
    )
    assert held.notice == (
        "untilgreen: round 2/10, 1 error left. To end: Esc, then /untilgreen:cancel (or cancel-loop in any shell)"
    )
    red.write({"app.py": "VALUE = 1\n"})
    done = red.process("stop-loop", stdin=json.dumps(red.payload()))
    assert (done.code, done.stderr) == (0, "")
    assert done.notice.startswith("Ralph Loop: COMPLETE - All conditions satisfied | Session: loop-")
    assert red.state["stop_reason"] == "complete"
    assert red.state["verified"] is True
    assert red.stop() == (0, "", "")
