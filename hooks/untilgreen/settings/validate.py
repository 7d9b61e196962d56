"""What a source of the configuration may say: pydantic checks each key, and here is what holds of several.

Every error is a UserError that begins with the key's path: `checks.unit.timeout is ...`.
"""

from collections.abc import Mapping
from typing import Any

from untilgreen import checkers
from untilgreen.checkers import formats
from untilgreen.core.errors import UserError
from untilgreen.core.model.settings import CheckSetting
from untilgreen.settings.keys import SETTINGS
from untilgreen.settings.table import Table, taken


def settings(given: Mapping[str, Any], table: Table = SETTINGS) -> Any:
    """The Settings that these keys say, in canonical form; what is not given has its default."""
    found = taken(table.kind, given)
    for name, check in found.checks.items():
        _refuse_unread_keys(name, check)
        # a misspelt tool would be a setting that silently does nothing
        if not check.command and name not in checkers.NAMES:
            fix = f"set its command; only {', '.join(checkers.NAMES)} come with one"
            raise UserError(f"checks.{name}: has no command", fix)
    known = dict.fromkeys((*checkers.NAMES, *found.checks))
    for tool in found.severity:
        if tool not in known:
            raise UserError(f"severity.{tool}: unknown tool", f"take one of {', '.join(known)}")
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
