"""How a command that people type ends: its exit code, and one line on stderr when it went wrong.

0 is yes or done, 1 is no, 4 could not be judged, 64 (EX_USAGE) was asked or configured wrongly, or refused by the
system, 3 is a bug; never click's 2: a host takes it for "block". What a signal ends, ends with 128 and its number, as a
shell says it; a reader that has gone is such a case, and no error (git dies of SIGPIPE, too).
"""

import errno
import os
import signal
import sys
import traceback
from collections.abc import Callable, Sequence
from contextlib import suppress

import click

from untilgreen.checks.run import processes
from untilgreen.core import foreign
from untilgreen.core.errors import UserError, meant
from untilgreen.project import trust
from untilgreen.project.refusals import refused

OK, NO, BUG, UNJUDGED, USER_ERROR, INTERRUPTED = 0, 1, 3, 4, 64, 130
UNREAD = 128 + getattr(signal, "SIGPIPE", 13)


class Mistyped(UserError):
    """What was typed is no command, option or value of ours: nothing failed."""


def tell(*lines: str, err: bool = False) -> None:
    """Print lines: what names and texts of others hold begins no other one, and moves no cursor."""
    for line in lines:
        click.echo(foreign.one_line(line), err=err)


def note(*lines: object) -> None:
    """Tell what stands beside an answer: on stderr, in our name."""
    tell(*(f"untilgreen: {line}" for line in lines), err=True)


def run(command: click.Command, args: Sequence[str], log: Callable[[str], str] | None = None) -> int:
    """Run a click command and return its exit code; `log` takes the traceback of a bug and says where it is."""
    name, stdout = command.name or "untilgreen", sys.stdout
    code = _run(name, command, args, log)
    if sys.stdout is not stdout:  # click puts another in its place when nobody reads any more
        code = UNREAD
    elif code in (OK, NO, USER_ERROR) and (why := _unwritten()):
        full = UserError(f"cannot write to stdout: {why}", "write to where there is room")
        code = UNREAD if why == os.strerror(errno.EPIPE) else fail(name, full, USER_ERROR)
    _let_go()
    return code


def _run(name: str, command: click.Command, args: Sequence[str], log: Callable[[str], str] | None) -> int:
    try:
        code = command.main(args=list(args), prog_name=name, standalone_mode=False, help_option_names=["-h", "--help"])
    except click.ClickException as error:
        context = getattr(error, "ctx", None)
        fix = f"run {context.command_path if context else name} --help"
        reason = error.format_message().rstrip(".")
        if isinstance(error, click.NoSuchOption):
            reason = f"no such option {error.option_name}{near(error)}"
        return fail(name, Mistyped(reason, fix), USER_ERROR)
    except UserError as error:
        return fail(name, error, USER_ERROR)
    except (click.Abort, KeyboardInterrupt):
        return INTERRUPTED
    except processes.Interrupted as told:
        return 128 + told.number
    except SystemExit as end:  # click's own
        return end.code if isinstance(end.code, int) else OK
    except Exception as error:  # noqa: BLE001 - the last guard of a command: a bug must not end as a user error
        return unforeseen(name, error, log)
    return code if isinstance(code, int) else OK


def near(error: click.NoSuchOption) -> str:
    """The option that was meant, as `meant` says it; click's own words differ from version to version."""
    known = [flag for one in error.ctx.command.params for flag in one.opts] if error.ctx else []
    return meant(error.option_name, known)


def unforeseen(name: str, error: Exception, log: Callable[[str], str] | None = None) -> int:
    """Say what nobody met on the way; the exit code."""
    if isinstance(error, trust.Unread):
        return fail(name, UserError(str(error), f"make {error.filename} a file that you can read"), USER_ERROR)
    if told := refused(error):
        return USER_ERROR if _unwritten() else fail(name, told, USER_ERROR)
    path = log(traceback.format_exc()) if log is not None else ""
    fix = "report it" + (f" with the traceback that is in {path}" if path else "")
    return fail(name, UserError(f"a bug in untilgreen: {type(error).__name__}: {error}", fix), BUG)


def fail(name: str, error: UserError, code: int) -> int:
    """Say what was wrong, a line each; the exit code."""
    with suppress(OSError):  # the exit code says it, too
        for one in error.every:
            click.echo(f"{name}{'' if isinstance(error, Mistyped) else ' failed'}: {one}", err=True)
    return code


def _unwritten() -> str:
    """Why stdout did not take all that was said, "" where it did."""
    if sys.stdout is None:
        return os.strerror(errno.EBADF)
    try:
        sys.stdout.flush()
    except OSError as error:
        return error.strerror or str(error)
    return ""


def _let_go() -> None:
    """Drop what a stream did not take: else Python tries again at its end, complains and exits with 120."""
    for stream in (sys.stdout, sys.stderr):
        try:
            if stream is not None:
                stream.flush()
        except OSError:
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, stream.fileno())
            os.close(nowhere)
