"""Keys that `init` sets in a project's configuration, in the form that the file has."""

import os
import tomllib
from collections.abc import Mapping
from typing import Any

from untilgreen.cli.installing import settings_file
from untilgreen.cli.installing.changes import Change, planned
from untilgreen.core.errors import UserError

_OWN = "untilgreen.toml"
_SHARED = "pyproject.toml"


def changed(root: str, keys: Mapping[str, str]) -> list[Change]:
    """The project's configuration, which is a valid one, with these keys: the file that there is, else a new
    untilgreen.toml. Raises UserError where it cannot be edited."""
    if not keys:
        return []
    own, shared = os.path.join(root, _OWN), os.path.join(root, _SHARED)
    data = settings_file.content(own)
    if data is not None:
        return [Change(own, data, _edited(own, data, keys))]
    data = settings_file.content(shared)
    if data is not None and "untilgreen" in tomllib.loads(data.decode()).get("tool", {}):
        return [Change(shared, data, _edited(shared, data, keys))]
    return [planned(own, "".join(f'{key} = "{value}"\n' for key, value in keys.items()).encode())]


def _edited(path: str, data: bytes, keys: Mapping[str, str]) -> bytes:
    """With these keys. Raises UserError."""
    try:
        import tomlkit
    except ImportError:
        raise UserError(f"{path} cannot be edited: tomlkit is not installed", f"set {', '.join(keys)} there") from None
    wanted = tomllib.loads(data.decode())
    _table(path, wanted).update(keys)
    try:
        document = tomlkit.parse(data.decode())
        table = _table(path, document)
        for key, value in keys.items():
            if table.get(key) != value:
                table[key] = value
        text = tomlkit.dumps(document)
        done = tomllib.loads(text) == wanted
    except Exception:  # noqa: BLE001 - a table that stands in parts makes tomlkit fail in ways of its own
        done = False
    if not done:
        raise UserError(f"{path} cannot be edited in the form that it has", f"set {', '.join(keys)} there by hand")
    return text.encode()


def _table(path: str, document: Any) -> Any:
    return document if os.path.basename(path) == _OWN else document["tool"]["untilgreen"]
