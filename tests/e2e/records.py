"""Hooks that write down what they are given, seen from the test."""

import json
import sys
import time
from pathlib import Path
from typing import Any, NamedTuple

SCRIPT = Path(__file__).with_name("recorder.py")
EVENTS = ("SessionStart", "SessionEnd", "UserPromptSubmit", "Stop", "StopFailure", "PostToolUse")


class Recorder(NamedTuple):
    """`settings` registers the recording hooks, `records` is what they wrote to `log` (its form: recorder.py)."""

    log: Path

    def settings(self, *options: str, events: tuple[str, ...] = EVENTS) -> dict[str, Any]:
        """Settings that record those events; `options` as in recorder.py."""
        hook = {"type": "command", "command": sys.executable, "args": ["-I", str(SCRIPT), str(self.log), *options]}
        return {"hooks": {event: [{"hooks": [hook]}] for event in events}}

    def records(self, *events: str) -> list[dict[str, Any]]:
        """What was recorded so far, oldest first, of those events or of all."""
        text = self.log.read_text(encoding="utf-8") if self.log.exists() else ""
        whole = text.rpartition("\n")[0].splitlines()  # the last line may be in the making
        return [record for record in map(json.loads, whole) if not events or record["event"] in events]

    def wait_for(self, event: str, count: int = 1, timeout: float = 30) -> dict[str, Any]:
        """The count-th record of that event (from 1), awaited at most `timeout` seconds."""
        end = time.monotonic() + timeout
        while len(found := self.records(event)) < count:
            assert time.monotonic() < end, f"{event} came {len(found)} times in {timeout} s, not {count}"
            time.sleep(0.05)
        return found[count - 1]
