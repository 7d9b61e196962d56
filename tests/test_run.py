"""`untilgreen run`: a process of the agent for each round, judged like the stops of a loop; with a scripted agent.

Seed 001's list of tests is here by name, and seed 000's of the service that starts the agent.
"""

import json
import time
from collections.abc import Callable, Mapping
from typing import Any

from world import Answer, World

AGENT = """#!/bin/sh
turns=$(dirname "$0")/turns
number=$(($(ls "$turns" | grep -c prompt) + 1))
cat >"$turns/$number.prompt"
echo "$*" >"$turns/$number.args"
if [ -e "$turns/$number" ]; then . "$turns/$number"; else echo "Nothing more to do."; fi
"""
MENDED = "printf 'VALUE = 1\\n' >app.py"
SLEEPS = 'echo $$ >"$turns/pid"; exec sleep 600'


class Agent:
    """A program that plays its turns, each in `sh`, and keeps what it was told."""

    def __init__(self, world: World, *turns: str) -> None:
        self.world, self.folder = world, world.tmp / "turns"
        self.folder.mkdir()
        self.program = world.tmp / "agent"
        self.program.write_text(AGENT)
        self.program.chmod(0o755)
        self.plays(*turns)

    def plays(self, *turns: str) -> None:
        """These turns come next."""
        for number, turn in enumerate(turns, len(self.prompts) + 1):
            (self.folder / str(number)).write_text(f"{turn}\n")

    @property
    def prompts(self) -> list[str]:
        """What it was told, process by process."""
        return [path.read_text() for path in sorted(self.folder.glob("*.prompt"), key=lambda one: int(one.stem))]

    def words(self, *words: str) -> tuple[str, ...]:
        """The command that starts the run."""
        return ("untilgreen", "run", *words, "--command", str(self.program), "--json")

    def run(self, *words: str, **rest: Any) -> tuple[int, dict[str, Any], str]:
        """A run with it, to its end: the exit code, what stdout tells, and the lines on stderr."""
        return ended(self.world.run(*self.words(*words), **rest))


def ended(answer: Answer) -> tuple[int, dict[str, Any], str]:
    return answer.code, json.loads(answer.stdout) if answer.stdout else {}, answer.stderr


def told(found: dict[str, Any]) -> list[Any]:
    return [found[name] for name in ("success", "stop_reason", "iterations", "final_text")]


def loop_of(world: World, found: Mapping[str, Any]) -> dict[str, Any]:
    path = world.project / ".untilgreen" / "sessions" / found["session_id"] / "loop_state.json"
    loaded: dict[str, Any] = json.loads(path.read_text())
    return loaded


def wait_until(so: Callable[[], object]) -> None:
    end = time.monotonic() + 120
    while not so():
        assert time.monotonic() < end
        time.sleep(0.02)


def test_stops_when_completion_marker_appears(red: World) -> None:
    agent = Agent(red, f"{MENDED}; echo 'It is green.'", "echo '<ralph>COMPLETE</ralph>'")
    code, found, _ = agent.run("Mend it", "--preset", "talkcody")
    assert (code, told(found)) == (0, [True, "complete", 2, "<ralph>COMPLETE</ralph>"])
    assert "- When the task is fully done, output exactly: <ralph>COMPLETE</ralph>" in agent.prompts[0]


def test_stops_when_blocked_marker_appears(red: World) -> None:
    code, found, lines = Agent(red, "echo '<ralph>BLOCKED: no key</ralph>'").run("Mend it")
    assert (code, told(found)) == (4, [False, "blocked", 1, "<ralph>BLOCKED: no key</ralph>"])
    assert "blocked: no key" in lines


def test_writes_iteration_artifacts(red: World) -> None:
    agent = Agent(red, "echo 'import os' >more.py; echo One", "exit 3", "echo Two")
    code, found, lines = agent.run("Mend it")
    assert (code, told(found)) == (5, [False, "error", 2, "One"])
    assert "agent: exit code 3; go on with: untilgreen run --resume --session " in lines
    folder = red.project / ".untilgreen" / "sessions" / found["session_id"]
    files = {name: (folder / name).read_text() for name in ("ralph-summary.md", "ralph-feedback.md")}
    assert json.loads((folder / "ralph-iteration.json").read_text())["iteration"] == 1
    assert "## Iteration 1\n" in files["ralph-summary.md"]
    assert files["ralph-feedback.md"].startswith("Not green yet: 2 left after round 1 of 10 · ruff 2\n")
    # what failed counted for nothing
    assert (loop_of(red, found)["iteration"], len(loop_of(red, found)["snapshots"])) == (2, 1)


def test_respects_max_iteration_limit(red: World) -> None:
    agent = Agent(red)
    code, found, lines = agent.run("Mend it", "--max-iterations", "2")
    assert (code, told(found), len(agent.prompts)) == (5, [False, "max-iterations", 2, "Nothing more to do."], 2)
    assert "■ stopped: 2 rounds used up · 1 left: ruff 1 · left 1 1\n" in lines, lines


def test_calls_llmservice_runagentloop_without_ralph_branching(red: World) -> None:
    """Every round starts the agent by the same words; the rounds are in what it is told alone."""
    agent = Agent(red, "echo One", f"{MENDED}; echo Two")
    words = ("untilgreen", "run", "Mend it", "--command", f"{agent.program} --quiet {{prompt}}", "--", "--model", "x y")
    answer = red.run(*words)
    assert answer.code == 0, answer
    args = [(agent.folder / f"{number}.args").read_text() for number in (1, 2)]
    assert agent.prompts == ["", ""]
    for number, line in enumerate(args, 1):
        assert line.startswith("--quiet ## Task\nMend it\n\n## Stop Rules\nRound "), line
        assert (f"\nRound {number} of 10." in line, line.endswith(" --model x y\n")) == (True, True)
    assert "\nround 1 of 10 · agent\n✗ not green · round 1 of 10 · 1 left: ruff 1 · " in answer.stdout
    assert answer.stdout.splitlines()[-1].startswith("✓ green after 2 rounds, ")


def test_handles_ralph_continuation_correctly(red: World) -> None:
    """A continuation is a new process, which is told the summary, the feedback and as many messages as asked for."""
    red.write({"untilgreen.toml": "context.include_last_n_messages = 2\n"})
    agent = Agent(red, "echo One", "printf '\\033[1mTwo\\033[0m\\007\\n'", "echo Three", f"{MENDED}; echo Four")
    code, found, _ = agent.run("Mend it", "--context", "bugfix", "--stagnation-limit", "0")
    assert (code, told(found)) == (0, [True, "complete", 4, "Four"])
    first, _, _, last = agent.prompts
    assert [part for part in last.split("\n") if part.startswith("## ") and "Iteration" not in part] == [
        *("## Task", "## Stop Rules", "## Ralph Summary", "## Files Changed", "## Tool Results", "## Errors"),
        *("## Last Output (truncated)", "## Previous Summary", "## Ralph Feedback", "## Recent Messages"),
    ]
    assert last.endswith("## Recent Messages\nTwo\n\n---\n\nThree\n")
    assert "## Ralph" not in first
    assert "app.py:1:8 ruff F401" in last.partition("## Ralph Feedback")[2]
