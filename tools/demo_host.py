"""The shop of tools/demo.py in the real Claude Code, with a scripted model in the place of the real one: two rounds.

    python tools/demo_host.py
    python tools/demo_host.py --goal    the host's own /goal on the same shop, with a scripted judge, too

Claude Code comes from the npm registry; no key is needed, for the model answers from this machine. On a terminal the
screen is shown as it changes; anywhere else the last one is printed. Exit code 1 if npm is missing, or if the loop goes
another way than written here. A test compares the screens with tests/screens/demo.txt and goal.txt.
"""

import json
import os
import shutil
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent / "tests"))

import demo
from e2e.host import Host
from e2e.install import install
from e2e.model import Answer, Model, Tool, Turn
from e2e.scenes import Scene, edits
from e2e.terminal import Terminal
from world import provide

FILES = {**demo.PROJECT, "app.py": ""}
"""The shop, and nothing to find in what a sandbox brings along."""

SIZE = (100, 40)
"""Columns and rows where nobody looks on, and no COLUMNS and LINES say others."""


CLAIM = "Fixed: total() returns a number now, and pytest says 1 passed. Done!"
"""What a scripted agent says that changed and ran nothing; its scripted judge believes it."""


def turns(pause: float) -> list[Turn]:
    """What the model does and says: it looks and is content, then it mends all that it was told."""
    first, last = demo.ROUNDS[0], demo.ROUNDS[-1]
    does = (Tool("Read", {"file_path": "shop.py"}), first.says, edits("shop.py", demo.SHOP, last.shop), last.says)
    return [Answer([one], delay=pause) for one in does]


def achieved(folder: Path) -> str:
    """The screen of a /goal whose judge has read nothing but a false claim, and of the tests after it."""
    columns, rows = shutil.get_terminal_size(SIZE)
    with Model([Answer([Tool("Read", {"file_path": "shop.py"})]), CLAIM]) as model:
        model.judge = [json.dumps({"ok": True, "reason": "the agent says: pytest says 1 passed"})]
        path = [provide(folder / "programs", "mypy")]
        host = Host(install("latest"), folder / "host", model, files=FILES, path=path, name="shop")
        try:
            with host.terminal(rows=rows, columns=columns) as terminal:
                terminal.say("/goal the tests of the shop pass")
                terminal.wait_for("Goal achieved", timeout=60)
                terminal.say("! pytest -q | tail -1")
                terminal.wait_for("1 failed", timeout=60)
                return terminal.screen()
        finally:
            host.reap()


def played(folder: Path, *, watched: bool) -> str:
    """The last screen of the loop. Raises AssertionError where it does not end green."""
    columns, rows = shutil.get_terminal_size(SIZE)
    programs = provide(folder / "programs", "mypy")
    with Model(turns(demo.PAUSE if watched else 0)) as model:
        scene = Scene(Host(install("latest"), folder / "host", model, files=FILES, path=[programs], name="shop"))
        try:
            with scene.host.terminal(rows=rows, columns=columns) as terminal, shown(terminal, watched):
                terminal.say(demo.TYPED)
                terminal.wait_for("✓ green after 2 rounds", timeout=120)
                return terminal.screen()
        finally:
            scene.host.reap()


@contextmanager
def shown(terminal: Terminal, watched: bool) -> Iterator[None]:
    """While it lasts, the screen is drawn on stdout as it changes, if anybody watches."""
    over = threading.Event()

    def paint() -> None:
        last, ended = "", False
        while not ended:
            ended = over.wait(0.1)
            screen = terminal.screen()
            if screen != last:
                print("\x1b[H\x1b[J" + screen, end="", flush=True)
                last = screen

    painter = threading.Thread(target=paint)
    if watched:
        painter.start()
    try:
        yield
    finally:
        over.set()
        if watched:
            painter.join()


def main() -> int:
    """Play it; the exit code."""
    lacking = [name for name in ("npm", "git") if not shutil.which(name)]
    if lacking:
        print(f"demo-host: {' and '.join(lacking)} not found. Fix: install it; make demo does without", file=sys.stderr)
        return 1
    watched = sys.stdout.isatty() and not os.environ.get("CI")
    try:
        with tempfile.TemporaryDirectory(prefix="untilgreen-demo-") as folder:
            real = Path(os.path.realpath(folder))
            screen = achieved(real) if "--goal" in sys.argv else played(real, watched=watched)
    except AssertionError as surprise:
        print(f"demo-host: {surprise}", file=sys.stderr)
        return 1
    if watched and "--goal" not in sys.argv:
        print()
    else:
        print(screen)
    demo.tell(demo.NEXT, fg="green")
    return 0


if __name__ == "__main__":
    sys.exit(main())
