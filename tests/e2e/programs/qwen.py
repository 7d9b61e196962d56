"""Qwen Code, which runs on Node 22."""

import json
from collections.abc import Sequence
from pathlib import Path

from ..install import NODE, node
from ..model import MODEL
from ..sandbox import KEY
from ..wires import HERE, Tool
from . import Place, Program, put


class _QwenCode(Program):
    name = "qwen"
    packages = {"@qwen-code/qwen-code": "0.24.4", NODE: "22.23.3"}
    cap = 7
    plugs = (("extensions", "install", "{}/plugins/qwen", "--consent"),)
    ready = "Type your message"
    busy = "esc to cancel"

    def start(self, folders: Sequence[Path]) -> list[str]:
        host, runtime = folders
        return [node(runtime), str(host / "node_modules" / "@qwen-code" / "qwen-code" / "cli.js")]

    def environment(self, place: Place) -> dict[str, str]:
        quiet = {"QWEN_TELEMETRY_ENABLED": "false", "QWEN_CODE_SUPPRESS_YOLO_WARNING": "1"}
        return {"OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": f"{place.url}/v1", "OPENAIMODEL": MODEL, **quiet}

    def prepare(self, place: Place, _folders: Sequence[Path]) -> None:
        settings = {
            "privacy": {"usageStatisticsEnabled": False},
            "telemetry": {"enabled": False},
            "general": {"disableAutoUpdate": True, "enableAutoUpdate": False},
            "security": {"folderTrust": {"enabled": False}, "auth": {"selectedType": "openai"}},
            "model": {"name": MODEL},
        }
        put(place.home / ".qwen" / "settings.json", settings)

    def ask(self, prompt: str, session: str = "") -> list[str]:
        resumed = ["--resume", session] if session else []
        return ["-p", prompt, "--output-format", "json", *self.sit_down(), *resumed]

    def sit_down(self) -> list[str]:
        return ["--yolo", "--auth-type", "openai", "-m", MODEL]

    def session_of(self, out: str) -> str:
        return str(json.loads(out)[-1]["session_id"])

    def writes(self, path: str, text: str) -> Tool:
        return Tool("write_file", {"file_path": f"{HERE}/{path}", "content": text})

    def edits(self, path: str, old: str, new: str) -> Tool:
        return Tool("edit", {"file_path": f"{HERE}/{path}", "old_string": old, "new_string": new})

    def runs(self, command: str) -> Tool:
        return Tool("run_shell_command", {"command": command, "is_background": False, "description": "a look"})


PROGRAM = _QwenCode()
