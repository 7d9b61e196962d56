"""The terminal that somebody sits at: colours, keys, a line that is drawn anew; and the signals that stop a run."""

import itertools
import os
import select
import shutil
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType

import click

from untilgreen.core import foreign
from untilgreen.core.words import brief

SPINNER = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
TURN = 0.2  # seconds of one picture of it
# Ctrl-C, and a terminal that is closed, among them
_ENDING = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))


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


class Screen:
    """It has state: what runs now, since when, and when it was last drawn. `err`: stdout is kept for something else."""

    def __init__(self, *, err: bool) -> None:
        self._err = err
        self.live = (sys.stderr if err else sys.stdout).isatty() and os.environ.get("TERM") != "dumb"
        self._drawn = 0.0
        self._line: Callable[[], str] | None = None
        self._turns = itertools.cycle(SPINNER)

    def say(self, text: str) -> None:
        """Lines that stay. Text of others comes out without what a terminal obeys."""
        self._clear()
        for line in filter(None, text.split("\n")):
            click.echo(foreign.one_line(line), err=self._err)

    def runs(self, what: str) -> None:
        """What runs from now on, in a few words."""
        since = time.monotonic()
        self.shows(lambda: f"{what} · {brief.spent(time.monotonic() - since)}")

    def shows(self, line: Callable[[], str]) -> None:
        """What the line that is drawn again and again says from now on."""
        self._line, self._drawn = line, 0.0
        self.tick()

    def ends(self) -> None:
        """Nothing runs any more."""
        self._clear()
        self._line = None

    def tick(self) -> None:
        now = time.monotonic()
        if not (self.live and self._line) or now - self._drawn < TURN:
            return
        self._drawn = now
        redraw(f"{next(self._turns)} {self._line()} · Ctrl-C stops", err=self._err)

    def _clear(self) -> None:
        if self.live:
            redraw("", err=self._err)


class Signals:
    """It has state: how often it was told, the agent's process group, and whether what runs now may be broken off."""

    def __init__(self) -> None:
        self.times = 0
        self.child = 0
        self.breaks = False

    def __bool__(self) -> bool:
        return self.times > 0

    def hear(self, _number: int, _frame: FrameType | None) -> None:
        """The first time the agent is ended kindly, the second time at once."""
        self.times += 1
        if self.child and self.times > 1:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self.child, signal.SIGKILL)
        if self.breaks:
            raise KeyboardInterrupt


@contextmanager
def heard() -> Iterator[Signals]:
    """While a run goes on."""
    told = Signals()
    before = {one: signal.signal(one, told.hear) for one in _ENDING if signal.getsignal(one) is not signal.SIG_IGN}
    try:
        yield told
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
