"""OpenCode, with the library for plugins where it would fetch it: offline it waits for that for ever."""

import json
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

from ..sandbox import KEY
from ..wires import Tool
from . import Place, Program, put


class OpenCode(Program):
    name = "opencode"
    packages = {"opencode-linux-x64": "1.18.33", "@opencode-ai/plugin": "1.18.33"}
    ready = r"ctrl\+p commands"
    busy = "esc interrupt"
    cannot: ClassVar = {
        "test_esc_at_its_terminal_while_a_check_runs_ends_it_and_counts_no_round": "the session rests by "
        "then: Esc ends nothing, and a prompt ends the check"
    }
    newest = False  # the two packages are of one version

    def start(self, folders: Sequence[Path]) -> list[str]:
        return [str(folders[0] / "node_modules/opencode-linux-x64/bin/opencode")]

    def environment(self, _place: Place) -> dict[str, str]:
        switches = ("AUTOUPDATE", "MODELS_FETCH", "LSP_DOWNLOAD", "DEFAULT_PLUGINS")
        return {f"OPENCODE_DISABLE_{name}": "1" for name in switches}

    def prepare(self, place: Place, folders: Sequence[Path]) -> None:
        self._placed(place, folders, place.home / ".config/opencode", "opencode.json", place.project / ".opencode")

    def _placed(self, place: Place, folders: Sequence[Path], own: Path, file: str, project: Path) -> None:
        """Its configuration in its own folder, and the library there and in the project's."""
        model = {"name": "scripted", "limit": {"context": 200_000, "output": 32_000}}
        options = {"baseURL": f"{place.url}/v1", "apiKey": KEY}
        rig = {"npm": "@ai-sdk/openai-compatible", "options": options, "models": {"scripted": model}}
        config: dict[str, object] = {"provider": {"rig": rig}, "model": "rig/scripted", "small_model": "rig/scripted"}
        config |= {"autoupdate": False, "share": "disabled", "permission": {"edit": "allow", "bash": "allow"}}
        put(own / file, config)
        for folder in (own, project):
            (folder / "node_modules").mkdir(parents=True)
            for one in (folders[1] / "node_modules").iterdir():
                if one.is_dir():
                    (folder / "node_modules" / one.name).symlink_to(one)
                else:  # the list of what is there, which it writes again
                    shutil.copy(one, folder / "node_modules")
            (folder / ".gitignore").write_text("node_modules\n", encoding="utf-8")

    def ask(self, prompt: str, session: str = "") -> list[str]:
        return ["run", "--format", "json", *(["--session", session] if session else []), prompt]

    def session_of(self, out: str) -> str:
        return str(json.loads(out.splitlines()[0])["sessionID"])

    def writes(self, path: str, text: str) -> Tool:
        return Tool("write", {"filePath": path, "content": text})

    def edits(self, path: str, old: str, new: str) -> Tool:
        return Tool("edit", {"filePath": path, "oldString": old, "newString": new})

    def runs(self, command: str) -> Tool:
        return Tool("bash", {"command": command, "description": "look"})


PROGRAM = OpenCode()
