"""How single values are read, for flags, typed lines and configuration keys. Raises UserError with what is allowed."""

import json
import re
import shlex

from untilgreen.core.errors import UserError
from untilgreen.core.model.settings import Criteria

CRITERIA = tuple(name for name in Criteria._fields if name not in ("only", "judge", "stagnation_limit"))
CHECK_NAME = re.compile(r"[A-Za-z0-9_-]+")

# nine digits are enough for anybody, and int() refuses very long ones
_NUMBER = re.compile(r"0*([0-9]{1,9})")
_AMOUNT = re.compile(r"[0-9]{1,9}(\.[0-9]{1,9})?")
_QUOTED = re.compile(r"""'[^']*'|"(?:\\.|[^"\\])*"|\\.""", re.DOTALL)
_OPERATOR = re.compile(r"&&|\|\||[|&;<>]")


def shown(value: object) -> str:
    """A value as an error line shows it: as JSON, cut after 60 characters."""
    written = json.dumps(value, default=str, ensure_ascii=False)
    return written if len(written) <= 60 else written[:57] + "..."


def number(flag: str, value: str) -> int:
    """A whole number in decimal ASCII digits: `08` is eight, `1_0`, `+3` and `1.5` are none."""
    digits = _NUMBER.fullmatch(value)
    if not digits:
        wanted = "a whole number of at most nine digits"
        raise UserError(f"{flag}: {shown(value)} is not {wanted}", f"write digits only, for example {flag} 10")
    return int(digits[1])


def dollars(flag: str, value: str) -> float:
    """An amount in decimal ASCII digits, with cents and less behind a point."""
    if not _AMOUNT.fullmatch(value):
        raise UserError(f"{flag}: {shown(value)} is not an amount in USD", f"write for example {flag} 2.50")
    return float(value)


def text(value: str) -> str:
    """Text that can be encoded: bytes of the command line that are no text become question marks."""
    return value.encode("utf-8", "replace").decode("utf-8")


def command_words(command: str) -> tuple[str, ...]:
    """The words of a command line that runs without a shell."""
    operator = _OPERATOR.search(_QUOTED.sub("", command))
    if operator:
        advice = f"quote it, or use sh -c {shlex.quote(command)}"
        raise UserError(f"{operator[0]} is for a shell, and the command runs without one", advice)
    try:
        words = tuple(shlex.split(command))
    except ValueError as error:
        raise UserError(f"{shown(command)}: {str(error).lower()}", "close the quote, or escape it") from None
    if not words or not words[0]:
        raise UserError("the command is empty", "write for example pytest -q")
    return words
