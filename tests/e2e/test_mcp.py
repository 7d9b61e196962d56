"""The tools of `untilgreen mcp` in the real host, added as people add them."""

import pytest

from world import BIN

from .host import TOOLS, Host, NewHost
from .model import Tool, Turn
from .scenes import NEW_ONLY, UNUSED, NewScene, runs

pytestmark = [pytest.mark.e2e, pytest.mark.wide, pytest.mark.needs("npm")]

FILES = {"broken.py": UNUSED, "ruff.toml": ""}


def added(host: Host) -> str:
    """Adds the server; the tools that a run may use then."""
    done = host.command("mcp", "add", "untilgreen", "--", str(BIN / "untilgreen"), "mcp")
    assert done.code == 0, done
    return f"{TOOLS},mcp__untilgreen__check,mcp__untilgreen__start"


@NEW_ONLY
def test_a_model_that_asks_is_told_what_is_left_and_is_not_held(new_host: NewHost) -> None:
    turns: list[Turn] = [Tool("mcp__untilgreen__check", {"only": ["lint"]}), "One import is unused."]
    host = new_host(turns, files=FILES, path=[BIN])

    done = host.run("Is it green?", tools=added(host))

    assert done.result["result"] == "One import is unused.", "it holds nobody"
    assert "✗ not green · 1 left: ruff 1" in host.model.told(1)


@NEW_ONLY
def test_where_the_hooks_are_there_a_loop_that_the_model_starts_holds_its_own_session(new_scene: NewScene) -> None:
    start = Tool("mcp__untilgreen__start", {"task": "Mend it", "only": ["lint"]})
    scene = new_scene([start, "Done.", runs("rm broken.py"), "Done."], files=FILES)

    done = scene.host.run("Begin a loop.", tools=added(scene.host))

    assert f"session {done.session_id}\n" in scene.host.model.told(1)
    assert "Not green yet: 1 left after round 1 of 10 · ruff 1" in scene.host.model.told(2)
    assert len(scene.host.model.main) == 4, "it is let go once it is green"
