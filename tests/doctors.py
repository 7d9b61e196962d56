"""What may be wrong with an installation: how it comes about, what the doctor says, what cures it."""

import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from untilgreen.core.findings import Finding
from world import World

LOCAL = ".claude/settings.local.json"
INIT = r"run: untilgreen init --project \S+"
Change = Callable[[World], object]


def program(world: World, name: str, script: str) -> Path:
    """An executable of this name, first on PATH."""
    folder = world.tmp.parent / "bin"
    folder.mkdir(exist_ok=True)
    path = folder / name
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    if not world.env["PATH"].startswith(str(folder)):
        world.env["PATH"] = f"{folder}{os.pathsep}{world.env['PATH']}"
    return path


def written(path: str, text: str, mode: int = 0o644) -> Change:
    def change(world: World) -> None:
        world.write({path: text})
        (world.project / path).chmod(mode)

    return change


def gone(path: str) -> Change:
    return lambda world: (world.project / path).unlink()


def both(*changes: Change) -> Change:
    return lambda world: [change(world) for change in changes]


class Trouble(NamedTuple):
    """`found`: subject, level and a pattern for the text; `cure`: a pattern for the advice; `follow` does what it says
    where it is no command."""

    produce: Change
    found: str
    cure: str = INIT
    follow: Change | None = None
    #: of the doctor's command line
    words: tuple[str, ...] = ("--no-run",)
    #: the same after the advice, where it differs
    later: tuple[str, ...] | None = None


def troubles(changes: dict[str, tuple[Any, ...]], text: str) -> list[Any]:
    """Each by its name: what the doctor says is in the text, with the advice below it, where it is not to call init."""
    seen = re.findall(r"(?m)^(\S.*?) =(?: |\n    )(.+)\n(?:    (.+)\n)?", text)
    assert [name for name, _, _ in seen] == list(changes)
    rows = ((name, Trouble(changes[name][0], found, cure or INIT, *changes[name][1:])) for name, found, cure in seen)
    return [pytest.param(trouble, id=name) for name, trouble in rows]


def one(found: list[Finding], wanted: str) -> list[Finding]:
    return [it for it in found if re.fullmatch(wanted, f"{it.subject} {it.level}: {it.what}")]


def host(version: str) -> Change:
    """Claude Code, of this version."""
    return lambda world: program(world, "claude", f'[ "$1" = --version ] && echo "{version} (Claude Code)"')
