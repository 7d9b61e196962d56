"""The thin slice, through the installed executables: held, told, released."""

import json
import re
from typing import Any

from recorded import named
from world import THEN, Answer, World

FEEDBACK = (
    "Not green yet: 1 left after round 1 of 10 · ruff 1\n"
    "broken.py:1:8 ruff F401: `os` imported but unused (ruff check --fix)\n"
    f"Task: Add a module\n{THEN}"
)


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


def test_by_its_recorded_calls_openhands_is_held_and_let_go(green: World) -> None:
    def hears(call: str, hook: str) -> Answer:
        return replayed(green, "openhands", call, hook)

    assert hears("01-SessionStart", "session-loop") == (0, "", "")
    assert (
        "untilgreen: loop started (loop-"
        in json.loads(hears("02-UserPromptSubmit", "session-loop").stdout)["additionalContext"]
    )
    green.write({"broken.py": "import os\n"})
    assert hears("03-PostToolUse-create", "post-tool-lint") == (0, "", ""), "the model would not read it"
    held = hears("04-Stop", "stop-loop")
    assert (held.code, held.stdout, held.stderr) == (2, "", FEEDBACK + "\n")
    green.write({"broken.py": "VALUE = 1\n"})
    assert hears("04-Stop", "stop-loop") == (0, "", "")
    assert hears("05-SessionEnd", "session-loop") == (0, "", "")
    assert ends(green) == [("complete", 2, "openhands")]


def test_by_its_recorded_calls_mistral_vibe_is_held_and_let_go(green: World) -> None:
    def hears(call: str, hook: str) -> Any:
        answer = replayed(green, "vibe", call, hook)
        assert (answer.code, answer.stderr) == (0, "")
        return json.loads(answer.stdout or "{}")

    assert green.run("start-loop", "Add a module").code == 0  # no hook hears of its prompts
    green.write({"broken.py": "import os\n"})
    told = hears("01-post_tool-write", "post-tool-lint")
    assert "broken.py:1:8: F401 `os`" in told["hook_specific_output"]["additional_context"]
    held = hears("02-post_agent", "stop-loop")
    assert (held["decision"], held["reason"]) == ("deny", FEEDBACK)
    green.write({"broken.py": "VALUE = 1\n"})
    assert hears("03-post_tool-bash", "post-tool-bash") == {}
    done = hears("02-post_agent", "stop-loop")
    assert (sorted(done), done["system_message"][:22]) == (["system_message"], "✓ green after 2 rounds")
    assert ends(green) == [("complete", 2, "vibe")]


def test_of_mistral_vibe_a_fork_is_held_and_a_sub_agent_takes_no_loop_that_waits(green: World) -> None:
    assert green.run("start-loop", "Add a module").code == 0
    green.write({"broken.py": "import os\n"})
    assert replayed(green, "vibe", "05-post_agent-sub-agent", "stop-loop") == (0, "", "")
    assert ends(green) == []
    held = json.loads(replayed(green, "vibe", "04-post_agent-fork", "stop-loop").stdout)
    assert (held["decision"], held["reason"]) == ("deny", FEEDBACK)


def test_of_mistral_vibe_what_a_sub_agent_wrote_holds_the_agent_that_it_works_for(green: World) -> None:
    main, agent = (named("vibe", f"cli.{one}").payload for one in ("02-post_agent", "05-post_agent-sub-agent"))
    by_agent = {"session_id": agent["session_id"], "parent_session_id": main["session_id"]}
    assert green.run("start-loop", "Add a module").code == 0
    green.write({"broken.py": "import os\n"})
    assert "F401" in replayed(green, "vibe", "01-post_tool-write", "post-tool-lint", **by_agent).stdout
    held = json.loads(replayed(green, "vibe", "02-post_agent", "stop-loop").stdout)
    assert (held.get("decision"), held.get("reason")) == ("deny", FEEDBACK)


def replayed(world: World, host: str, call: str, hook: str, **fields: str) -> Answer:
    """What a hook answers to a recorded call of this host with other `fields`, as if it had been made in this world."""
    recorded = named(host, f"cli.{call}")
    payload = json.dumps(recorded.payload | fields).replace("/tmp/project", str(world.project))
    return world.run(hook, "--host", host, stdin=payload.replace("/tmp/home", str(world.home)), env=recorded.env)


def ends(world: World) -> list[tuple[str, int, str]]:
    files = (world.project / ".untilgreen" / "sessions").glob("*/loop_state.json")
    loops = [json.loads(file.read_text(encoding="utf-8")) for file in files]
    return [(one["stop_reason"], one["iteration"], one["host"]) for one in loops]
