"""`--watch`: something is done again whenever a file of the project changes."""

import os
import select
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import click

from untilgreen.project import worktree
from untilgreen.state import place

_EVERY = 1.0  # seconds


def until_told(root: str, do: Callable[[], int]) -> int:
    """Do it, and again after each change, until somebody types q; the exit code of the last time. Ctrl-C interrupts."""
    skip = place.usual(root, os.environ)
    while True:
        before = worktree.fingerprint(root, skip)
        code = _done(do)
        seen = worktree.fingerprint(root, skip)
        if seen != before:  # an edit meanwhile; or a check left files behind: once more, and no third time for that
            code = _done(do)
            seen = worktree.fingerprint(root, skip)
        click.echo("watching: q ends", err=True)
        with _keys() as typed:
            while worktree.fingerprint(root, skip) == seen:
                if typed(_EVERY) == "q":
                    return code


def _done(do: Callable[[], int]) -> int:
    if sys.stdout.isatty():
        click.clear()
    return do()


@contextmanager
def _keys() -> Iterator[Callable[[float], str]]:
    """What tells the key that was typed within so many seconds, "" for none."""
    if not sys.stdin.isatty():
        yield _nothing
        return
    import termios
    import tty

    fd = sys.stdin.fileno()
    before = termios.tcgetattr(fd)
    tty.setcbreak(fd, termios.TCSANOW)
    try:
        yield lambda seconds: os.read(fd, 1).decode("latin-1") if select.select([fd], [], [], seconds)[0] else ""
    finally:
        termios.tcsetattr(fd, termios.TCSANOW, before)


def _nothing(seconds: float) -> str:
    """Nobody can type."""
    time.sleep(seconds)
    return ""
