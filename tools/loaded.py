"""What a hook call loads of ours, in a small Python project with pytest: `python tools/loaded.py`.

Four calls, each with the modules of the package that its process imports (`python -X importtime`) and the lines of
those files. `--modules` names them. A stop ends with a red test; the prompt and the command fall into the same loop.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent / "tests"))

import untilgreen
from untilgreen.cli.installing import command_forms
from world import World

PACKAGE = Path(untilgreen.__file__).parent
PROJECT = {
    "app.py": "VALUE = 1\n",
    "pytest.ini": "[pytest]\n",
    "ruff.toml": "",
    "test_app.py": "def test(): assert 0\n",
}


def calls(world: World) -> Iterator[tuple[str, str, str]]:
    """Each call: what it is, the executable, its payload."""
    used = {"tool_name": "Bash", "tool_input": {"command": "pytest -q"}, "tool_use_id": "t", "duration_ms": 5}
    edited = world.edited("app.py", "VALUE = 1\n", "import os\n")
    yield "a stop of a loop", "stop-loop", json.dumps(world.payload())
    yield "an edit", "post-tool-lint", json.dumps(edited)
    yield "a noted command", "post-tool-bash", json.dumps(world.payload(hook_event_name="PostToolUse", **used))
    yield "a prompt", "session-loop", json.dumps(world.payload(hook_event_name="UserPromptSubmit", prompt="hello"))


def loaded(world: World, name: str, payload: str) -> list[str]:
    """The modules of ours that a call imports, sorted."""
    words = [sys.executable, "-I", "-X", "importtime", "-c", command_forms.code(name, str(PACKAGE.parent))]
    env = world.env | {"CLAUDE_PROJECT_DIR": str(world.project), "CLAUDE_CODE_SESSION_ID": world.session}
    done = subprocess.run(words, input=payload, env=env, capture_output=True, text=True, check=False)
    told = [line for line in done.stderr.splitlines() if line.startswith("import time:")]
    return sorted({line.rpartition("|")[2].strip() for line in told if "untilgreen" in line})


def lines(module: str) -> int:
    """How long the file of a module is."""
    path = PACKAGE.parent / module.replace(".", "/")
    return len((path / "__init__.py" if path.is_dir() else path.with_suffix(".py")).read_text().splitlines())


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description="What a hook call loads of ours.")
    parser.add_argument("--modules", action="store_true", help="name the modules")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        world = World(Path(folder), "all")
        world.write(PROJECT)
        world.commit()
        world.start("go on")
        for what, name, payload in calls(world):
            modules = loaded(world, name, payload)
            print(f"{what:<20}{len(modules):>4} modules {sum(map(lines, modules)):>7,} lines")
            for module in modules if given.modules else ():
                print(f"    {module} {lines(module)}")


if __name__ == "__main__":
    main()
