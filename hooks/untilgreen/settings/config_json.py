"""The resolved configuration as hooks read it: `config.json`, written by `settings.load.refresh`.

    {"stamp": {"pyproject.toml": [mtime_ns, size]}, "settings": {what differs from the defaults}}

A stamp that no longer fits means that somebody edited a source; the caller then pays for the cold path once.
"""

import json
import os

from untilgreen.core import document
from untilgreen.core.model import Settings

SOURCES = ("pyproject.toml", "untilgreen.toml")
RESOLVED = "config.json"


def stamp(root: str) -> dict[str, list[int]]:
    """Modification time (ns) and size of each source below `root`; a source that is not there has no entry."""
    found = {}
    for name in SOURCES:
        try:
            status = os.stat(os.path.join(root, name))
        except OSError:
            continue
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
