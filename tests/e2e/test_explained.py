"""What the real host's calls leave behind: a mark of each hook, a trace of the last stop, shapes that say nothing."""

import json

import pytest

from .scenes import NEW_ONLY, UNUSED, NewScene, writes

pytestmark = [pytest.mark.e2e, pytest.mark.needs("npm"), NEW_ONLY]


def test_the_hosts_calls_are_marked_explained_and_recorded(new_scene: NewScene) -> None:
    scene = new_scene([writes("broken.py", UNUSED), "Done.", "<ralph>BLOCKED: no more</ralph>"])
    shapes = scene.host.home / "shapes"
    scene.host.env["UNTILGREEN_KEEP_PAYLOADS"] = str(shapes)

    run = scene.ask("/untilgreen:loop Add a module")

    folder = scene.project / ".untilgreen"
    marks = {path.name: path.read_text() for path in (folder / "called").iterdir()}
    names = ("session-loop", "post-tool-lint", "stop-loop")
    assert marks == dict.fromkeys(names, "")
    stop = json.loads(scene.shell("untilgreen", "show", "--why", "--json").out)["stop"]
    assert (stop["session"], stop["step"], stop["reason"]) == (run.session_id, 3, "no more")
    kept = sorted(shapes.iterdir())
    events = [path.stem.partition("-")[2] for path in kept]
    assert [events.count(name) for name in ("Stop", "PostToolUse", "UserPromptSubmit")] == [2, 1, 1]
    texts = "".join(path.read_text() for path in kept)
    assert [gone for gone in (run.session_id, str(scene.project), str(scene.host.env["HOME"])) if gone in texts] == []
