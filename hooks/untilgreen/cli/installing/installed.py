"""The slash commands and the skill that come with a registration: which files they are, and whose."""

import os
from collections.abc import Iterable
from typing import NamedTuple

from untilgreen import catalogue
from untilgreen.cli.errors import UserError
from untilgreen.cli.installing import changes, receipt
from untilgreen.cli.installing.changes import Change

ALIASES = ("loop", "ralph", "jikime")
NAME = "untilgreen"


class Plan(NamedTuple):
    """Files to write, and for those that were somebody else's the copy that is kept: path to the copy's path."""

    changes: tuple[Change, ...]
    copies: dict[str, str]


def templates(folder: str, aliases: Iterable[str]) -> dict[str, bytes]:
    """Every file for the host's folder, `.claude` of a project or the user's own: path to what it holds."""
    source = catalogue.templates()
    found = _below(os.path.join(source, "commands"), os.path.join(folder, "commands", NAME))
    found |= _below(os.path.join(source, "skills", NAME), os.path.join(folder, "skills", NAME))
    for alias in aliases:
        found |= _below(os.path.join(source, "aliases", alias), os.path.join(folder, "commands"))
    return found


def own_folders(folder: str) -> list[str]:
    """Folders that bear our name: nobody else's, and to go when they are empty."""
    return [os.path.join(folder, kind, NAME) for kind in ("commands", "skills")]


def planned(files: dict[str, bytes], old: receipt.Receipt | None, *, force: bool, stamp: str) -> Plan:
    """What is to be written. A file that is not ours and differs is only overwritten by force, and kept as a copy.

    Raises UserError.
    """
    wanted = [changes.planned(path, data) for path, data in files.items()]
    foreign = [
        change
        for change in changes.real(wanted)
        if change.before is not None and not receipt.as_left(old, change.path, change.before)
    ]
    if foreign and not force:
        what = ", ".join(change.path for change in foreign)
        raise UserError(f"{what}: not as untilgreen left it; move it away, or give --force, which keeps a copy")
    return Plan(tuple(wanted), {change.path: f"{change.path}.{stamp}.bak" for change in foreign})


def said(files: Iterable[str], folder: str) -> list[str]:
    """The slash commands and the skills among these files, a line each."""
    commands, skills = [], []
    for path in files:
        kind, _, rest = os.path.relpath(path, folder).partition(os.sep)
        if kind == "commands":
            commands.append("/" + rest.removesuffix(".md").replace(os.sep, ":"))
        elif os.path.basename(rest) == "SKILL.md":
            skills.append(os.path.dirname(rest))
    lines = [f"slash commands: {', '.join(sorted(commands))}"] if commands else []
    return lines + ([f"skill: {', '.join(skills)}"] if skills else [])


def _below(source: str, target: str) -> dict[str, bytes]:
    found = {}
    for folder, _, names in os.walk(source):
        for name in sorted(names):
            path = os.path.join(folder, name)
            with open(path, "rb") as file:
                found[os.path.join(target, os.path.relpath(path, source))] = file.read()
    return found
