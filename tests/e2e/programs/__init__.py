"""The hosts as programs: how each is installed, set up in a sandbox, asked and resumed, and what its model calls.

A module a host, with a `PROGRAM`. What is said here is true of the host, not of us.
"""

import importlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import ClassVar, NamedTuple

from ..install import installed, latest
from ..terminal import Terminal
from ..wires import Tool


class Place(NamedTuple):
    """Where a host is to run: its home, the project, and the scripted model's URL."""

    home: Path
    project: Path
    url: str


class Program:
    """One host. A subclass says what differs."""

    #: as in `--host`
    name: ClassVar[str]
    #: its packages of the npm registry and their pinned versions; the first one is the host
    packages: ClassVar[dict[str, str]]
    #: whether the newest version is tried, too
    newest = True
    #: whether a headless run may be held
    headless = True
    #: what the host puts behind a hold's text
    behind = ""
    #: how often it lets a stop be held in one turn, with calls of tools in between; 0 for no limit
    cap = 0
    #: what its terminal shows at its start, and while the agent works ("": nothing that stays)
    ready = ""
    busy = ""
    #: the words behind its command that install the checkout as its plugin, which is at `{}`; () where it has none
    plugs: ClassVar[Sequence[Sequence[str]]] = ()
    #: scenes of `test_every_host.py` that cannot be had there, and why: name of the test -> why
    cannot: ClassVar[Mapping[str, str]] = {}

    def folders(self, version: str) -> list[Path]:
        """The folder of each package: `version` "pinned", or "latest" of the host."""
        numbers = dict(self.packages)
        if version == "latest":
            host = next(iter(numbers))
            numbers[host] = latest(host)
        return [installed(package, number) for package, number in numbers.items()]

    def start(self, folders: Sequence[Path]) -> list[str]:
        """The words that start it, from the folders of its packages."""
        raise NotImplementedError

    def environment(self, place: Place) -> dict[str, str]:
        """What it needs to know beside PATH and HOME."""
        raise NotImplementedError

    def prepare(self, place: Place, _folders: Sequence[Path]) -> None:
        """What has to lie in its home before it starts: the model, answers to its first questions, trust."""

    def registered(self, place: Place) -> None:
        """What its user has to do once after `untilgreen init` (`Facts.after_init`), done by hand or by file."""

    def plugged(self, place: Place, checkout: Path) -> None:
        """What its user has to say yes to for the plugin."""

    def ask(self, prompt: str, session: str = "") -> list[str]:
        """The words behind its command for one headless prompt, in a new session or one that goes on."""
        raise NotImplementedError

    def sit_down(self) -> list[str]:
        """The words behind its command for a session at its terminal, in which nobody is asked for tools."""
        return []

    def settle(self, terminal: Terminal) -> None:
        """What a person does at its terminal, once it is `ready`, before they type."""

    def session_of(self, out: str) -> str:
        """The session's id, as a headless run printed it."""
        raise NotImplementedError

    def writes(self, path: str, text: str) -> Tool:
        """The model writes a file that was not there."""
        raise NotImplementedError

    def edits(self, path: str, old: str, new: str) -> Tool:
        """The model changes a file that it wrote before."""
        raise NotImplementedError

    def runs(self, command: str) -> Tool:
        """The model runs a shell command."""
        raise NotImplementedError


NAMES = ("claude-code", "codex", "copilot", "qwen", "gemini", "pi", "opencode", "kilo", "cline")


def get(name: str) -> Program | None:
    """The program of a host, None for one that has none yet."""
    try:
        module = importlib.import_module(f"{__name__}.{name.replace('-', '_')}")
    except ModuleNotFoundError:
        return None
    program: Program = module.PROGRAM
    return program


def put(path: Path, document: object) -> None:
    """A JSON file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(document, indent=2), encoding="utf-8")
