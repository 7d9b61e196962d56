"""Keys that `init` sets in a project's configuration, in the form that the file has, and how they come out again."""

import os
import tomllib
from typing import Any

from untilgreen.cli.installing import changes, settings_file
from untilgreen.core.errors import UserError
from untilgreen.settings import load

_OWN = "untilgreen.toml"
_SHARED = "pyproject.toml"


def changed(root: str, keys: dict[str, str]) -> list[changes.Change]:
    """The project's configuration with these keys: the file that there is, else a new untilgreen.toml. Raises
    UserError where it cannot be understood."""
    if not keys:
        return []
    load.load(root)  # a file that is wrong already is to be mended first
    path = os.path.join(root, _OWN)
    data = settings_file.content(path)
    if data is None:
        path = os.path.join(root, _SHARED)
        data = settings_file.content(path)
        if data is None or "untilgreen" not in tomllib.loads(data.decode()).get("tool", {}):
            text = "".join(f'{key} = "{value}"\n' for key, value in keys.items())
            return [changes.planned(os.path.join(root, _OWN), text.encode())]
    return [changes.planned(path, _edited(path, data, keys))]


def without(path: str, data: bytes, before: bytes | None, keys: dict[str, str]) -> bytes:
    """The configuration without the keys that init set there and nobody changed since; where the file had another
    value before, it has that again."""
    old = _table(path, tomllib.loads((before or b"").decode()))
    now = _table(path, tomllib.loads(data.decode()))
    return _edited(path, data, {key: old.get(key) for key, value in keys.items() if now.get(key) == value})


def _edited(path: str, data: bytes, keys: dict[str, Any]) -> bytes:
    """With these keys, without those that are None. Raises UserError."""
    try:
        import tomlkit
    except ImportError:
        raise UserError(f"{path} cannot be edited: tomlkit is not installed", f"set {', '.join(keys)} there") from None
    wanted = tomllib.loads(data.decode())
    _set(_table(path, wanted), keys)
    try:
        document = tomlkit.parse(data.decode())
        _set(_table(path, document), keys)
        text = tomlkit.dumps(document)
        done = tomllib.loads(text) == wanted
    except Exception:  # noqa: BLE001 - a table that stands in parts makes tomlkit fail in ways of its own
        done = False
    if not done:
        raise UserError(f"{path} cannot be edited in the form that it has", f"set {', '.join(keys)} there by hand")
    return text.encode()


def _set(table: Any, keys: dict[str, Any]) -> None:
    for key, value in keys.items():
        if value is None:
            del table[key]
        elif table.get(key) != value:
            table[key] = value


def _table(path: str, document: Any) -> Any:
    return document if os.path.basename(path) == _OWN else document.get("tool", {}).get("untilgreen", {})
