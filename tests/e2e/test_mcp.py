"""The tools of `untilgreen mcp` in the real host, added as people add them."""

import pytest

from world import BIN

from .host import TOOLS, NewHost
from .model import Tool, Turn
from .scenes import NEW_ONLY, UNUSED

pytestmark = [pytest.mark.e2e, pytest.mark.needs("npm")]


@pytest.mark.wide
@NEW_ONLY
def test_a_model_that_asks_is_told_what_is_left_and_is_not_held(new_host: NewHost) -> None:
    turns: list[Turn] = [Tool("mcp__untilgreen__check", {"only": ["lint"]}), "One import is unused."]
    host = new_host(turns, files={"broken.py": UNUSED, "ruff.toml": ""}, path=[BIN])
    added = host.command("mcp", "add", "untilgreen", "--", str(BIN / "untilgreen"), "mcp")
    assert (added.code, "untilgreen" in added.out) == (0, True)

    done = host.run("Is it green?", tools=f"{TOOLS},mcp__untilgreen__check")

    assert done.result["result"] == "One import is unused.", "it holds nobody"
    assert "✗ not green · 1 left: ruff 1" in host.model.told(1)
