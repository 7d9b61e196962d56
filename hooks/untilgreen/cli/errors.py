"""How a command that people type ends: its exit code, and one line on stderr when it went wrong.

Usage errors end with 1, not with click's 2: a host takes 2 for "block".
"""

import os
import traceback
from collections.abc import Callable, Sequence

import click

OK, USER_ERROR, BUG, INTERRUPTED = 0, 1, 3, 130


class UserError(Exception):
    """Something the user can put right; the text is always one printable line and says what to do."""

    def __init__(self, message: str) -> None:
        super().__init__(_one_line(message))


def run(command: click.Command, args: Sequence[str], log: Callable[[str], None] | None = None) -> int:
    """Run a click command and return its exit code; `log` takes the traceback of a bug."""
    name = command.name or "untilgreen"
    try:
        _complete(name)
        code = command.main(args=list(args), prog_name=name, standalone_mode=False)
    except click.ClickException as error:
        return _fail(name, error.format_message(), USER_ERROR)
    except UserError as error:
        return _fail(name, str(error), USER_ERROR)
    except (click.Abort, KeyboardInterrupt):
        return INTERRUPTED
    except Exception as error:  # noqa: BLE001 - the last guard of a command: a bug must not end as a user error
        if log is not None:
            log(traceback.format_exc())
        where = "; the traceback is in the log" if log is not None else ""
        return _fail(name, f"a bug in untilgreen: {type(error).__name__}: {error}{where}", BUG)
    return code if isinstance(code, int) else OK


def asking(name: str) -> str:
    """The variable by which a shell asks this command for the words that may come next, as click calls it."""
    return f"_{name}_COMPLETE".replace("-", "_").upper()


def _complete(name: str) -> None:
    """Let click answer such a question with what we know; it does so before anything else, and exits."""
    if asking(name) in os.environ:
        from untilgreen.cli import completion

        completion.prepare()


def _fail(name: str, message: str, code: int) -> int:
    click.echo(f"{name}: error: {_one_line(message)}", err=True)
    return code


def _one_line(message: str) -> str:
    # a quoted value may hold newlines or escape sequences; neither belongs in an error line
    return "".join(char if char.isprintable() else "?" for char in " ".join(message.split()))
