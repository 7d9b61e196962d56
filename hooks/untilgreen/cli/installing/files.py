"""The slash commands and the skill that come with a registration: which files they are, and whose."""

import os
from collections.abc import Iterable, Mapping

from untilgreen.cli.installing import changes, receipt
from untilgreen.cli.installing.changes import Change
from untilgreen.cli.installing.receipt import Receipt
from untilgreen.core.errors import UserError
from untilgreen.state import catalogue

ALIASES = ("loop", "ralph", "jikime")
COMMANDS = os.path.join("commands", "untilgreen")
SKILL = os.path.join("skills", "until-green")


def templates(folder: str, aliases: Iterable[str]) -> dict[str, bytes]:
    """Every file for the host's folder, of a project or the user's own: path to what it holds."""
    source = catalogue.templates()
    found = _below(os.path.join(source, "commands"), os.path.join(folder, COMMANDS))
    found |= _below(os.path.join(source, SKILL), os.path.join(folder, SKILL))
    for alias in aliases:
        found |= _below(os.path.join(source, "aliases", alias), os.path.join(folder, "commands"))
    return found


def planned(wanted: Mapping[str, bytes], old: Receipt, *, force: bool) -> tuple[list[Change], list[str]]:
    """What is to be written, and which of these files are somebody else's: they are only overwritten by force. Raises
    UserError."""
    found = [changes.planned(path, data) for path, data in wanted.items()]
    there = [change for change in changes.real(found) if change.before is not None]
    foreign = [change.path for change in there if not receipt.as_left(old.part(change.path), change.before)]
    if foreign and not force:
        raise UserError(
            f"{', '.join(foreign)}: not as untilgreen left it",
            "move it away, or give --force, which keeps it for uninstall",
        )
    return found, foreign


def said(paths: Iterable[str], folder: str) -> list[str]:
    """The slash commands and the skill among these files, a line each."""
    names = [os.path.relpath(path, folder).removesuffix(".md").replace(os.sep, ":") for path in paths]
    commands = sorted(name.removeprefix("commands:") for name in names if name.startswith("commands:"))
    skill = f"skill: {os.path.basename(SKILL)}"
    return [f"slash commands: {', '.join(f'/{name}' for name in commands)}", skill] if commands else []


def _below(source: str, target: str) -> dict[str, bytes]:
    found = {}
    for folder, _, names in os.walk(source):
        for name in sorted(names):
            path = os.path.join(folder, name)
            with open(path, "rb") as file:
                found[os.path.join(target, os.path.relpath(path, source))] = file.read()
    return found
