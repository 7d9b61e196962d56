"""How single values are read, the same for a flag, a typed line and a configuration key.

Every function raises UserError with what is allowed.
"""

import re
import shlex

from untilgreen.core.errors import UserError

MARKERS = ("trust", "verify", "require")
CRITERIA = (
    "zero_errors",
    "zero_warnings",
    "zero_security",
    "test_pass",
    "lint_clean",
    "type_check",
    "build_success",
    "custom",
    "preserve",
)
LATER_CRITERIA = ("no_tool_errors", "budget")
CHECK_NAME = re.compile(r"[A-Za-z0-9_-]+")

# nine digits are enough for anybody, and int() refuses very long ones
_NUMBER = re.compile(r"0*([0-9]{1,9})")
_QUOTED = re.compile(r"""'[^']*'|"(?:\\.|[^"\\])*"|\\.""", re.DOTALL)
_OPERATOR = re.compile(r"&&|\|\||[|&;<>]")


def shown(value: str) -> str:
    """A value as an error line shows it: quoted, and no longer than it must be."""
    return f'"{value}"' if len(value) <= 60 else f'"{value[:57]}..."'


def number(flag: str, value: str, least: int = 0) -> int:
    """A whole number in decimal ASCII digits: `08` is eight, `1_0`, `+3` and `1.5` are none."""
    digits = _NUMBER.fullmatch(value)
    if not digits:
        wanted = "a whole number of at most nine digits"
        raise UserError(f"{flag}: {shown(value)} is not {wanted}; write digits only, for example {flag} 10")
    if int(digits[1]) < least:
        raise UserError(f"{flag}: must be at least {least}, not {int(digits[1])}")
    return int(digits[1])


def choice(flag: str, value: str, allowed: tuple[str, ...]) -> str:
    """One of a few words."""
    if value not in allowed:
        raise UserError(f"{flag}: must be one of {', '.join(allowed)}, not {shown(value)}")
    return value


def text(value: str) -> str:
    """Text that any encoder takes: what was no valid text on the command line becomes a question mark."""
    return value.encode("utf-8", "replace").decode("utf-8")


def promise(value: str) -> str:
    """The text of a completion promise; white space in it is not what makes two promises differ."""
    return " ".join(text(value).split())


def criterion(name: str) -> str:
    """The canonical name of a criterion."""
    if name in LATER_CRITERIA:
        raise UserError(f"criterion {name} is not built yet; allowed: {', '.join(CRITERIA)}")
    canonical = "test_pass" if name == "tests_pass" else name
    if canonical not in CRITERIA:
        raise UserError(f"unknown criterion {shown(name)}; allowed: {', '.join(CRITERIA)}")
    return canonical


def check(value: str) -> tuple[str, tuple[str, ...]]:
    """NAME=COMMAND as the name and the words of the command."""
    name, equals, command = value.partition("=")
    if not equals or not CHECK_NAME.fullmatch(name):
        wanted = "NAME=COMMAND with a name of letters, digits, _ and -"
        raise UserError(f"{shown(value)} is not {wanted}; for example --check 'unit=pytest -q'")
    try:
        return name, command_words(command)
    except UserError as error:
        raise UserError(f"--check {name}: {error}") from None


def command_words(command: str) -> tuple[str, ...]:
    """The words of a command line that runs without a shell."""
    operator = _OPERATOR.search(_QUOTED.sub("", command))
    if operator:
        advice = f"quote it, or use sh -c {shlex.quote(command)}"
        raise UserError(f"{operator[0]} is for a shell, and the command runs without one; {advice}")
    try:
        words = tuple(shlex.split(command))
    except ValueError as error:
        raise UserError(f"{shown(command)}: {str(error).lower()}; close the quote, or escape it") from None
    if not words or not words[0]:
        raise UserError("the command is empty; write for example pytest -q")
    return words
