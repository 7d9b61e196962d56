"""GitHub Copilot CLI, without an account: it takes any OpenAI-compatible model when it is offline."""

import re
from collections.abc import Sequence
from pathlib import Path

from ..install import cache_folder
from ..sandbox import KEY
from ..terminal import Terminal
from ..wires import Tool
from . import Place, Program, put

PACKAGE = "@github/copilot-linux-x64"  # it needs no Node; `@github/copilot` starts one of these by one


class _Copilot(Program):
    name = "copilot"
    packages = {PACKAGE: "1.0.102"}
    cap = 8
    plugs = (("plugin", "marketplace", "add", "{}"), ("plugin", "install", "untilgreen@untilgreen"))
    ready = r"No copilot-instructions\.md found|built-in catalog"  # its prompt shows before it knows its skills
    busy = "esc esc interrupt"
    cannot = {
        "test_esc_at_its_terminal_while_a_check_runs_ends_it_and_counts_no_round": "no key ends a hook there",
    }

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

    def sit_down(self) -> list[str]:
        return ["--allow-all-tools"]

    def settle(self, terminal: Terminal) -> None:
        """Its menu has our commands a moment later."""
        terminal.type("/untilgreen:l")
        terminal.wait_for("Work until the project's checks are green")
        terminal.key("esc")
        for _ in "/untilgreen:l":
            terminal.key("backspace")

    def ask(self, prompt: str, session: str = "") -> list[str]:
        resumed = ["--resume", session] if session else []
        return ["-p", prompt, "--output-format", "json", *self.sit_down(), *resumed]

    def session_of(self, out: str) -> str:
        return str(re.findall(r'"type":"result".*"sessionId":"([^"]+)"', out)[-1])

    def writes(self, path: str, text: str) -> Tool:
        return Tool("create", {"path": path, "file_text": text})

    def edits(self, path: str, old: str, new: str) -> Tool:
        return Tool("edit", {"path": path, "old_str": old, "new_str": new})

    def runs(self, command: str) -> Tool:
        return Tool("bash", {"command": command, "description": "Look"})


PROGRAM = _Copilot()
