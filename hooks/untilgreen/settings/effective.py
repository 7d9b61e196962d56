"""The configuration where no loop carries one: as it was resolved into `config.json`, or read now, the cold path.

    {"stamp": {"pyproject.toml": [mtime_ns, size]}, "settings": {what differs from the defaults}}

A stamp that no longer fits means that somebody edited a source; the caller then pays for the cold path once.
"""

import json
import os
from collections.abc import Mapping
from contextlib import suppress

from untilgreen.core import document
from untilgreen.core.model.settings import Settings
from untilgreen.state.place import config_folder

SOURCES = ("pyproject.toml", "untilgreen.toml")
RESOLVED = "config.json"


class Unequipped(str):
    """Why a Python without our packages knows no configuration; the start of its session said so already."""

    __slots__ = ()


def effective(root: str, env: Mapping[str, str], *, keep: bool = False) -> Settings | str:
    """The configuration, resolved before or read now; or why there is none. `keep`: the next one need not read it."""
    folder = config_folder(root, env)
    resolved = read(folder, root)
    if resolved is not None:
        return resolved
    from untilgreen.settings import packages

    missing = packages.missing()
    if missing:
        return Unequipped(missing)
    from untilgreen.core.errors import UserError
    from untilgreen.settings import load

    try:
        settings = load.load(root)
    except UserError as error:
        return str(error)
    if keep:
        with suppress(UserError):  # it cannot be written: then the next one reads, too
            refresh(root, folder)
    return settings


def stamp(root: str | os.PathLike[str]) -> dict[str, list[int]]:
    """Modification time (ns) and size of each source below `root`; a source that is not there has no entry."""
    found = {}
    for name in SOURCES:
        with suppress(OSError):
            status = os.stat(os.path.join(root, name))
            found[name] = [status.st_mtime_ns, status.st_size]
    return found


def read(folder: str, root: str) -> Settings | None:
    """The settings resolved into `folder`; None where they are missing, stale or unreadable and must be refreshed."""
    try:
        with open(os.path.join(folder, RESOLVED), "rb") as file:
            resolved = json.loads(file.read())
    except (OSError, ValueError):
        return None
    if not isinstance(resolved, dict) or resolved.get("stamp") != stamp(root):
        return None
    try:
        return document.load(Settings, resolved.get("settings"))
    except document.Mismatch:
        return None


def refresh(root: str | os.PathLike[str], folder: str | os.PathLike[str]) -> Settings:
    """Read the settings and resolve them into `folder`, which must exist. Raises UserError."""
    from untilgreen.core.errors import unwritten
    from untilgreen.settings import load
    from untilgreen.state import store

    current = stamp(root)  # taken before reading: an edit in between leaves it stale, not wrong
    settings = load.load(root)
    usual = document.dump(Settings())
    differing = {key: value for key, value in document.dump(settings).items() if value != usual[key]}
    path, text = os.path.join(folder, RESOLVED), json.dumps({"stamp": current, "settings": differing})
    with suppress(OSError), open(path, encoding="utf-8", errors="replace") as file:
        if file.read() == text:
            return settings
    try:
        store.write_text(path, text)
    except OSError as error:
        raise unwritten(error, path) from None
    return settings
