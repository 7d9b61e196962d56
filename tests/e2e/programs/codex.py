"""Codex CLI. Its hooks run only where their user trusted each of them: `registered` does that as its terminal does."""

import json
import time
from collections.abc import Sequence
from pathlib import Path

from untilgreen.hosts.codex import install as trusted

from ..sandbox import KEY
from ..terminal import Terminal
from ..wires import Tool
from . import Place, Program

# the model's name decides which tools the host offers: of this one edits are calls of apply_patch
CONFIG = """\
model = "gpt-5.5"
model_provider = "scripted"
approval_policy = "never"
sandbox_mode = "danger-full-access"
check_for_update_on_startup = false
[analytics]
enabled = false
[model_providers.scripted]
name = "scripted"
base_url = "{url}/v1"
wire_api = "responses"
env_key = "SCRIPTED_API_KEY"
request_max_retries = 0
stream_max_retries = 0
[projects."{project}"]
trust_level = "trusted"
"""


class _Codex(Program):
    name = "codex"
    packages = {"@openai/codex": "0.169.0"}
    behind = "</hook_prompt>"
    plugs = (("plugin", "marketplace", "add", "{}"), ("plugin", "add", "untilgreen@untilgreen"))
    ready = r"2\. Use existing model"

    def start(self, folders: Sequence[Path]) -> list[str]:
        (found,) = folders[0].glob("node_modules/@openai/codex-*/vendor/*/bin/codex")
        return [str(found)]

    def environment(self, place: Place) -> dict[str, str]:
        return {"CODEX_HOME": str(place.home / ".codex"), "SCRIPTED_API_KEY": KEY}

    def prepare(self, place: Place, _folders: Sequence[Path]) -> None:
        (place.home / ".codex").mkdir(parents=True, exist_ok=True)
        config = CONFIG.format(url=place.url, project=place.project)
        (place.home / ".codex" / "config.toml").write_text(config, encoding="utf-8")

    def registered(self, place: Place) -> None:
        """What `Trust all and continue` writes (compared with the host's own by test_codex.py)."""
        for folder in (place.project, place.home):
            hooks = folder / ".codex" / "hooks.json"
            if hooks.exists():
                self._trust(place, str(hooks), hooks)

    def plugged(self, place: Place, checkout: Path) -> None:
        hooks = "plugins/codex/hooks.json"
        self._trust(place, f"untilgreen@untilgreen:{hooks}", checkout / hooks)

    def _trust(self, place: Place, key: str, hooks: Path) -> None:
        hashes = trusted.hashes(key, json.loads(hooks.read_text(encoding="utf-8")))
        with (place.home / ".codex" / "config.toml").open("a", encoding="utf-8") as config:
            for entry, digest in hashes.items():
                config.write(f"[hooks.state.{json.dumps(entry)}]\ntrusted_hash = {json.dumps(digest)}\n")

    def settle(self, terminal: Terminal) -> None:
        """It advertises a newer model."""
        time.sleep(1)  # keys that come while it draws are lost
        terminal.key("down")
        terminal.wait_for(r"\u203a 2\. Use existing model")
        terminal.key("enter")
        terminal.wait_for("Ask Codex to do anything")

    def ask(self, prompt: str, session: str = "") -> list[str]:
        return ["exec", *(["resume"] if session else []), "--json", *([session] if session else []), prompt]

    def session_of(self, out: str) -> str:
        return str(json.loads(out.partition("\n")[0])["thread_id"])

    def writes(self, path: str, text: str) -> Tool:
        lines = "".join(f"+{line}\n" for line in text.splitlines())
        return Tool("apply_patch", f"*** Begin Patch\n*** Add File: {path}\n{lines}*** End Patch\n")

    def edits(self, path: str, old: str, new: str) -> Tool:
        lines = "".join(f"{sign}{line}\n" for sign, text in (("-", old), ("+", new)) for line in text.splitlines())
        return Tool("apply_patch", f"*** Begin Patch\n*** Update File: {path}\n@@\n{lines}*** End Patch\n")

    def runs(self, command: str) -> Tool:
        return Tool("exec_command", {"cmd": command})


PROGRAM = _Codex()
