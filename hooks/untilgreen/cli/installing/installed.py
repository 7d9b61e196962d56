"""The slash commands and the skill that come with a registration: which files they are, and whose."""

import os
from collections.abc import Iterable
from typing import NamedTuple

from untilgreen.cli.installing import changes, receipt
from untilgreen.cli.installing.changes import Change
from untilgreen.core.errors import UserError
from untilgreen.state import catalogue

ALIASES = ("loop", "ralph", "jikime")
COMMANDS = os.path.join("commands", "untilgreen")
SKILL = os.path.join("skills", "until-green")


class Plan(NamedTuple):
    """Files to write, and for those that were somebody else's the copy that is kept: path to the copy's path."""

    changes: tuple[Change, ...]
    copies: dict[str, str]


def templates(folder: str, aliases: Iterable[str]) -> dict[str, bytes]:
    """Every file for the host's folder, `.claude` of a project or the user's own: path to what it holds."""
    source = catalogue.templates()
    found = _below(os.path.join(source, "commands"), os.path.join(folder, COMMANDS))
    found |= _below(os.path.join(source, SKILL), os.path.join(folder, SKILL))
    for alias in aliases:
        found |= _below(os.path.join(source, "aliases", alias), os.path.join(folder, "commands"))
    return found


def own_folders(folder: str) -> list[str]:
    """Folders that bear our name: nobody else's, and to go when they are empty."""
    return [os.path.join(folder, kind) for kind in (COMMANDS, SKILL)]


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
    return Plan(tuple(wanted), {change.path: copy_of(change.path, stamp) for change in foreign})


def copy_of(path: str, stamp: str) -> str:
    """A name for a copy of this file that nothing bears yet."""
    names = (f"{path}.{stamp}{number}.bak" for number in ("", *(f"-{count}" for count in range(2, 1000))))
    return next(name for name in names if not os.path.lexists(name))


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
