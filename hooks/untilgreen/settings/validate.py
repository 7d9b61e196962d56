"""What a source of the configuration may say: pydantic checks the types of a table's record, its keys the rest.

Every error is a UserError that begins with the key's path: `checks.unit.timeout is ...`.
"""

from collections.abc import Mapping
from functools import cache
from typing import Any

from pydantic import TypeAdapter, ValidationError

from untilgreen import checkers
from untilgreen.checkers import formats
from untilgreen.core.errors import UserError
from untilgreen.core.model.settings import CheckSetting
from untilgreen.settings import values
from untilgreen.settings.keys import CHECK, SETTINGS, SEVERITY
from untilgreen.settings.table import Table

_adapter = cache(TypeAdapter)
_EXPECTED = {
    "int_type": "a whole number",
    "float_type": "a number",
    "bool_type": "true or false",
    "string_type": "a string",
    "tuple_type": "a list",
    "dict_type": "a table",
}


def settings(given: Mapping[str, Any], table: Table = SETTINGS) -> Any:
    """The Settings that these keys say, in canonical form; what is not given has its default."""
    checks = given.get("checks")
    if isinstance(checks, dict):
        given = {**given, "checks": {name: _check(name, keys) for name, keys in checks.items()}}
    valid = _record(table, "", given)
    _refuse_unknown_tools(valid.checks, valid.severity)
    for tool, rules in valid.severity.items():
        for rule, severity in rules.items():
            SEVERITY.taken(f"severity.{tool}.{rule}", severity)
    return valid


def _check(name: str, given: Any) -> Any:
    where = f"checks.{name}"
    if not values.CHECK_NAME.fullmatch(name):
        raise UserError(f"{where}: the name is not allowed", "take letters, digits, _ and - only")
    if not isinstance(given, dict):
        # pydantic would take a list for the fields in their order
        raise values.wrong(where, "a table", given)
    command = given.get("command", ())
    if isinstance(command, str):
        given = {**given, "command": values.command_words(f"{where}.command", command)}
    elif not isinstance(command, list | tuple):
        raise values.wrong(f"{where}.command", "a string or a list of strings", command)
    check: CheckSetting = _record(CHECK, f"{where}.", given)
    _refuse_unread_keys(name, check)
    return check


def _record(table: Table, where: str, given: Mapping[str, Any]) -> Any:
    try:
        valid = _adapter(table.record).validate_python(_frozen(given), strict=True)
    except ValidationError as error:
        raise _explained(table, where, error) from None
    keys = {name: key for name, key in table.keys.items() if name in given}
    return valid._replace(**{name: key.taken(where + name, getattr(valid, name)) for name, key in keys.items()})


def _explained(table: Table, where: str, error: ValidationError) -> UserError:
    first = error.errors(include_url=False)[0]
    parts = [f"[{part}]" if isinstance(part, int) else f".{part}" for part in first["loc"]]
    path = where + "".join(parts).lstrip(".")
    if first["type"] == "extra_forbidden":
        return UserError(f"{path}: unknown key", f"take one of {', '.join(table.record._fields)}")
    expected = _EXPECTED.get(first["type"])
    return values.wrong(path, expected, first["input"]) if expected else UserError(f"{path}: {first['msg']}", "mend it")


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


def _refuse_unknown_tools(checks: Mapping[str, CheckSetting], severity: Mapping[str, object]) -> None:
    """A misspelt tool would be a setting that silently does nothing."""
    for name, check in checks.items():
        if not check.command and name not in checkers.NAMES:
            fix = f"set its command; only {', '.join(checkers.NAMES)} come with one"
            raise UserError(f"checks.{name}: has no command", fix)
    known = dict.fromkeys((*checkers.NAMES, *checks))
    for tool in severity:
        if tool not in known:
            raise UserError(f"severity.{tool}: unknown tool", f"take one of {', '.join(known)}")


def _frozen(value: Any) -> Any:
    """Lists as tuples: strict mode takes nothing else for a tuple."""
    if isinstance(value, list):
        return tuple(map(_frozen, value))
    if isinstance(value, dict):
        return {key: _frozen(item) for key, item in value.items()}
    return value
