"""GitHub Copilot CLI, without an account: it takes any OpenAI-compatible model when it is offline."""

import re
from collections.abc import Sequence
from pathlib import Path

from ..install import cache_folder
from ..sandbox import KEY
from ..wires import Tool
from . import Place, Program, put

PACKAGE = "@github/copilot-linux-x64"  # it needs no Node; `@github/copilot` starts one of these by one


class _Copilot(Program):
    name = "copilot"
    packages = {PACKAGE: "1.0.102"}
    cap = 8

    def start(self, folders: Sequence[Path]) -> list[str]:
        return [str(folders[0] / "node_modules" / PACKAGE / "copilot")]

    def environment(self, place: Place) -> dict[str, str]:
        return {
            "COPILOT_OFFLINE": "true",
            "COPILOT_PROVIDER_BASE_URL": f"{place.url}/v1",
            "COPILOT_PROVIDER_API_KEY": KEY,
            "COPILOT_MODEL": "scripted",
            "COPILOT_AUTO_UPDATE": "false",
            # it unpacks itself there, 235 MB: once for all tests
            "XDG_CACHE_HOME": str(cache_folder() / "copilot-unpacked"),
        }

    def prepare(self, place: Place, _folders: Sequence[Path]) -> None:
        put(place.home / ".copilot" / "config.json", {"trustedFolders": [str(place.project)]})

    def ask(self, prompt: str, session: str = "") -> list[str]:
        resumed = ["--resume", session] if session else []
        return ["-p", prompt, "--output-format", "json", "--allow-all-tools", *resumed]

    def session_of(self, out: str) -> str:
        return str(re.findall(r'"type":"result".*"sessionId":"([^"]+)"', out)[-1])

    def writes(self, path: str, text: str) -> Tool:
        return Tool("create", {"path": path, "file_text": text})

    def edits(self, path: str, old: str, new: str) -> Tool:
        return Tool("edit", {"path": path, "old_str": old, "new_str": new})

    def runs(self, command: str) -> Tool:
        return Tool("bash", {"command": command, "description": "Look"})


PROGRAM = _Copilot()
