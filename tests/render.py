"""The registrations that lie in the repository, rendered: `python tests/render.py` writes both files again."""

import json
from pathlib import Path
from typing import Any

from untilgreen.cli.installing import command_forms
from untilgreen.hosts.claude_code import settings

REPOSITORY = Path(__file__).resolve().parent.parent
BIN = "${CLAUDE_PROJECT_DIR}/.venv/bin/"
PLUGIN = "${CLAUDE_PLUGIN_ROOT}/hooks"


def example() -> dict[str, Any]:
    """For settings that a team shares, as `untilgreen init --shared` writes them: untilgreen is installed in the
    project's own environment."""
    return {
        "hooks": {
            event: [group] for event, group in settings.entries(command_forms.scripts(BIN, "claude-code")).items()
        }
    }


def plugin() -> dict[str, Any]:
    """For the plugin: the executables of the checkout, by whatever `python3` there is. With -E and not -I, for the
    packages that it needs may be where `pip install --user` put them."""
    table = settings.entries(command_forms.scripts(f"{PLUGIN}/", "claude-code"))
    for hook in (hook for group in table.values() for hook in group["hooks"]):
        hook["args"] = ["-E", hook["command"], *hook["args"]]
        hook["command"] = "python3"
    return {"hooks": {event: [group] for event, group in table.items()}}


FILES = {REPOSITORY / "settings.example.json": example, REPOSITORY / "hooks" / "hooks.json": plugin}

if __name__ == "__main__":
    for path, render in FILES.items():
        path.write_text(json.dumps(render(), indent=2) + "\n", encoding="utf-8")
        print(path.relative_to(REPOSITORY))
