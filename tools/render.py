"""The registrations that lie in the repository, rendered: `python tools/render.py` writes both files again."""

import json
from pathlib import Path
from typing import Any

from untilgreen.cli.installing import command_forms
from untilgreen.hosts.claude_code.install import SETTINGS

REPOSITORY = Path(__file__).resolve().parent.parent
BIN = "${CLAUDE_PROJECT_DIR}/.venv/bin/"
PLUGIN = "${CLAUDE_PLUGIN_ROOT}/hooks"
MAKING = 120  # seconds that uv may take for the packages, and for a Python, when a session begins


def example() -> dict[str, Any]:
    """For settings that a team shares: untilgreen is installed in the project's own environment. The hooks of an edit
    stand there one by one, each to be left out; `untilgreen init --shared` writes one call for the three."""
    call = command_forms.scripts(BIN, "claude-code")
    table = SETTINGS.entries(call)
    for group in table["PostToolUse"]:
        group["hooks"] = [
            SETTINGS.entry(name, *call(name), entry["timeout"])
            for entry in group["hooks"]
            for name in SETTINGS.hooks_in(entry)
        ]
    return {"hooks": table}


def plugin() -> dict[str, Any]:
    """For the plugin: `hooks/launch` finds an installation that can run the executable. It may make one first."""
    table = SETTINGS.entries(command_forms.scripts("", "claude-code"))
    for hook in (hook for groups in table.values() for group in groups for hook in group["hooks"]):
        hook["args"] = [hook["command"], *hook["args"]]
        hook["command"] = f"{PLUGIN}/launch"
    table["SessionStart"][0]["hooks"][0]["timeout"] = MAKING
    return {"hooks": table}


FILES = {REPOSITORY / "settings.example.json": example, REPOSITORY / "hooks" / "hooks.json": plugin}

if __name__ == "__main__":
    for path, render in FILES.items():
        path.write_text(json.dumps(render(), indent=2) + "\n", encoding="utf-8")
        print(path.relative_to(REPOSITORY))
