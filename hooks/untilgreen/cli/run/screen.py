"""What `untilgreen run` shows: a line for each event; on a terminal below them one that is drawn anew."""

import itertools
import os
import shutil
import sys
import time

import click

from untilgreen.core import foreign
from untilgreen.core.words import brief

_ANEW = "\r\x1b[K"
_EVERY = 0.2  # seconds
_SPINNER = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"


class Screen:
    """It has state: what runs now, since when, and when it was last drawn. `err`: stdout is kept for something else."""

    def __init__(self, *, err: bool) -> None:
        self._err = err
        self._live = (sys.stderr if err else sys.stdout).isatty() and os.environ.get("TERM") != "dumb"
        self._what, self._since, self._drawn = "", 0.0, 0.0
        self._turns = itertools.cycle(_SPINNER)

    def say(self, text: str) -> None:
        """Lines that stay. Text of others comes out without what a terminal obeys."""
        self._clear()
        for line in filter(None, text.split("\n")):
            click.echo(foreign.one_line(line), err=self._err)

    def runs(self, what: str) -> None:
        """What runs from now on, in a few words."""
        self._what, self._since, self._drawn = what, time.monotonic(), 0.0
        self.tick()

    def ends(self) -> None:
        """Nothing runs any more."""
        self._clear()
        self._what = ""

    def tick(self, what: str = "") -> None:
        """Draw the line, if it is time to. `what`: more of it."""
        now = time.monotonic()
        if not (self._live and self._what) or now - self._drawn < _EVERY:
            return
        self._drawn = now
        told = " · ".join(filter(None, (self._what, what, brief.spent(now - self._since))))
        line = f"{next(self._turns)} {told} · Ctrl-C stops"
        click.echo(_ANEW + line[: shutil.get_terminal_size().columns - 1], nl=False, err=self._err)

    def _clear(self) -> None:
        if self._live:
            click.echo(_ANEW, nl=False, err=self._err)
