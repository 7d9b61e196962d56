"""What keys of several tables may hold."""

from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, Field, WithJsonSchema
from pydantic_core import PydanticCustomError

from untilgreen.core.errors import UserError
from untilgreen.settings import values

MOST = 10**9


def at_least(least: int, kind: type = int) -> Any:
    """A number from here up."""
    return Annotated[kind, Field(ge=least, le=MOST)]


def _words(command: Any) -> Any:
    if isinstance(command, str):
        try:
            return list(values.command_words(command))
        except UserError as error:
            raise PydanticCustomError("command", "{reason}", {"reason": error.reason, "fix": error.fix}) from None
    if not isinstance(command, list) or not command or not command[0]:
        raise ValueError("a command, as a string or a list of strings")
    return command


_COMMAND = {
    "type": ["string", "array"],
    "items": {"type": "string"},
    "prefixItems": [{"type": "string", "minLength": 1}],
    "minItems": 1,
    "pattern": r"\S",
}
# the words of a command, or one string of them
COMMAND = Annotated[list[str], AfterValidator(tuple), BeforeValidator(_words), WithJsonSchema(_COMMAND)]
