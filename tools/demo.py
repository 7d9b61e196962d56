"""A whole loop with a stand-in for the agent: the hooks, the checkers and the project are real.

    python tools/demo.py

It registers the hooks in a project that is thrown away, calls them as the host would, and prints round by round what
Claude reads and what you see. On a terminal it comes in colour and with pauses, anywhere else at once; it heeds
NO_COLOR, FORCE_COLOR and CI. Exit code 1 if a round goes another way than written here. It needs ruff, mypy, pytest
and untilgreen beside the interpreter that runs it.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import textwrap
import time
import uuid
from pathlib import Path
from typing import Any, NamedTuple

import click

from untilgreen.cli import terminal

BIN = Path(sys.executable).parent
TYPED = "/untilgreen:loop Make the shop work"
PAUSE = 2.0
"""Seconds before each round, for somebody who reads along."""

NEXT = """
Now in a project of yours:
  pip install '.[ast-grep]'               install untilgreen, here in its checkout
  untilgreen init                         in the project: register the hooks
  claude                                  restart Claude Code there
  /untilgreen:loop make the tests pass    type this in it: your first loop
"""
SHOP = """\
import json


def total(prices: list[float]) -> float:
    return str(sum(prices))
"""
PROJECT = {
    "shop.py": SHOP,
    "test_shop.py": "from shop import total\n\n\ndef test_total() -> None:\n    assert total([1.5, 2.5]) == 4\n",
    "pyproject.toml": (
        "[tool.ruff]\nline-length = 100\n\n[tool.mypy]\nstrict = true\n\n"
        '[tool.pytest.ini_options]\npythonpath = ["."]\n'
    ),
}


class Round(NamedTuple):
    """What the agent does (the new text of shop.py, "" for nothing) and says; is it held, and what is shown."""

    does: str
    shop: str
    says: str
    held: bool
    shown: tuple[str, ...]


IMPORTED = SHOP.removeprefix("import json\n\n\n")
ROUNDS = (
    Round(
        "reads the code and changes nothing",
        "",
        "The shop looks fine to me. Done!",
        held=True,
        shown=(
            "shop.py:1:8 ruff F401: `json` imported but unused (ruff check --fix)",
            'shop.py:5:12 mypy return-value: Incompatible return value type (got "str", expected "float")',
            "test_shop.py:4 test_total: assert '4.0' == 4",
        ),
    ),
    Round(
        "removes the unused import",
        IMPORTED,
        "I removed the unused import. Done!",
        held=True,
        shown=("1 fixed since the last round.",),
    ),
    Round(
        "tells the type checker to look away",
        IMPORTED.replace("str(sum(prices))", "str(sum(prices))  # type: ignore[return-value]"),
        "mypy has nothing to say any more. Done!",
        held=True,
        shown=("1 fixed, but 1 new `type: ignore`: this does not count as progress.",),
    ),
    Round(
        "fixes the cause and takes the comment back",
        IMPORTED.replace("str(sum(prices))", "sum(prices)"),
        "total() returns a number now. Done!",
        held=False,
        shown=(),
    ),
)


class Surprise(Exception):
    """The loop went another way than this script says."""


class Stage:
    """A project, a home and a session of their own, and the hooks as `untilgreen init` registered them there."""

    def __init__(self, folder: Path) -> None:
        self.project = folder / "shop"
        self.project.mkdir()
        self.session = str(uuid.uuid4())
        self.env = {
            "HOME": str(folder),
            "XDG_STATE_HOME": str(folder / "state"),
            "PATH": f"{BIN}{os.pathsep}{os.environ.get('PATH', os.defpath)}",
            "LANG": "C.UTF-8",
            "GIT_CONFIG_GLOBAL": os.devnull,
        }
        for name, text in PROJECT.items():
            (self.project / name).write_text(text, encoding="utf-8")
        author = ("-c", "user.name=demo", "-c", "user.email=demo@example.invalid")
        for words in (("init", "-q"), ("add", "-A"), (*author, "commit", "-q", "-m", "A shop")):
            self.call("git", *words)
        self.call(str(BIN / "untilgreen"), "init")
        self.settings = json.loads((self.project / ".claude" / "settings.local.json").read_text(encoding="utf-8"))

    def call(self, *words: str, given: str = "", ends: tuple[int, ...] = (0,)) -> subprocess.CompletedProcess[str]:
        """Run a command in the project. Raises Surprise unless it ends with one of these exit codes."""
        done = subprocess.run(
            words, cwd=self.project, env=self.env, input=given, capture_output=True, encoding="utf-8", check=False
        )
        if done.returncode not in ends:
            raise Surprise(f"{' '.join(words)} ended with {done.returncode}: {done.stdout}{done.stderr}")
        return done

    def host(self, event: str, **fields: Any) -> subprocess.CompletedProcess[str]:
        """Fire an event as the host does: the registered command without a shell, a payload on its stdin."""
        hook = self.settings["hooks"][event][0]["hooks"][0]
        payload = {"session_id": self.session, "cwd": str(self.project), "permission_mode": "default"}
        payload |= {"hook_event_name": event, "prompt_id": "prompt-1"} | fields
        self.env |= {"CLAUDE_PROJECT_DIR": str(self.project), "CLAUDE_CODE_SESSION_ID": self.session}
        return self.call(hook["command"], *hook["args"], given=json.dumps(payload), ends=(0, 2))


def play(stage: Stage) -> None:
    """The loop from the slash command to the release. Raises Surprise."""
    tell(f"You type: {TYPED}", bold=True)
    started = stage.host("UserPromptSubmit", prompt=TYPED)
    said = json.loads(started.stdout) if started.stdout.startswith("{") else {}
    show("Claude reads", str(said.get("hookSpecificOutput", {}).get("additionalContext", "")))
    show("You see", str(said.get("systemMessage", "")))
    expect(started.returncode == 0 and "untilgreen: loop started" in started.stdout, "no loop was started")
    for number, one in enumerate(ROUNDS, 1):
        time.sleep(PAUSE if sys.stdout.isatty() and not os.environ.get("CI") else 0)
        tell(f'\nRound {number}. Claude {one.does}, and stops: "{one.says}"', bold=True)
        if one.shop:
            (stage.project / "shop.py").write_text(one.shop, encoding="utf-8")
        stop = stage.host("Stop", stop_hook_active=number > 1, last_assistant_message=one.says, background_tasks=[])
        held = stop.returncode == 2
        tell(f"  exit code {stop.returncode}: {'Claude keeps working' if held else 'Claude may stop'}")
        expect(stop.stdout != "", f"round {number} should not be silent")
        notice = json.loads(stop.stdout)["systemMessage"]
        if stop.stderr:
            show("Claude reads", stop.stderr)
        show("You see", notice, fg="red" if held else "green")
        expect(held == one.held, f"round {number} should {'hold' if one.held else 'let go'}")
        for part in one.shown:
            expect(part in stop.stderr, f"round {number} should show Claude: {part}")
    expect(notice.startswith("✓ green after 4 rounds, "), "the loop should end as complete")
    again = stage.host("Stop", stop_hook_active=False, last_assistant_message="Bye.", background_tasks=[])
    expect((again.returncode, again.stdout, again.stderr) == (0, "", ""), "a loop that is over should be silent")


def tell(text: str, **style: Any) -> None:
    """A line of the demo's own, or what somebody sees; in colour where stdout takes it."""
    click.echo(click.style(text, **style), color=terminal.colours())


def show(who: str, text: str, **style: Any) -> None:
    """What somebody sees, indented."""
    tell(f"  {who}:", dim=True)
    tell(textwrap.indent(text.rstrip("\n"), "    "), **style)


def expect(fact: bool, otherwise: str) -> None:
    """Raises Surprise where the fact is none."""
    if not fact:
        raise Surprise(otherwise)


def main() -> int:
    """Play the demo; its exit code."""
    lacking = [name for name in ("ruff", "mypy", "pytest", "untilgreen") if not shutil.which(name, path=str(BIN))]
    lacking += [] if shutil.which("git") else ["git"]
    if lacking:
        print(f"demo: {', '.join(lacking)} not found beside {sys.executable}; make demo installs them", file=sys.stderr)
        return 1
    try:
        with tempfile.TemporaryDirectory(prefix="untilgreen-demo-") as folder:
            play(Stage(Path(os.path.realpath(folder))))
    except Surprise as surprise:
        print(f"demo: {surprise}", file=sys.stderr)
        return 1
    tell(NEXT, fg="green")
    return 0


if __name__ == "__main__":
    sys.exit(main())
