"""The configuration of a project: `[tool.untilgreen]` of pyproject.toml, or untilgreen.toml.

Read and validated here, written in resolved form for the hooks (`config.read`), and joined with what a start asks
for. Later wins: defaults, the file's preset, the file's keys, the asked preset, the asked flags. Criteria add up.
"""

import os
import tomllib
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from untilgreen import config, store
from untilgreen.cli import schema
from untilgreen.cli.errors import UserError
from untilgreen.cli.options import Request
from untilgreen.cli.values import CRITERIA
from untilgreen.core.document import dump
from untilgreen.core.model import CheckSetting, Criteria, Settings
from untilgreen.presets import PRESETS

_FLAGS = ("max_iterations", "max_minutes", "stagnation_limit", "marker", "completion_promise", "strict", "preset")


class Resolved(NamedTuple):
    """What a loop starts with. `named`: the canonical names of the criteria that were asked for by name (by a flag,
    the configuration or a preset); `promise_only`: the marker is the only criterion, no check is needed."""

    settings: Settings
    criteria: Criteria
    promise_only: bool
    named: frozenset[str]


def load(root: str | os.PathLike[str]) -> Settings:
    """The settings of the project at `root`, defaults where it says nothing. Raises UserError with the file, the
    key's path and what is allowed."""
    own = _read(Path(root, "untilgreen.toml"))
    shared = _own_table(_read(Path(root, "pyproject.toml")))
    if own is not None and shared is not None:
        raise UserError("pyproject.toml has [tool.untilgreen] and there is an untilgreen.toml; keep one of the two")
    if own is not None:
        return _settings("untilgreen.toml: ", own)
    if shared is not None:
        return _settings("pyproject.toml: [tool.untilgreen] ", shared)
    return Settings()


def refresh(root: str | os.PathLike[str], folder: str | os.PathLike[str]) -> Settings:
    """Load the settings and write them to `config.json` in `folder` (which must exist); raises UserError."""
    stamp = config.stamp(os.fspath(root))  # taken before reading: an edit in between leaves it stale, not wrong
    settings = load(root)
    usual = dump(Settings())
    differing = {key: value for key, value in dump(settings).items() if value != usual[key]}
    path = Path(folder, config.RESOLVED)
    try:
        store.write_text(os.fspath(path), orjson.dumps({"stamp": stamp, "settings": differing}).decode())
    except OSError as error:
        raise UserError(f"cannot write {path}: {error.strerror}") from None
    return settings


def resolve(settings: Settings, request: Request) -> Resolved:
    """The project's settings and what a start asks for, as one; raises UserError where they contradict."""
    preset = dict(PRESETS.get(request.preset or "", {}))
    named = request.criteria.union(settings.criteria, preset.pop("criteria", ()), ["custom"] if request.checks else [])
    if request.zero_errors is False:
        named -= {"zero_errors"}
    flags = {key: getattr(request, key) for key in _FLAGS if getattr(request, key) is not None}
    checks = dict(settings.checks)
    for name, command in request.checks:
        checks[name] = checks.get(name, CheckSetting())._replace(command=command, enabled=True)
    effective = settings._replace(**(preset | flags), criteria=_ordered(named), checks=checks)
    promise_only = bool(effective.completion_promise) and not named
    if promise_only and effective.marker == "verify":
        raise UserError(
            "marker verify lets only checks decide, and with a completion promise there are none; "
            "name a criterion (--criteria test_pass) or use --marker require"
        )
    on = frozenset() if promise_only else named | _by_default(effective, request)
    return Resolved(effective, _criteria(on, effective.stagnation_limit), promise_only, named)


def _by_default(settings: Settings, request: Request) -> set[str]:
    """Criteria that count although nobody named them: errors, and the commands that the configuration lists."""
    commands = any(check.command and check.enabled for check in settings.checks.values())
    return ({"custom"} if commands else set()) | (set() if request.zero_errors is False else {"zero_errors"})


def _criteria(names: frozenset[str], stagnation_limit: int) -> Criteria:
    # one criterion has another name in the state, after the flag
    switches = {"tests_pass" if name == "test_pass" else name: name in names for name in CRITERIA}
    return Criteria(**switches, stagnation_limit=stagnation_limit)


def _ordered(names: frozenset[str]) -> tuple[str, ...]:
    return tuple(name for name in CRITERIA if name in names)


def _settings(where: str, keys: dict[str, Any]) -> Settings:
    try:
        valid = schema.settings(keys)
    except UserError as error:
        raise UserError(f"{where}{error}") from None
    except RecursionError:
        raise UserError(f"{where.rstrip(': ')}: is nested too deeply") from None
    # only a key that is in the file beats the preset: a value that equals the default may be one
    preset = PRESETS.get(valid.preset, {})
    implied = {key: value for key, value in preset.items() if key not in keys}
    criteria = _ordered(frozenset(valid.criteria).union(preset.get("criteria", ())))
    return valid._replace(**(implied | {"criteria": criteria}))


def _own_table(pyproject: dict[str, Any] | None) -> dict[str, Any] | None:
    tool = (pyproject or {}).get("tool")
    if not isinstance(tool, dict) or "untilgreen" not in tool:
        return None
    table = tool["untilgreen"]
    if not isinstance(table, dict):
        raise UserError("pyproject.toml: [tool.untilgreen] must be a table")
    return table


def _read(path: Path) -> dict[str, Any] | None:
    try:
        return tomllib.loads(path.read_bytes().decode())
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise UserError(f"{path.name}: cannot be read: {error.strerror}") from None
    except (ValueError, RecursionError) as error:
        raise UserError(f"{path.name}: is not valid TOML: {error}") from None
