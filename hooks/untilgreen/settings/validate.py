"""What may stand in the configuration, key by key.

pydantic checks the types of the very NamedTuples that the hooks use; what a type cannot say is in the tables of
`rules`. Every error is a UserError that begins with the key's path: `checks.unit.timeout: must be ...`.
"""

import json
import os
import posixpath
from collections.abc import Iterable
from typing import Any

from pydantic import TypeAdapter, ValidationError

from untilgreen import checkers
from untilgreen.checkers import formats
from untilgreen.core.errors import UserError
from untilgreen.core.model import CheckSetting, Settings
from untilgreen.settings import rules, values

SEVERITIES = ("error", "warning", "info", "security")
LATER_KEYS = ("memory", "hooks")

_SETTINGS = TypeAdapter(Settings)
_EXPECTED = {
    "int_type": "a whole number",
    "float_type": "a number",
    "bool_type": "true or false",
    "string_type": "a string",
    "tuple_type": "a list",
    "dict_type": "a table",
}


def settings(keys: dict[str, Any]) -> Settings:
    """The keys as they were read, validated and in canonical form; what is not given has its default."""
    _refuse_later_keys(keys)
    prepared = {key: _frozen(value) for key, value in keys.items()}
    if isinstance(keys.get("checks"), dict):
        prepared["checks"] = {name: _prepared_check(name, table) for name, table in keys["checks"].items()}
    try:
        valid = _SETTINGS.validate_python(prepared, strict=True)
    except ValidationError as error:
        raise _explained(error) from None
    _obey(rules.SETTINGS, "", valid, keys)
    for name, check in valid.checks.items():
        _obey(rules.CHECK, f"checks.{name}.", check, keys["checks"][name])
        _refuse_unread_keys(name, check)
    _refuse_unknown_tools(valid)
    _obey_severities(valid.severity)
    return _canonical(valid)


def _prepared_check(name: str, table: Any) -> dict[str, Any]:
    where = f"checks.{name}"
    if not values.CHECK_NAME.fullmatch(name):
        raise UserError(f"{where}: the name may hold letters, digits, _ and - only")
    if not isinstance(table, dict):
        # pydantic would take a list for the fields in their order
        raise _wrong(where, "a table", table)
    prepared = {key: _frozen(value) for key, value in table.items()}
    command = table.get("command")
    if isinstance(command, str):
        try:
            prepared["command"] = values.command_words(command)
        except UserError as error:
            raise UserError(f"{where}.command: {error}") from None
    return prepared


def _refuse_later_keys(keys: dict[str, Any]) -> None:
    for key in LATER_KEYS:
        if key in keys:
            raise UserError(f"{key}: not supported by this version; remove the key")


def _explained(error: ValidationError) -> UserError:
    first = error.errors(include_url=False)[0]
    where = first["loc"]
    path = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in where).lstrip(".")
    if first["type"] == "extra_forbidden":
        fields = CheckSetting._fields if where[0] == "checks" else Settings._fields
        return UserError(
            f"{path}: unknown key; allowed: {', '.join(name for name in fields if name not in LATER_KEYS)}"
        )
    expected = _EXPECTED.get(first["type"])
    if expected is None:
        return UserError(f"{path}: {first['msg']}")
    return _wrong(path, "a string or a list of strings" if where[-1] == "command" else expected, first["input"])


def _obey(table: dict[str, rules.Rule], where: str, valid: Any, given: Iterable[str]) -> None:
    for key in given:
        if key in table and not table[key][0](getattr(valid, key)):
            raise _wrong(f"{where}{key}", table[key][1], getattr(valid, key))


def _refuse_unread_keys(name: str, check: CheckSetting) -> None:
    """What is for commands would do nothing for a checker that comes with one."""
    given = [key for key in ("ok", "format", "pattern") if getattr(check, key) != getattr(CheckSetting(), key)]
    if given and not check.command and name in checkers.NAMES:
        wrong = f"what {name} says is read, not its exit code alone"
        raise UserError(f"checks.{name}.{given[0]}: is for a command of your own; {wrong}")
    if check.pattern and check.format != formats.PATTERN:
        raise UserError(f'checks.{name}.pattern: is for format = "{formats.PATTERN}"')
    if check.format == formats.PATTERN and not check.pattern:
        raise UserError(f'checks.{name}.format: "{formats.PATTERN}" needs a pattern beside it')


def _refuse_unknown_tools(valid: Settings) -> None:
    """A misspelt tool would be a setting that silently does nothing."""
    known = ", ".join(checkers.NAMES)
    for name, check in valid.checks.items():
        if not check.command and name not in checkers.NAMES:
            raise UserError(f"checks.{name}: needs a command; only {known} come with one")
    own = [name for name, check in valid.checks.items() if check.command and name not in checkers.NAMES]
    for tool in valid.severity:
        if tool not in (*checkers.NAMES, *own):
            raise UserError(f"severity.{tool}: unknown tool; allowed: {', '.join((*checkers.NAMES, *own))}")


def _obey_severities(severity: dict[str, dict[str, str]]) -> None:
    for tool, table in severity.items():
        for rule, name in table.items():
            if name not in SEVERITIES:
                raise _wrong(f"severity.{tool}.{rule}", f"one of {', '.join(SEVERITIES)}", name)


def _canonical(valid: Settings) -> Settings:
    try:
        criteria = tuple(dict.fromkeys(map(values.criterion, valid.criteria)))
    except UserError as error:
        raise UserError(f"criteria: {error}") from None
    return valid._replace(
        criteria=criteria,
        completion_promise=values.promise(valid.completion_promise),
        state_dir=os.path.expanduser(valid.state_dir),
        checks={name: check._replace(root=posixpath.normpath(check.root)) for name, check in valid.checks.items()},
    )


def _wrong(where: str, expected: str, found: object) -> UserError:
    written = json.dumps(found, default=str, ensure_ascii=False)
    return UserError(f"{where}: must be {expected}, not {written if len(written) <= 60 else written[:57] + '...'}")


def _frozen(value: Any) -> Any:
    """Lists as tuples, which is what the strict mode takes for a tuple."""
    if isinstance(value, list):
        return tuple(map(_frozen, value))
    if isinstance(value, dict):
        return {key: _frozen(item) for key, item in value.items()}
    return value
