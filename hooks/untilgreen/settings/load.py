"""The configuration of a project: `[tool.untilgreen]` of pyproject.toml, or untilgreen.toml.

pydantic checks each key (`keys`); here is what holds of several. Later wins: defaults, the file's preset, the file's
keys. Criteria add up.
"""

import os
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from untilgreen import checkers
from untilgreen.checkers import formats, time_limit
from untilgreen.core.errors import UserError, meant
from untilgreen.core.model.settings import CheckSetting, Settings
from untilgreen.project import files
from untilgreen.settings.keys import SETTINGS
from untilgreen.settings.presets import PRESETS
from untilgreen.settings.table import Table, taken
from untilgreen.settings.values import CRITERIA
from untilgreen.state import place

_LARGEST = 1024 * 1024  # bytes of a file
_SECONDS = 3.0  # to parse one: a key of many dots takes tomllib the square of their number


def load(root: str | os.PathLike[str]) -> Settings:
    """The settings of the project at `root`, defaults where it says nothing. Raises UserError with the file, the
    key's path and what is allowed."""
    own, shared = _sources(root)
    if own is not None and shared is not None:
        raise UserError("pyproject.toml has [tool.untilgreen] and there is an untilgreen.toml", "keep one of the two")
    where, keys = ("untilgreen.toml:", own) if own is not None else ("pyproject.toml: [tool.untilgreen]", shared)
    settings = Settings() if keys is None else _settings(where, keys)
    if settings.state_dir:
        top = os.path.realpath(root)
        if why := place.unfit(top, place.below(top, settings.state_dir), os.environ):
            fix = "name another folder, or set UNTILGREEN_STATE_DIR in your own environment"
            raise UserError(f"{where} state_dir: {settings.state_dir} {why}", fix)
    return settings


def said(root: str | os.PathLike[str]) -> frozenset[str]:
    """The keys that the project's configuration has, whatever they say. Raises UserError."""
    return frozenset(key for source in _sources(root) for key in source or ())


def _flat(keys: dict[str, Any]) -> dict[str, Any]:
    """The keys with those of a table `auto` beside them: `auto.mode` is `auto`, `auto.tests` is `auto_tests`."""
    table = keys.get("auto") if isinstance(keys, dict) else None
    if not isinstance(table, dict):
        return keys
    rest = {key: value for key, value in keys.items() if key != "auto"}
    return rest | {"auto" if key == "mode" else f"auto_{key}": value for key, value in table.items()}


def _sources(root: str | os.PathLike[str]) -> tuple[dict[str, Any] | None, Any]:
    """What untilgreen.toml says and what pyproject.toml does, None where there is no such table."""
    tool = (_read(Path(root, "pyproject.toml")) or {}).get("tool")
    return _read(Path(root, "untilgreen.toml")), tool.get("untilgreen") if isinstance(tool, dict) else None


def ordered(names: frozenset[str]) -> tuple[str, ...]:
    """These criteria as they are always told."""
    return tuple(name for name in CRITERIA if name in names)


def _settings(where: str, keys: dict[str, Any]) -> Settings:
    keys = _flat(keys)
    try:
        valid: Settings = checked(keys)
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
        text = files.read(str(path), _LARGEST, follow=True)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except files.NoFile as error:
        raise UserError(f"{path.name}: {error.strerror}", "move it away") from None
    except OSError as error:
        raise UserError(f"{path.name}: cannot be read: {error.strerror}", "make it readable") from None
    except ValueError as error:
        raise UserError(f"{path.name}: {error}", "write less into it") from None
    try:
        with time_limit.within(_SECONDS, "takes too long to read"):
            return tomllib.loads(text.decode())
    except time_limit.TooLong as error:
        raise UserError(f"{path.name}: {error}", "write it simpler") from None
    except (ValueError, RecursionError) as error:
        raise UserError(f"{path.name}: is not valid TOML: {error}", "mend it") from None


def checked(given: Mapping[str, Any], table: Table = SETTINGS) -> Any:
    """The Settings that these keys say, in canonical form; what is not given has its default. Raises UserError with the
    key's path: `checks.unit.timeout is ...`."""
    found = taken(table.kind, given)
    for name, check in found.checks.items():
        _refuse_unread_keys(name, check)
        # a misspelt tool would be a setting that silently does nothing
        if not check.command and name not in checkers.NAMES:
            fix = f"set its command; only {', '.join(checkers.NAMES)} come with one"
            raise UserError(f"checks.{name}: has no command{meant(name, checkers.NAMES)}", fix)
    known = dict.fromkeys((*checkers.NAMES, *found.checks))
    for tool in found.severity:
        if tool not in known:
            raise UserError(f"severity.{tool}: unknown tool{meant(tool, known)}", f"take one of {', '.join(known)}")
    return found


def _refuse_unread_keys(name: str, check: CheckSetting) -> None:
    """Refuse keys for a command where the checker brings its own: they would do nothing."""
    given = [key for key in ("ok", "format", "pattern") if getattr(check, key) != getattr(CheckSetting(), key)]
    if given and not check.command and name in checkers.NAMES:
        fix = f"leave it out: what {name} says is read, not its exit code alone"
        raise UserError(f"checks.{name}.{given[0]}: is for a command of your own", fix)
    if check.pattern and check.format != formats.PATTERN:
        raise UserError(f"checks.{name}.pattern: is for another format", f'set format = "{formats.PATTERN}" beside it')
    if check.format == formats.PATTERN and not check.pattern:
        raise UserError(f'checks.{name}.format: "{formats.PATTERN}" has no pattern', "set pattern beside it")
