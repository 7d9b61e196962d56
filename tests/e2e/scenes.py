"""Scenes: a project in which `untilgreen init` was run, a host that works there, and a shell beside it."""

import json
import re
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import pytest

import near
from world import BIN

from .host import TOOLS, Host, Run
from .install import PINNED
from .model import AFTER, Tool, Turn

UNUSED = "import os\n"
"""A module with one finding."""

FOUND = "`os` imported but unused"
# by exit code (older versions), or quietly
_HELD = re.compile(
    r"Stop hook (?:feedback:\n.*?--host claude-code\]|additional context): "
    r"(.*?)(?:</system-reminder>|\n\nUserPromptSubmit |\Z)",
    re.DOTALL,
)
_BEGIN = "UserPromptSubmit says: "

CLEAN = "VALUE = 1\n"

NEW_ONLY = pytest.mark.parametrize("binary", ["latest"], indirect=True)
"""What does not say so is run on the older version, too, by `make e2e`."""


def writes(name: str, text: str) -> Tool:
    """The agent writes a file that was not there."""
    return Tool("Write", {"file_path": name, "content": text})


def edits(name: str, old: str, new: str) -> Tool:
    """The agent changes a file that it wrote or read before."""
    return Tool("Edit", {"file_path": name, "old_string": old, "new_string": new})


def runs(command: str, **options: object) -> Tool:
    """The agent runs a shell command."""
    return Tool("Bash", {"command": command, **options})


def wait_until(so: Callable[[], bool], timeout: float = 30, shown: Callable[[], str] = str) -> None:
    """Returns when it is so; fails after `timeout` seconds, with what is `shown` then."""
    end = time.monotonic() + timeout
    while not so():
        assert time.monotonic() < end, f"not so in {timeout} s {shown()}"
        time.sleep(0.05)


class Shown(NamedTuple):
    """What a command in the second shell printed, its exit code, and the seconds it took."""

    code: int
    out: str
    err: str
    seconds: float


class Scene:
    """One project, one host, one scripted model; any number of sessions. Closed by the host's fixture."""

    def __init__(self, host: Host) -> None:
        self.host = host
        self.project: Path = host.project
        self.model = host.model
        [done] = near.run([near.Call(("untilgreen", "init"))], host.env, self.project)
        assert (done.code, done.stderr) == (0, b""), done

    def shell(self, *words: str) -> Shown:
        """A command of untilgreen, as a person runs it in the project from a shell of their own."""
        began = time.monotonic()
        done = subprocess.run(
            [str(BIN / words[0]), *words[1:]],
            cwd=self.project,
            env=self.host.env,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        return Shown(done.returncode, done.stdout, done.stderr, time.monotonic() - began)

    def ask(self, prompt: str, *args: str, tools: str = TOOLS) -> Run:
        """One headless prompt, answered to its end."""
        run = self.host.run(prompt, *args, tools=tools)
        assert (run.code, run.stderr) == (0, ""), run
        return run

    def loops(self) -> list[dict[str, Any]]:
        """The newest loop of each session."""
        files = sorted((self.project / ".untilgreen").glob("sessions/*/loop_state.json"))
        return [json.loads(file.read_text(encoding="utf-8")) for file in files]

    def loop(self) -> dict[str, Any]:
        """The only session's newest loop."""
        (loop,) = self.loops()
        return loop

    def edits(self) -> dict[str, Any]:
        """What the only session wrote."""
        (file,) = (self.project / ".untilgreen").glob("sessions/*/edits.json")
        found: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
        return found

    def wait_for_loop(self, wanted: Callable[[dict[str, Any]], object]) -> dict[str, Any]:
        """The only session's loop as soon as it is as wanted."""
        found: list[dict[str, Any]] = []

        def there() -> bool:
            try:
                found[:] = self.loops()
            except FileNotFoundError:  # it moves to another session just now
                return False
            return len(found) == 1 and bool(wanted(found[0]))

        wait_until(there)
        return found[0]

    def wait_for_prompts(self, count: int) -> None:
        """Returns when the only session's hook has noted that many prompts."""
        (file,) = (self.project / ".untilgreen").glob("sessions/*/session.json")
        wait_until(lambda: json.loads(file.read_text(encoding="utf-8"))["prompts"] == count)

    @property
    def feedback(self) -> list[str]:
        """What the model was told when it was held, one text a hold, without the host's own words."""
        told = (_HELD.search(request.told) for request in self.model.main)
        return [*dict.fromkeys(found[1].strip() for found in told if found)]  # after Esc the host tells it again

    def shown(self, run: Run) -> list[str]:
        """What a headless run showed the user beside the answers, but for a loop's begin; times as `N s`."""
        told = [text for text in self._informed(run) if not text.startswith(_BEGIN)]
        return [re.sub(r"\b(?:\d+ min )?[\d.]+ s\b", "N s", text) for text in told]

    def begun(self, run: Run) -> list[str]:
        """What a headless run showed the user when a loop began."""
        return [text.removeprefix(_BEGIN) for text in self._informed(run) if text.startswith(_BEGIN)]

    def _informed(self, run: Run) -> list[str]:
        return [str(line["content"]) for line in run.lines if line.get("subtype") == "informational"]

    def visible(self, *texts: str) -> list[str]:
        """These notices as `shown` has them: the older version keeps them to itself when it is headless."""
        if PINNED in self.host.binary.parts:
            return []
        return ["\n".join(f"Stop says: {line}" for line in text.split("\n")) for text in texts]


class NewScene(Protocol):
    """The fixture `new_scene`: arguments as for `NewHost`."""

    def __call__(
        self,
        turns: Sequence[Turn] = (),
        subagent: Sequence[Turn] = (),
        after: Turn = AFTER,
        *,
        settings: Mapping[str, object] | None = None,
        files: Mapping[str, str] | None = None,
        env: Mapping[str, str] | None = None,
    ) -> Scene: ...
