"""What the real host's calls leave behind: a mark of each hook, a trace of the last stop, fixtures that say nothing."""

import json

import pytest

from .scenes import NEW_ONLY, UNUSED, NewScene, writes

pytestmark = [pytest.mark.e2e, pytest.mark.needs("npm"), NEW_ONLY]


def test_the_hosts_calls_are_marked_explained_and_recorded(new_scene: NewScene) -> None:
    scene = new_scene([writes("broken.py", UNUSED), "Done.", "<ralph>BLOCKED: no more</ralph>"])
    assert scene.shell("untilgreen", "record", "start").code == 0

    run = scene.ask("/untilgreen:loop Add a module")

    folder = scene.project / ".untilgreen"
    marks = {path.name: path.read_text() for path in (folder / "called").iterdir()}
    names = ("session-loop", "post-tool-lint", "post-tool-lsp", "post-tool-ast-grep", "stop-loop")
    assert marks == dict.fromkeys(names, "")
    stop = json.loads(scene.shell("untilgreen", "explain", "--json").out)["stop"]
    assert (stop["session"], stop["step"], stop["reason"]) == (run.session_id, 3, "no more")
    kept = sorted((folder / "recorded").glob("*.json"))
    events = [path.name.partition("-")[2] for path in kept]
    assert [events.count(f"{name}.json") for name in ("Stop", "PostToolUse", "UserPromptSubmit")] == [2, 3, 1]
    texts = "".join(path.read_text() for path in kept)
    assert [gone for gone in (run.session_id, str(scene.project), str(scene.host.env["HOME"])) if gone in texts] == []
    last = str(folder / "recorded" / next(name for name in reversed([p.name for p in kept]) if "-Stop" in name))
    simulated = json.loads(scene.shell("untilgreen", "simulate", "--json", "--session", run.session_id, last).out)
    assert [one["stop"]["step"] for one in simulated["answers"]] == [7]
