"""Sessions of the real host that end in mid-loop: killed, by an error, by a limit; and two of them in one folder."""

import json
import os
import signal
from concurrent.futures import ThreadPoolExecutor

import pytest

from .host import TOOLS
from .model import AFTER, Answer, Body, Tool
from .scenes import CLEAN, NEW_ONLY, UNUSED, NewScene, Scene, edits, runs, writes

pytestmark = [pytest.mark.e2e, pytest.mark.needs("npm")]

ONCE = {"CLAUDE_CODE_MAX_RETRIES": "0"}


def parked(scene: Scene) -> tuple[str, str, bool]:
    loop = scene.loop()
    return loop["status"], loop["parked"], loop["parked_until"] != ""


@NEW_ONLY
def test_a_host_that_is_killed_in_mid_loop_is_resumed_and_the_loop_goes_on(new_scene: NewScene) -> None:
    def killed(_: Body) -> str:
        (file,) = (scene.project / ".untilgreen").glob("sessions/*/session.json")
        os.kill(int(json.loads(file.read_text(encoding="utf-8"))["client"]), signal.SIGKILL)
        return "Nobody hears this."

    scene = new_scene([writes("broken.py", UNUSED), "Done.", killed, runs("rm broken.py"), "Mended."])
    assert scene.host.run("/untilgreen:loop Add a module").code == -signal.SIGKILL
    before = scene.loop()
    assert (before["status"], before["iteration"]) == ("running", 2)
    assert f"claude --resume {before['session_id']}" in scene.shell("untilgreen", "status").out

    later = scene.ask("What is left?", "--resume", before["session_id"])

    assert later.result["result"] == "Mended."
    loop = scene.loop()
    assert (loop["loop_id"], loop["stop_reason"], loop["iteration"]) == (before["loop_id"], "complete", 2)


@NEW_ONLY
def test_an_error_and_a_limit_park_the_loop_and_it_goes_on_by_itself(new_scene: NewScene) -> None:
    limit = "This is more than the limit allows. Please try again in 2 seconds"
    # errors that stay: the host asks again after some of them
    scene = new_scene([writes("broken.py", UNUSED), "Done."], after=Answer(["scripted 400"], status=400))
    (scene.host.home.parent.parent / "programs" / "claude").symlink_to(scene.host.binary)
    run = scene.host.run("/untilgreen:loop Add a module", env=ONCE)
    assert run.result["is_error"] is True
    assert parked(scene) == ("paused", "API Error: 400 scripted 400", False)
    scene.model.after = Answer([limit], status=429)
    scene.host.run("And now?", "--resume", run.session_id, env=ONCE)
    status, why, until = parked(scene)
    assert (status, why.startswith("rate limit: "), limit in why, until) == ("paused", True, True, True), why

    scene.model.turns, scene.model.after = [edits("broken.py", UNUSED, CLEAN), "Mended."], AFTER
    done = scene.shell("untilgreen", "resume", "--when-possible", "--", f"--allowedTools={TOOLS}")
    assert (done.code, done.out) == (0, "Mended.\n"), done
    loop = scene.loop()
    assert (loop["stop_reason"], loop["verified"], loop["iteration"], loop["parked"]) == ("complete", True, 2, "")


@pytest.mark.wide
@NEW_ONLY
def test_two_loops_in_one_folder_each_end_green(new_scene: NewScene) -> None:
    def agent(body: Body) -> Tool | str:
        """One that breaks its module, and mends it when it is held."""
        name = "first" if "Mend @first.py" in json.dumps(body["messages"]) else "second"
        turns = [message for message in body["messages"] if message["role"] == "assistant"]
        said: dict[int, Tool | str] = {0: runs(f"echo import os > {name}.py"), 1: "Done.", 2: runs(f"echo > {name}.py")}
        return said.get(len(turns), "Mended.")

    scene = new_scene(after=agent, files={"first.py": CLEAN, "second.py": CLEAN})
    with ThreadPoolExecutor(2) as both:
        asked = [both.submit(scene.ask, f"/untilgreen:loop Mend @{name}.py") for name in ("first", "second")]
        told = [one.result() for one in asked]

    assert [one.result["result"] for one in told] == ["Mended.", "Mended."]
    assert {loop["session_id"] for loop in scene.loops()} == {one.session_id for one in told}
    ends = [(loop["stop_reason"], loop["iteration"], loop["active"]) for loop in scene.loops()]
    assert ends == [("complete", 2, False)] * 2
