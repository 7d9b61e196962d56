"""`untilgreen run` on the real host: a process for each round, from the command line to a scripted model and back."""

import json
import os
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest

from world import BIN

from .host import TOOLS
from .model import Answer, Body, Turn
from .scenes import NEW_ONLY, UNUSED, NewScene, Scene, runs, writes

pytestmark = [pytest.mark.e2e, pytest.mark.needs("npm")]

HEADLESS = ("--", f"--allowedTools={TOOLS}")


def with_claude(scene: Scene) -> Scene:
    """The scene with its host on the PATH under the name that a user types."""
    (scene.host.home.parent.parent / "programs" / "claude").symlink_to(scene.host.binary)
    return scene


def opened(body: Body) -> str:
    """The prompt that a request's conversation begins with."""
    first = body["messages"][0]["content"]
    texts = [first] if isinstance(first, str) else [block.get("text", "") for block in first]
    return next((text for text in texts if text.startswith("## Task\n")), "")


def of_run(scene: Scene) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The loop of the only session that is known here, and the lines of its history."""
    loop = scene.loop()
    path = scene.project / ".untilgreen" / "sessions" / loop["session_id"] / "journal.jsonl"
    return loop, [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_a_run_takes_three_fresh_processes_to_green_and_each_knows_the_feedback_of_the_round_before(
    new_scene: NewScene,
) -> None:
    """Seed 000: resets loopState.messages, and streamProcessor, on continuation."""
    turns: list[Turn] = [
        writes("broken.py", UNUSED),
        "One.",
        runs("mv broken.py other.py"),
        "Two.",
        runs("rm other.py"),
        "Three.",
    ]
    scene = with_claude(new_scene(turns))
    done = scene.shell("untilgreen", "run", "Add a module", "--json", "--last-messages", "1", *HEADLESS)
    assert done.code == 0, done
    told = json.loads(done.out)
    loop, history = of_run(scene)
    ended = {"success": True, "stop_reason": "complete", "iterations": 3, "final_text": "Three."}
    assert told == ended | {"session_id": loop["session_id"], "loop_id": loop["loop_id"]}
    first, second, third = (opened(scene.model.main[number].body) for number in (0, 2, 4))
    for number, prompt in enumerate((first, second, third)):
        assert prompt.startswith("## Task\nAdd a module\n"), prompt
        assert ("## Ralph Summary\n" in prompt, "## Ralph Feedback\n" in prompt) == (number > 0,) * 2
    assert "\nbroken.py:1:8 ruff F401: `os` imported but unused" in second.partition("## Ralph Feedback")[2]
    assert "\n+ other.py:1:8 ruff F401: `os` imported but unused" in third.partition("## Ralph Feedback")[2]
    assert "## Recent Messages\nTwo.\n" in third
    # fresh: nothing of the conversation before
    assert ["One." in json.dumps(scene.model.main[number].body["messages"][1:]) for number in (2, 4)] == [False, False]
    seen = [(one["event"], one["iteration"]) for one in history if one["event"] in ("edit", "shell")]
    assert seen == [("edit", 1), ("shell", 2), ("shell", 3)]
    assert os.listdir(scene.project / ".untilgreen" / "sessions") == [loop["session_id"]]


@pytest.mark.wide
@NEW_ONLY
def test_ctrl_c_a_kill_and_a_rate_limit_in_the_middle_and_the_run_goes_on(new_scene: NewScene) -> None:
    limit = Answer(["This is more than the limit allows. Please try again in 2 seconds"], status=429)
    late = Answer(["Too late."], delay=600)
    turns: list[Turn] = [writes("broken.py", UNUSED), "One.", late, late, limit, runs("rm broken.py"), "Three."]
    scene = with_claude(new_scene(turns, env={"CLAUDE_CODE_MAX_RETRIES": "0"}))
    command = [str(BIN / "untilgreen"), "run", "Add a module", *HEADLESS]
    for requests, number, code in ((3, signal.SIGINT, 130), (4, signal.SIGKILL, -signal.SIGKILL)):
        process = subprocess.Popen(command, cwd=scene.project, env=scene.host.env, start_new_session=True)
        scene.model.wait_for(requests, timeout=60)
        (kept,) = (scene.host.home / ".local/state/untilgreen/runs").glob("*.json")
        child = Path(f"/proc/{json.loads(kept.read_text(encoding='utf-8'))['child']}/cmdline")
        assert b"/programs/claude\0-p\0" in child.read_bytes()
        process.send_signal(number)
        assert process.wait(timeout=60) == code
        assert child.exists() == (number == signal.SIGKILL)
        command = [str(BIN / "untilgreen"), "run", "--resume"]
    done = scene.shell("untilgreen", "run", "--resume", "--json")
    assert (done.code, json.loads(done.out)["iterations"]) == (0, 2), done
    assert "untilgreen: the agent of the runner that was killed was still at work; it was ended\n" in done.err
    assert "untilgreen: rate limit: API Error: " in done.err
    assert "\nuntilgreen: waits until " in done.err
    assert not child.exists()
    prompts = [opened(request.body) for request in scene.model.main[2:6]]
    assert len(set(prompts)) == 1
    assert "\nbroken.py:1:8 ruff F401: `os` imported but unused" in prompts[0].partition("## Ralph Feedback")[2]
    loop, history = of_run(scene)
    rests = [one["event"] for one in history if one["event"] in ("park", "resume", "continue", "release")]
    assert rests == ["continue", *["park", "resume"] * 3, "release"]
    assert (loop["stop_reason"], loop["iteration"]) == ("complete", 2)
