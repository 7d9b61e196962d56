"""Gemini CLI."""

import json
from collections.abc import Sequence
from pathlib import Path

from ..install import NODE, node
from ..sandbox import KEY
from ..wires import HERE, Tool
from . import Place, Program, put

_MODEL = "gemini-2.5-pro"


class _GeminiCli(Program):
    name = "gemini"
    ready = "Type your message"
    busy = "esc to cancel"
    plugs = (("extensions", "install", "{}/plugins/gemini", "--consent"),)
    packages = {"@google/gemini-cli": "0.61.0", NODE: "22.23.3"}

    def start(self, folders: Sequence[Path]) -> list[str]:
        host, runtime = folders
        return [node(runtime), str(host / "node_modules" / "@google" / "gemini-cli" / "bundle" / "gemini.js")]

    def environment(self, place: Place) -> dict[str, str]:
        quiet = {"GEMINI_TELEMETRY_ENABLED": "false"}
        return {"GEMINI_API_KEY": KEY, "GOOGLE_GEMINI_BASE_URL": place.url, **quiet}

    def prepare(self, place: Place, _folders: Sequence[Path]) -> None:
        settings = {
            "security": {"auth": {"selectedType": "gemini-api-key"}},
            "privacy": {"usageStatisticsEnabled": False},
            "telemetry": {"enabled": False},
            "general": {"enableAutoUpdate": False, "disableAutoUpdate": True},
        }
        put(place.home / ".gemini" / "settings.json", settings)

    def registered(self, place: Place) -> None:
        put(place.home / ".gemini" / "trustedFolders.json", {str(place.project): "TRUST_FOLDER"})

    def plugged(self, place: Place, checkout: Path) -> None:
        put(
            place.home / ".gemini" / "trustedFolders.json",
            dict.fromkeys(map(str, (place.project, checkout)), "TRUST_FOLDER"),
        )

    def ask(self, prompt: str, session: str = "") -> list[str]:
        resumed = ["--resume", session] if session else []
        return ["-p", prompt, "--output-format", "json", *self.sit_down(), *resumed]

    def sit_down(self) -> list[str]:
        return ["--yolo", "-m", _MODEL]

    def session_of(self, out: str) -> str:
        return str(json.loads(out)["session_id"])

    def writes(self, path: str, text: str) -> Tool:
        return Tool("write_file", {"file_path": f"{HERE}/{path}", "content": text})

    def edits(self, path: str, old: str, new: str) -> Tool:
        given = {"file_path": f"{HERE}/{path}", "instruction": "mend it", "old_string": old, "new_string": new}
        return Tool("replace", given)

    def runs(self, command: str) -> Tool:
        return Tool("run_shell_command", {"command": command})


PROGRAM = _GeminiCli()
