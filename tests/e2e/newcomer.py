"""Somebody who has never used untilgreen, at a terminal: a shell in which the host is `claude`, and what it shows."""

import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import installs
from world import BIN

from .host import TOOLS, Host
from .model import Model
from .terminal import PROMPT, Terminal

ROWS, COLUMNS = 100, 120
"""So many rows that nothing scrolls away: one screen is a whole session."""

SHOP = {
    "shop.py": "import json\n\n\ndef total(prices):\n    return str(sum(prices))\n",
    "test_shop.py": "from shop import total\n\n\ndef test_total():\n    assert total([1.5, 2.5]) == 4\n",
    "pyproject.toml": '[tool.ruff]\n\n[tool.pytest.ini_options]\npythonpath = ["."]\n',
    ".gitignore": ".venv/\n__pycache__/\n.pytest_cache/\n.ruff_cache/\n",
}
"""A project that is red: an unused import, a sum that is a text."""

_FOLDER = "shop-"
_DIFFERS = (
    (r"/tmp/shop-\w{8}", "/tmp/shop-XXXXXXXX"),
    (r"\b(?:\d+ min )?\d+(?:\.\d+)? s\b", "N s"),
    (r"\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b", "SESSION"),
    (r"/hooks/[0-9a-f]{8}/", "/hooks/XXXXXXXX/"),
    (r"\bloop-\d{10}\b", "loop-N"),
    (r"\b\d{4}-\d\d-\d\d(?:T\d\d:\d\d:\d\dZ| \d\d:\d\d UTC)?", "DATE"),
    (r"\b\d\d:\d\d:\d\d UTC|(?<=ended )\d\d:\d\d\b", "TIME"),
    (r"\b\d:\d\d\b", "M:SS"),
    (r" *\b\d+\.\d(?= ms| {2})", " N.N"),
)
# the host's own: its banner, the box to type in, how long it took, in words that change
_HOSTS = re.compile(r"^ ?[▐▝▛▘▙▜█▂▃]|^─+$|^✻ |· /effort$|\? for shortcuts|esc to interrupt|^\W* manual mode")


class Newcomer:
    """Types at a shell in a project that is red, and looks."""

    def __init__(self, host: Host, terminal: Terminal) -> None:
        self.host = host
        self.terminal = terminal

    def runs(self, line: str, seconds: float = 120) -> str:
        """What a command shows, from the line as it was typed on."""
        self._types(line)
        self.terminal.wait_for(rf"(?ms)\A{PROMPT} .*^{PROMPT}\Z", seconds)
        return self.terminal.screen().removesuffix(PROMPT)

    def opens(self) -> None:
        """Starts the host in this shell."""
        self._types("claude")
        self.terminal.wait_for(rf"(?m)^─+\n *{PROMPT}")

    def _types(self, line: str) -> None:
        """On an empty screen."""
        self.terminal.key("ctrl-l")
        self.terminal.wait_for(rf"\A{PROMPT}\Z")
        self.terminal.type(line)
        self.terminal.key("enter")

    def leaves(self) -> str:
        """What the session shows at its end; the host is gone then."""
        shown = self.terminal.screen()
        self.terminal.say("/exit")
        self.terminal.wait_for(rf"(?m)^{PROMPT}\Z")
        return shown


@contextmanager
def arrived(binary: Path, model: Model) -> Iterator[Newcomer]:
    """A newcomer in a project, with what a developer of Python has on the PATH, and the host; the wheels of this
    checkout stand for a package index. In a folder whose path has always the same length, as a terminal breaks lines.
    """
    root = Path(tempfile.mkdtemp(prefix=_FOLDER, dir="/tmp"))
    host = Host(binary, root, model, files=SHOP, path=[root / "bin", root / "home/.local/bin"], name="shop")
    _install(root / "bin", binary)
    house = installs.wheels()
    host.home.joinpath(".config/uv").mkdir(parents=True)
    host.home.joinpath(".config/uv/uv.toml").write_text(f'no-index = true\nfind-links = ["{house}"]\n')
    pip = {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(house), "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    plain_shell = {"TERM": "xterm-256color", "PS1": f"{PROMPT} ", "VIRTUAL_ENV_DISABLE_PROMPT": "1"}
    own, mark = host.launch(pip | plain_shell)
    terminal = Terminal(["bash", "--norc", "-i"], host.project, own, ROWS, COLUMNS, echo=True)
    try:
        yield Newcomer(host, terminal)
    finally:
        terminal.close()
        host.reap(mark)
        shutil.rmtree(root, ignore_errors=True)


def _install(folder: Path, binary: Path) -> None:
    folder.mkdir()
    for tool in (BIN / "ruff", BIN / "pytest", installs.uv(), installs.uv().with_name("pipx")):
        (folder / tool.name).symlink_to(tool)
    flags = f"--permission-mode=default --allowedTools={TOOLS}"
    for name, command in (("python3", f'"{BIN / "python3"}"'), ("claude", f'"{binary}" {flags}')):
        (folder / name).write_text(f'#!/bin/sh\nexec {command} "$@"\n')
        (folder / name).chmod(0o755)


def plain(screen: str) -> str:
    """A screen without the host's own frame, and without what differs from hour to hour."""
    lines = [line for line in screen.replace("\xa0", " ").split("\n") if not _HOSTS.search(line)]
    text = re.sub(r"\n{3,}", "\n\n", "\n".join(line.rstrip() for line in lines)).strip("\n")
    for pattern, shown in _DIFFERS:
        text = re.sub(pattern, shown, text)
    return text + "\n"
