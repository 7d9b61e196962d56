"""Claude Code, as one host among others; its own tests have more of it (`host.py`)."""

import json
from collections.abc import Sequence
from pathlib import Path

from ..host import TOOLS
from ..install import PACKAGE, native
from ..sandbox import KEY, QUIET, answers
from ..wires import Tool
from . import Place, Program, put


class _ClaudeCode(Program):
    name = "claude-code"
    packages = {PACKAGE: "2.1.330"}
    behind = "\n</system-reminder>"
    newest = False  # its own tests run on it

    def start(self, folders: Sequence[Path]) -> list[str]:
        return [str(native(folders[0]))]

    def environment(self, place: Place) -> dict[str, str]:
        config = str(place.home / ".claude")
        return {"CLAUDE_CONFIG_DIR": config, "ANTHROPIC_BASE_URL": place.url, "ANTHROPIC_API_KEY": KEY, **QUIET}

    def prepare(self, place: Place, _folders: Sequence[Path]) -> None:
        put(place.home / ".claude" / ".claude.json", answers(place.project))

    def ask(self, prompt: str, session: str = "") -> list[str]:
        resumed = ["--resume", session] if session else []
        return ["-p", prompt, "--output-format", "json", f"--allowedTools={TOOLS}", *resumed]

    def session_of(self, out: str) -> str:
        return str(json.loads(out)["session_id"])

    def writes(self, path: str, text: str) -> Tool:
        return Tool("Write", {"file_path": path, "content": text})

    def edits(self, path: str, old: str, new: str) -> Tool:
        return Tool("Edit", {"file_path": path, "old_string": old, "new_string": new})

    def runs(self, command: str) -> Tool:
        return Tool("Bash", {"command": command})


PROGRAM = _ClaudeCode()
