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
from untilgreen.settings.table import Fault, Table, faults, taken
from untilgreen.settings.values import CRITERIA
from untilgreen.state import place

OWN, SHARED = "untilgreen.toml", "pyproject.toml"
_TABLES = {OWN: (), SHARED: ("tool", "untilgreen")}
_LARGEST = 1024 * 1024  # bytes of a file
_SECONDS = 3.0  # to parse one: a key of many dots takes tomllib the square of their number


def load(root: str | os.PathLike[str]) -> Settings:
    """The settings of the project at `root`, defaults where it says nothing. Raises UserError with the file, the
    key's path and what is allowed."""
    own, shared = _sources(root)
    if own is not None and shared is not None:
        raise UserError("pyproject.toml has [tool.untilgreen] and there is an untilgreen.toml", "keep one of the two")
    name, keys = (OWN, own) if own is not None else (SHARED, shared)
    settings = Settings() if keys is None else _settings(root, name, keys)
    if settings.state_dir:
        top = os.path.realpath(root)
        if why := place.unfit(top, place.below(top, settings.state_dir), os.environ):
            fix = "name another folder, or set UNTILGREEN_STATE_DIR in your own environment"
            raise _placed(root, name, [Fault(("state_dir",), f"state_dir: {settings.state_dir} {why}", fix)])
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
        if wrong := _faults(keys):
            raise _placed(root, name, [one._replace(path=_in_auto(one.path)) for one in wrong] if nested else wrong)
        valid: Settings = taken(SETTINGS.kind, keys)
    except RecursionError:
        raise UserError(f"{name}: is nested too deeply", "write it flatter") from None
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
        raise UserError(f"{path.name}{at}: is not valid TOML: {error}", "mend it") from None


def _placed(root: str | os.PathLike[str], name: str, wrong: Iterable[Fault]) -> UserErrors:
    """These faults with the file and the line where each stands, in the order of the file."""
    text, table = files.read(os.path.join(root, name), _LARGEST, follow=True).decode(), _TABLES[name]
    told = []
    for fault in wrong:
        line = _line(text, (*table, *fault.path), len(table))
        where = f"{name}:{line}:" if line else f"{name}:"
        told.append((line, UserError(f"{where} {'[tool.untilgreen] ' if table else ''}{fault.reason}", fault.fix)))
    return UserErrors([error for _, error in sorted(told, key=lambda one: one[0])])


def _in_auto(path: tuple[int | str, ...]) -> tuple[int | str, ...]:
    """The path of a key as it stands in a table `auto`: the way back from `_flat`."""
    name = str(path[0])
    return ("auto", "mode" if name == "auto" else name.removeprefix("auto_")) if name.startswith("auto") else path


def _line(text: str, path: Sequence[int | str], least: int) -> int:
    """The line of a key, else that of what holds it, at `least` so many names deep, counted from 1; 0 where none is
    seen. The text is read as most people write TOML: a key or a header a line."""
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
    """The Settings that these keys say, in canonical form; what is not given has its default. Raises UserErrors with
    the keys' paths: `checks.unit.timeout is ...`."""
    wrong = _faults(given, table)
    if wrong:
        raise UserErrors([UserError(one.reason, one.fix) for one in wrong])
    return taken(table.kind, given)


def _faults(given: Any, table: Table = SETTINGS) -> list[Fault]:
    """All that is wrong with these keys: of each by itself, then of those that are right what holds of several."""
    wrong = faults(table.kind, given, lambda path: (TABLES[str(path[0])] if path else table).keys)
    if not isinstance(given, dict):
        return wrong
    known = dict.fromkeys((*checkers.NAMES, *_table(given, "checks")))
    bad = {one.path[: 2 if one.path[0] == "checks" else 1] for one in wrong}
    right = {key: value for key, value in given.items() if (key,) not in bad}
    if "checks" in right:
        right["checks"] = {name: value for name, value in right["checks"].items() if ("checks", name) not in bad}
    found = taken(table.kind, right)
    for name, check in found.checks.items():
        wrong += _unread_keys(name, check)
        # a misspelt tool would be a setting that silently does nothing
        if not check.command and name not in checkers.NAMES:
            fix = f"set its command; only {', '.join(checkers.NAMES)} come with one"
            wrong.append(Fault(("checks", name), f"checks.{name}: has no command{meant(name, checkers.NAMES)}", fix))
    for tool in found.severity:
        if tool not in known:
            fix = f"take one of {', '.join(known)}"
            wrong.append(Fault(("severity", tool), f"severity.{tool}: unknown tool{meant(tool, known)}", fix))
    names = (found.memory.summary_file, found.memory.feedback_file, found.memory.state_file)
    if len(set(names)) < len(names):
        wrong.append(Fault(("memory",), "memory: two of its files have one name", "give each a name of its own"))
    return [*wrong, *_odd_hooks(found)]


def _odd_hooks(found: Settings) -> Iterator[Fault]:
    """Hooks that say too little, or are called alike."""
    for number, hook in enumerate(found.hooks):
        if not (hook.name and hook.command):
            lacks = "command" if hook.name else "name"
            yield Fault(("hooks", number), f"hooks[{number}]: has no {lacks}", "give each hook a name and a command")
        elif hook.name in [one.name for one in found.hooks[:number]]:
            what = f"hooks[{number}]: another hook is called {hook.name}"
            yield Fault(("hooks", number, "name"), what, "give each a name of its own")


def _table(given: Mapping[str, Any], key: str) -> dict[str, Any]:
    found = given.get(key)
    return found if isinstance(found, dict) else {}


def _unread_keys(name: str, check: CheckSetting) -> Iterator[Fault]:
    """Keys for a command where the checker brings its own, which would do nothing, and those that lack another."""
    keys = ("ok", "pending", "pending_minutes", "format", "pattern")
    given = [key for key in keys if getattr(check, key) != getattr(CheckSetting(), key)]
    if given and not check.command and name in checkers.NAMES:
        fix = f"leave it out: what {name} says is read, not its exit code alone"
        yield Fault(("checks", name, given[0]), f"checks.{name}.{given[0]}: is for a command of your own", fix)
    elif both := sorted({*check.pending} & {*check.ok}):
        codes = ", ".join(map(str, both))
        fix = "leave it out of one of the two"
        yield Fault(("checks", name, "pending"), f"checks.{name}.pending: {codes} is in ok, too", fix)
    elif check.pattern and check.format != formats.PATTERN:
        fix = f'set format = "{formats.PATTERN}" beside it'
        yield Fault(("checks", name, "pattern"), f"checks.{name}.pattern: is for another format", fix)
    elif check.format == formats.PATTERN and not check.pattern:
        reason = f'checks.{name}.format: "{formats.PATTERN}" has no pattern'
        yield Fault(("checks", name, "format"), reason, "set pattern beside it")
