"""The configuration where no loop carries one: as it was resolved into `config.json`, or read now, the cold path.

    {"stamp": {"pyproject.toml": [mtime_ns, size]}, "settings": {what differs from the defaults},
     "calls": [how the project calls its tools], "sources": {"tox.ini": [], ".github/workflows": [mtime_ns, size]}}

A stamp that no longer fits means that somebody edited a source; the caller then pays for the cold path once. The
sources of the calls are stamped by themselves: they are asked for only where checks run.
"""

import json
import os
import time
from collections.abc import Iterable, Mapping
from contextlib import suppress

from untilgreen.core import document
from untilgreen.core.model.check import OwnCall
from untilgreen.core.model.settings import Settings
from untilgreen.core.record import Any
from untilgreen.project import files
from untilgreen.state import store
from untilgreen.state.place import config_folder

SOURCES = ("pyproject.toml", "untilgreen.toml")
RESOLVED = "config.json"
MOVED = "moved"
_LARGEST = 1024 * 1024  # bytes of it
_TICK = 10_000_000  # ns that the clocks of processes and files may be apart


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


def calls(root: str, env: Mapping[str, str], *, keep: bool = False) -> tuple[OwnCall, ...]:
    """How the project calls its tools, as it was read before or is now; none where that cannot be. `keep` as above."""
    folder = config_folder(root, env)
    resolved = _resolved(folder)
    sources = resolved.get("sources")
    if sources and isinstance(sources, dict) and _stamps(root, sources) == sources:
        with suppress(document.Mismatch, TypeError):
            return tuple(document.load(OwnCall, one) for one in resolved.get("calls", ()))
    from untilgreen.core.errors import UserError
    from untilgreen.settings import packages

    if packages.missing():
        return ()
    if keep:
        with suppress(UserError):
            refresh(root, folder)
            return tuple(document.load(OwnCall, one) for one in _resolved(folder).get("calls", ()))
    return _calls(root)[0]


def stamp(root: str | os.PathLike[str]) -> dict[str, list[int]]:
    """Modification time (ns) and size of each source below `root`; a source that is not there has no entry."""
    return {name: found for name, found in _stamps(root, SOURCES).items() if found}


def _note_moved(folder: str | os.PathLike[str], moved: bool) -> None:
    """Leave a file where the state lies elsewhere, for launchers: they read no configuration."""
    path = os.path.join(folder, MOVED)
    with suppress(OSError):
        if moved:
            os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW, 0o600))
        else:
            os.unlink(path)


def _stamps(root: str | os.PathLike[str], names: Iterable[str]) -> dict[str, list[int]]:
    """Modification time (ns) and size of each file and folder; nothing of one that is not there."""
    found: dict[str, list[int]] = {}
    for name in names:
        found[name] = []
        with suppress(OSError, ValueError):
            status = os.stat(os.path.join(root, name))
            found[name] = [status.st_mtime_ns, status.st_size]
    return found


def _resolved(folder: str | os.PathLike[str]) -> dict[str, Any]:
    return store.read_object(os.path.join(folder, RESOLVED), _LARGEST)


def _calls(root: str | os.PathLike[str]) -> tuple[tuple[OwnCall, ...], dict[str, list[int]]]:
    """The project's calls, read now, and the stamps of their sources; none where one of them just changed."""
    from untilgreen.checks.plan import scripts
    from untilgreen.project.tree import worktree

    began = time.time_ns() - _TICK
    found, sources = scripts.with_sources(os.fspath(root), worktree.files(os.fspath(root)))
    stamped = _stamps(root, sources)
    # what was written while it was read may have been read as it was before: no stamp fits the next time
    whole = all(not stamp or stamp[0] < began for stamp in stamped.values())
    return found, stamped if whole else {}


def read(folder: str, root: str) -> Settings | None:
    """The settings resolved into `folder`; None where they are missing, stale or unreadable and must be refreshed."""
    resolved = _resolved(folder)
    if resolved.get("stamp") != stamp(root):
        return None
    settings = resolved.get("settings")
    try:
        return document.load(Settings, settings)
    except document.Mismatch:
        return None


def refresh(root: str | os.PathLike[str], folder: str | os.PathLike[str]) -> Settings:
    """Read the settings and resolve them into `folder`, which must exist. Raises UserError."""
    from untilgreen.core.errors import unwritten
    from untilgreen.settings import load

    current = stamp(root)  # taken before reading: an edit in between leaves it stale, not wrong
    settings = load.load(root)
    usual = document.dump(Settings())
    differing = {key: value for key, value in document.dump(settings).items() if value != usual[key]}
    own, sources = _calls(root)
    whole = {"stamp": current, "settings": differing, "calls": document.dump(own), "sources": sources}
    path, text = os.path.join(folder, RESOLVED), json.dumps(whole)
    _note_moved(folder, bool(settings.state_dir))
    with suppress(OSError, ValueError):
        if files.read(path, _LARGEST) == text.encode():
            return settings
    try:
        store.write_text(path, text)
    except OSError as error:
        raise unwritten(error, path) from None
    return settings
