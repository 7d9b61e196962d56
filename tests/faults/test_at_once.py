"""Fifty calls at once, of ten sessions in one project: each is answered, none is lost, and nothing is green."""

import json
import uuid

from near import Call
from world import World


def test_fifty_calls_at_once_lose_nothing_and_make_nothing_green(red: World) -> None:
    sessions = [str(uuid.uuid4()) for _ in range(10)]
    calls = []
    for one in sessions:
        words = ("--no-zero-errors", "--check", "a=false", "--stagnation-limit", "0")
        assert red.run("start-loop", "mend it", "--session", one, *words).code == 0
        prompt = {"session_id": one, "cwd": str(red.project), "hook_event_name": "UserPromptSubmit", "prompt": "go on"}
        edit = red.edited("app.py", "import os\n\nVALUE = 1\n", "VALUE = 1\n", session_id=one)
        stop = red.payload(session_id=one)
        calls += [("stop-loop", stop), ("stop-loop", stop), ("session-loop", prompt)]
        calls += [("post-tool-lint", edit), ("post-tool-lsp", edit)]
    answers = red.at_once(*(Call((name,), json.dumps(payload).encode()) for name, payload in calls))
    assert len(answers) == 50
    for (name, _), answer in zip(calls, answers, strict=True):
        assert answer.code in ((0, 2) if name == "stop-loop" else (0,)), answer
        assert "Traceback" not in answer.stdout + answer.stderr
        assert "a bug in untilgreen" not in answer.stdout
    for one in sessions:
        red.session = one
        rounds = sum(a.held for (_, payload), a in zip(calls, answers, strict=True) if payload["session_id"] == one)
        state = red.state
        assert (state["active"], state["iteration"], len(state["snapshots"])) == (True, 1 + rounds, rounds)
        assert rounds <= 1
        assert red.known["prompts"] == 1
        assert red.edits["written"] == ["app.py"]
    assert [path.name for path in red.folder.parent.rglob("*") if ".tmp" in path.name or "corrupt" in path.name] == []
