"""The terminal that somebody sits at: does it take colours, and which key was typed."""

import os
import select
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import click

SPINNER = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
TURN = 0.2  # seconds of one picture of it


def colours() -> bool:
    """Whether stdout takes colours: a terminal does, unless NO_COLOR is set; anything else where FORCE_COLOR is."""
    if os.environ.get("NO_COLOR"):
        return False
    forced = os.environ.get("FORCE_COLOR", "")
    return forced != "0" if forced else sys.stdout.isatty() and os.environ.get("TERM") != "dumb"


def redraw(line: str, *, err: bool = False) -> None:
    """Draw the line that the cursor stands in anew, cut to the terminal; "" clears it."""
    click.echo("\r\x1b[K" + line[: shutil.get_terminal_size().columns - 1], nl=False, err=err)


@contextmanager
def keys() -> Iterator[Callable[[float], str | None]]:
    """What tells the key that was typed within so many seconds: "" for none, None where the terminal is gone."""
    if not sys.stdin.isatty():
        yield lambda seconds: time.sleep(seconds) or ""  # type: ignore[func-returns-value]
        return
    import termios  # not on Windows, where the package can be installed
    import tty

    terminal = sys.stdin.fileno()
    before = termios.tcgetattr(terminal)

    def typed(seconds: float) -> str | None:
        ready, _, _ = select.select([terminal], [], [], seconds)
        return (os.read(terminal, 1).decode("utf-8", "replace") or None) if ready else ""

    tty.setcbreak(terminal, termios.TCSANOW)
    try:
        yield typed
    finally:
        termios.tcsetattr(terminal, termios.TCSADRAIN, before)


def asking(name: str) -> str:
    """The variable by which a shell asks this command for the words that may come next, as click calls it."""
    return ("_" + name + "_COMPLETE").replace("-", "_").upper()
