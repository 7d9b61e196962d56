"""The registrations that lie in the repository, rendered: `python tests/render.py` writes both files again."""

import json
from pathlib import Path
from typing import Any

from untilgreen.cli import registration

REPOSITORY = Path(__file__).resolve().parent.parent
VENV = "${CLAUDE_PROJECT_DIR}/.venv"
PLUGIN = "${CLAUDE_PLUGIN_ROOT}/hooks"


def example() -> dict[str, Any]:
    """For settings that a team shares: untilgreen is installed in the project's own environment."""
    package = f"{VENV}/lib/python3.11/site-packages/untilgreen"
    return {"hooks": registration.entries(f"{VENV}/bin/python", package)}


def plugin() -> dict[str, Any]:
    """For the plugin: the executables of the checkout, by whatever `python3` there is. With -E and not -I, for the
    packages that it needs may be where `pip install --user` put them."""
    table = registration.entries("python3", PLUGIN)
    for hook in (hook for [group] in table.values() for hook in group["hooks"]):
        _, module, *rest = hook["args"]
        name = module.removeprefix(f"{PLUGIN}/").removesuffix(".py").replace("_", "-")
        hook["args"] = ["-E", f"{PLUGIN}/{name}", *rest]
    return {"hooks": table}


FILES = {REPOSITORY / "settings.example.json": example, REPOSITORY / "hooks" / "hooks.json": plugin}

if __name__ == "__main__":
    for path, render in FILES.items():
        path.write_text(json.dumps(render(), indent=2) + "\n", encoding="utf-8")
        print(path.relative_to(REPOSITORY))
