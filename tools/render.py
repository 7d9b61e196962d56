"""The registrations that lie in the repository, rendered: `python tools/render.py` writes all of these files again.

The checkout is a plugin of Claude Code, Codex and Copilot, and has an extension for Gemini and for Qwen. All of them
call `hooks/launch` at the events for which `untilgreen init` registers, and have the commands that it writes.
"""

import copy
import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from untilgreen.cli.installing import command_forms, targets
from untilgreen.hosts.host import Scope

REPOSITORY = Path(__file__).resolve().parent.parent
BIN = "${CLAUDE_PROJECT_DIR}/.venv/bin/"
MAKING = 120  # seconds that uv may take for the packages, and for a Python, when a session begins
ROOT = "${CLAUDE_PLUGIN_ROOT}"
PLUGINS = {"codex": ".codex-plugin/plugin.json", "copilot": ".github/plugin/plugin.json"}
EXTENSIONS = {"gemini": "${extensionPath}", "qwen": ROOT}
COPILOT = (b"name: untilgreen:", b"name: ")


def example() -> dict[str, Any]:
    """For settings that a team shares: untilgreen is installed in the project's own environment. The hooks of an edit
    stand there one by one, each to be left out; `untilgreen init --shared` writes one call for the three."""
    claude, call = targets.settings("claude-code"), command_forms.scripts(BIN, "claude-code")
    table = claude.entries(call)
    for group in table["PostToolUse"]:
        group["hooks"] = [
            claude.entry(name, *call(name), entry["timeout"])
            for entry in group["hooks"]
            for name in claude.hooks_in(entry)
        ]
    return {"hooks": table}


def plugin(host: str, launch: str) -> dict[str, Any]:
    """Its hooks: `hooks/launch` finds an installation that can run the executable. It may make one first."""
    ours = copy.copy(targets.settings(host))
    ours.ROWS = tuple(row._replace(seconds=MAKING) if row.event == "SessionStart" else row for row in ours.ROWS)
    table = ours.entries(command_forms.scripts("", host))
    for hook in (hook for groups in table.values() for group in groups for hook in group["hooks"]):
        if "args" in hook:  # no shell
            key = "exec" if "exec" in hook else "command"
            hook["args"] = [hook[key], *hook["args"]]
            hook[key] = launch
        else:
            hook["command"] = f'"{launch}" {hook["command"]}'
    return {"hooks": table}


def texts(host: str) -> dict[str, bytes]:
    """The commands and the skill as `untilgreen init` writes them, by their paths in the host's folder. Copilot puts
    the plugin's name before those of its skills."""
    target = targets.Target(host, targets.settings(host), Scope("local", ""))
    written = targets.templates(target, "", {}).items()
    return {os.path.relpath(path, target.settings.FOLDER): text.replace(*COPILOT, 1) for path, text in written}


def manifest(*keys: str, **more: str) -> dict[str, Any]:
    """What all manifests say of us, and what one says beside that."""
    known = json.loads((REPOSITORY / ".claude-plugin" / "plugin.json").read_text(encoding="utf-8"))
    return {key: known[key] for key in ("name", "version", "description", *keys)} | more


def rendered() -> Iterator[tuple[str, bytes]]:
    """Path in the repository and content of each file."""
    yield "settings.example.json", dumped(example())
    yield "hooks/hooks.json", dumped(plugin("claude-code", f"{ROOT}/hooks/launch"))
    for host, path in PLUGINS.items():
        own = {"skills": f"./plugins/{host}/skills", "hooks": f"./plugins/{host}/hooks.json"}
        yield path, dumped(manifest("author", "license", "keywords", **own))
        yield f"plugins/{host}/hooks.json", dumped(plugin(host, f"{ROOT}/hooks/launch"))
    for host, folder in EXTENSIONS.items():
        yield f"plugins/{host}/{host}-extension.json", dumped(manifest())
        yield f"plugins/{host}/hooks/hooks.json", dumped(plugin(host, f"{folder}/launch"))
        yield f"plugins/{host}/launch", (REPOSITORY / "hooks" / "launch").read_bytes()
    for host in (*PLUGINS, *EXTENSIONS):
        yield from ((f"plugins/{host}/{name}", text) for name, text in texts(host).items())


def dumped(document: dict[str, Any]) -> bytes:
    return f"{json.dumps(document, indent=2)}\n".encode()


if __name__ == "__main__":
    for name, content in rendered():
        file = REPOSITORY / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
        file.chmod(0o755 if file.name == "launch" else 0o644)
        sys.stdout.write(f"{name}\n")
