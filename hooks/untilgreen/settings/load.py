"""The configuration of a project: `[tool.untilgreen]` of pyproject.toml, or untilgreen.toml.

pydantic checks each key (`keys`); here is what holds of several. Later wins: defaults, the file's preset, the file's
keys. Criteria add up.
"""

import os
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from untilgreen import checkers
from untilgreen.checkers import formats, time_limit
from untilgreen.core import document
from untilgreen.core.errors import UserError, UserErrors, meant
from untilgreen.core.model.settings import CheckSetting, Settings
from untilgreen.core.record import Any
from untilgreen.project import files
from untilgreen.settings.groups import TABLES
from untilgreen.settings.keys import PRESETS, SETTINGS
from untilgreen.settings.values import CRITERIA, Fault, Table, fault, validated
from untilgreen.state import place

OWN, SHARED = "untilgreen.toml", "pyproject.toml"
_TABLES = {OWN: (), SHARED: ("tool", "untilgreen")}
_LARGEST = 1024 * 1024  # bytes of a file
_SECONDS = 3.0  # to parse one: a key of many dots takes tomllib the square of their number


def load(root: str | os.PathLike[str]) -> Settings:
    """The project's settings, or defaults. Raises UserError with the file, the key's path and what is allowed."""
    own, shared = _sources(root)
    if own is not None and shared is not None:
        raise UserError("pyproject.toml has [tool.untilgreen] and there is an untilgreen.toml", "keep one of the two")
    name, keys = (OWN, own) if own is not None else (SHARED, shared)
    settings = Settings() if keys is None else _settings(root, name, keys)
    if settings.state_dir:
        top = os.path.realpath(root)
        if why := place.unfit(top, place.below(top, settings.state_dir), os.environ):
            fix = "name another folder, or set UNTILGREEN_STATE_DIR in your own environment"
            raise _placed(root, name, [fault(("state_dir",), f"{settings.state_dir} {why}", fix)])
    return settings


def said(root: str | os.PathLike[str]) -> frozenset[str]:
    """The keys that the project's configuration has, whatever they say. Raises UserError."""
    return frozenset(key for source in _sources(root) for key in source or ())


def _flat(keys: dict[str, Any]) -> dict[str, Any]:
    """The keys with those of a table `auto` beside them: `auto.mode` is `auto`, `auto.tests` is `auto_tests`."""
    if not isinstance(keys, dict):
        return keys
    table = keys.get("auto")
    if not isinstance(table, dict):
        return keys
    rest = {key: value for key, value in keys.items() if key != "auto"}
    return rest | {"auto" if key == "mode" else f"auto_{key}": value for key, value in table.items()}


def _sources(root: str | os.PathLike[str]) -> tuple[dict[str, Any] | None, Any]:
    """What untilgreen.toml says and what pyproject.toml does, None where there is no such table."""
    tool = (_read(Path(root, SHARED)) or {}).get("tool")
    return _read(Path(root, OWN)), tool.get("untilgreen") if isinstance(tool, dict) else None


def ordered(names: frozenset[str]) -> tuple[str, ...]:
    """These criteria as they are always told."""
    return tuple(name for name in CRITERIA if name in names)


def _settings(root: str | os.PathLike[str], name: str, keys: dict[str, Any]) -> Settings:
    nested = isinstance(keys, dict) and isinstance(keys.get("auto"), dict)
    keys = _flat(keys)
    try:
        valid, wrong = _validated(keys)
    except RecursionError:
        raise UserError(f"{name}: is nested too deeply", "write it flatter") from None
    if wrong:
        raise _placed(root, name, [one._replace(path=_in_auto(one.path)) for one in wrong] if nested else wrong)
    # only a key that is in the file beats the preset: a value that equals the default may be one
    preset = PRESETS.get(valid.preset, {})
    implied = {key: value for key, value in preset.items() if key not in keys}
    criteria = ordered(frozenset(valid.criteria).union(preset.get("criteria", ())))
    return document.changed(valid, implied | {"criteria": criteria})


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
        line = re.search(r"at line (\d+)", str(error))
        at = f":{line[1]}" if line else ""
        raise UserError(f"{path.name}{at}: is not valid TOML: {error}", "correct the file") from None


def _placed(root: str | os.PathLike[str], name: str, wrong: Iterable[Fault]) -> UserErrors:
    """These faults with the file and the line where each stands, in the order of the file."""
    text, table = files.read(os.path.join(root, name), _LARGEST, follow=True).decode(), _TABLES[name]
    told = []
    for one in wrong:
        line = _line(text, (*table, *one.path), len(table))
        where = f"{name}:{line}:" if line else f"{name}:"
        told.append((line, UserError(f"{where} {'[tool.untilgreen] ' if table else ''}{one.reason}", one.fix)))
    return UserErrors([error for _, error in sorted(told, key=lambda one: one[0])])


def _in_auto(path: tuple[int | str, ...]) -> tuple[int | str, ...]:
    """The path of a key as it stands in a table `auto`: the way back from `_flat`."""
    name = str(path[0])
    return ("auto", "mode" if name == "auto" else name.removeprefix("auto_")) if name.startswith("auto") else path


def _line(text: str, path: Sequence[int | str], least: int) -> int:
    """The line of a key, else of what holds it, at `least` so deep; 0 where none is seen in usual TOML."""
    header: tuple[int | str, ...] = ()
    here: tuple[int | str, ...]
    found, depth = 0, max(0, least - 1)
    lists: dict[tuple[int | str, ...], int] = {}
    for number, line in enumerate(text.split("\n"), 1):
        if line.lstrip().startswith("["):
            header = (*_keys(line.strip("[ \t").partition("]")[0]),)
            if line.lstrip().startswith("[["):
                lists[header] = lists.get(header, -1) + 1
                header = (*header, lists[header])
            here = header
        elif "=" in line:
            here = header + _keys(line.partition("=")[0])
        else:
            continue
        common = min(len(here), len(path))
        if common > depth and here[:common] == tuple(path[:common]):
            depth, found = common, number
    return found


def _keys(text: str) -> tuple[str, ...]:
    return tuple(part.strip().strip("\"'") for part in text.split("."))


def checked(given: Mapping[str, Any], table: Table = SETTINGS) -> Any:
    """The Settings that these keys say. Raises UserErrors with their paths: `checks.unit.timeout is ...`."""
    found, wrong = _validated(given, table)
    if wrong:
        raise UserErrors([UserError(one.reason, one.fix) for one in wrong])
    return found


def _validated(given: Any, table: Table = SETTINGS) -> tuple[Settings, list[Fault]]:
    """The Settings of those keys that are right by themselves; and all that is wrong, of each, then of several."""
    found, wrong = validated(table.kind, given, lambda path: (TABLES[str(path[0])] if path else table).keys)
    if not isinstance(given, dict):
        return found, wrong
    if wrong:
        bad = {one.path[: 2 if one.path[0] == "checks" else 1] for one in wrong}
        right = {key: value for key, value in given.items() if (key,) not in bad}
        if "checks" in right:
            right["checks"] = {name: value for name, value in right["checks"].items() if ("checks", name) not in bad}
        found, _ = validated(table.kind, right)
    return found, [*wrong, *_odd_checks(found), *_odd(found, given)]


def _odd_checks(found: Settings) -> Iterator[Fault]:
    """What is wrong with several keys of a check, each right by itself: it would silently do nothing."""
    usual, known = CheckSetting(), ", ".join(checkers.NAMES)
    for name, check in found.checks.items():
        at, ours = ("checks", name), name in checkers.NAMES and not check.command
        keys = ("ok", "pending", "pending_minutes", "format", "pattern")
        if unread := [key for key in keys if ours and getattr(check, key) != getattr(usual, key)]:
            fix = f"leave it out: what {name} says is read, not its exit code alone"
            yield fault((*at, unread[0]), "is for a command of your own", fix)
        elif both := sorted({*check.pending} & {*check.ok}):
            codes = ", ".join(map(str, both))
            yield fault((*at, "pending"), f"{codes} is in ok, too", "leave it out of one of the two")
        elif check.pattern and check.format != formats.PATTERN:
            yield fault((*at, "pattern"), "is for another format", f'set format = "{formats.PATTERN}" beside it')
        elif check.format == formats.PATTERN and not check.pattern:
            yield fault((*at, "format"), f'"{formats.PATTERN}" has no pattern', "set pattern beside it")
        if not check.command and not ours:
            like = meant(name, checkers.NAMES)
            yield fault(at, f"has no command{like}", f"set its command; only {known} come with one")


def _odd(found: Settings, given: Mapping[str, Any]) -> Iterator[Fault]:
    checks = given.get("checks")
    tools = dict.fromkeys((*checkers.NAMES, *(checks if isinstance(checks, dict) else ())))
    for tool in found.severity:
        if tool not in tools:
            yield fault(("severity", tool), f"unknown tool{meant(tool, tools)}", f"take one of {', '.join(tools)}")
    if len({found.memory.summary_file, found.memory.feedback_file, found.memory.state_file}) < 3:
        yield fault(("memory",), "two of its files have one name", "give each a name of its own")
    for number, hook in enumerate(found.hooks):
        path, lacks = ("hooks", number), "command" if hook.name else "name"
        if not (hook.name and hook.command):
            yield fault(path, f"has no {lacks}", "give each hook a name and a command")
        elif hook.name in [one.name for one in found.hooks[:number]]:
            wrong = fault(path, f"another hook is called {hook.name}", "give each a name of its own")
            yield wrong._replace(path=(*path, "name"))
