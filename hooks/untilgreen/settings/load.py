"""The configuration of a project: `[tool.untilgreen]` of pyproject.toml, or untilgreen.toml.

Later wins: defaults, the file's preset, the file's keys. Criteria add up.
"""

import os
import tomllib
from pathlib import Path
from typing import Any

from untilgreen.core.errors import UserError
from untilgreen.core.model.settings import Settings
from untilgreen.settings import validate
from untilgreen.settings.presets import PRESETS
from untilgreen.settings.values import CRITERIA


def load(root: str | os.PathLike[str]) -> Settings:
    """The settings of the project at `root`, defaults where it says nothing. Raises UserError with the file, the
    key's path and what is allowed."""
    own = _read(Path(root, "untilgreen.toml"))
    tool = (_read(Path(root, "pyproject.toml")) or {}).get("tool")
    shared = tool.get("untilgreen") if isinstance(tool, dict) else None
    if own is not None and shared is not None:
        raise UserError("pyproject.toml has [tool.untilgreen] and there is an untilgreen.toml", "keep one of the two")
    if own is not None:
        return _settings("untilgreen.toml:", own)
    return Settings() if shared is None else _settings("pyproject.toml: [tool.untilgreen]", shared)


def ordered(names: frozenset[str]) -> tuple[str, ...]:
    """These criteria as they are always told."""
    return tuple(name for name in CRITERIA if name in names)


def _settings(where: str, keys: dict[str, Any]) -> Settings:
    try:
        valid: Settings = validate.settings(keys)
    except UserError as error:
        raise UserError(f"{where} {error.reason}", error.fix) from None
    except RecursionError:
        raise UserError(f"{where} is nested too deeply", "write it flatter") from None
    # only a key that is in the file beats the preset: a value that equals the default may be one
    preset = PRESETS.get(valid.preset, {})
    implied = {key: value for key, value in preset.items() if key not in keys}
    criteria = ordered(frozenset(valid.criteria).union(preset.get("criteria", ())))
    return valid._replace(**(implied | {"criteria": criteria}))


def _read(path: Path) -> dict[str, Any] | None:
    try:
        return tomllib.loads(path.read_bytes().decode())
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise UserError(f"{path.name}: cannot be read: {error.strerror}", "make it readable") from None
    except (ValueError, RecursionError) as error:
        raise UserError(f"{path.name}: is not valid TOML: {error}", "mend it") from None
