"""`untilgreen watch`: a loop round by round, as it goes on."""

import os
import select
import shutil
import sys
import termios
import tty
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import click

from untilgreen.cli.story import history, show
from untilgreen.loops.listing import Kept


@click.command("watch", epilog="Example: untilgreen watch")
@click.option("--project", default="", metavar="DIR", help="The project's folder.")
def command(project: str) -> None:
    """Show the newest loop round by round, live.

    It is drawn anew whenever it changes, until it is over; q leaves. Without a terminal it is shown once.
    """
    kept = history.find(project, "")
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        click.echo("\n".join(show.drawn(history.told(kept), 0)), color=show.colours())
        click.echo("untilgreen: shown once: watch needs a terminal", err=True)
        return
    drawn: list[str] = []
    with _keys() as pressed:
        while True:
            page = _page(kept)
            if page != drawn:
                click.clear()
                click.echo("\n".join(page), color=show.colours())
                drawn = page
            if not kept.loop.active or pressed() in ("q", "Q", None):
                return
            kept = history.find(project, kept.loop.loop_id)


def _page(kept: Kept) -> list[str]:
    """What fits on the terminal: where the loop stands, and its newest rounds; of one that is over everything."""
    size = shutil.get_terminal_size()
    first, *rest = show.drawn(history.told(kept), size.columns)
    return [first, *rest[-max(1, size.lines - 3) :], "q leaves"] if kept.loop.active else [first, *rest]


@contextmanager
def _keys() -> Iterator[Callable[[], str | None]]:
    """What waits a second for a key: "" where none came, None where the terminal is gone."""
    terminal = sys.stdin.fileno()
    before = termios.tcgetattr(terminal)

    def pressed() -> str | None:
        ready, _, _ = select.select([terminal], [], [], 1.0)
        return (os.read(terminal, 1).decode("utf-8", "replace") or None) if ready else ""

    tty.setcbreak(terminal)
    try:
        yield pressed
    finally:
        termios.tcsetattr(terminal, termios.TCSADRAIN, before)
