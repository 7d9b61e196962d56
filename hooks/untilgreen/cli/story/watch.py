"""`untilgreen watch`: a loop round by round, as it goes on."""

import shutil
import sys
import time
from collections.abc import Callable

import click

from untilgreen.cli import terminal
from untilgreen.cli.story import history, show
from untilgreen.loops.begin.listing import Kept
from untilgreen.state import under_way

_EVERY = 1.0  # seconds
_TURN = 0.2  # seconds of a picture of the spinner
_SPINNER = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
_ANEW = "\r\x1b[K"  # the line is drawn anew


@click.command("watch", epilog="Example: untilgreen watch")
@click.option("--project", default="", metavar="DIR", help="The project's folder.")
def command(project: str) -> None:
    """Show the newest loop round by round, live.

    It is drawn anew whenever it changes, until it is over; below it, which checks run now. q leaves. Without a
    terminal it is shown once.
    """
    kept = history.find(project, "")
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        click.echo("\n".join(show.drawn(history.told(kept), 0)), color=terminal.colours())
        click.echo("untilgreen: shown once: watch needs a terminal", err=True)
        return
    drawn: list[str] = []
    with terminal.keys() as typed:
        while True:
            page = _page(kept)
            if page != drawn:
                click.clear()
                click.echo("\n".join(page), color=terminal.colours())
                drawn = page
            if not kept.loop.active:
                return
            if _rested(kept, typed) in ("q", "Q", None):
                click.echo()
                return
            kept = history.find(project, kept.loop.loop_id)


def _rested(kept: Kept, typed: Callable[[float], str | None]) -> str | None:
    """Show for a second which checks run, with a sign that turns; the key that was typed, as `terminal.keys`."""
    until = time.monotonic() + _EVERY
    while True:
        now = time.time()
        told = under_way.told(kept.place, now)
        foot = f"{_SPINNER[int(now / _TURN) % len(_SPINNER)]} {told} · q leaves" if told else "q leaves"
        click.echo(_ANEW + foot[: shutil.get_terminal_size().columns - 1], nl=False)
        key = typed(_TURN if told else _EVERY)
        if key != "" or time.monotonic() >= until:
            return key


def _page(kept: Kept) -> list[str]:
    """What fits on the terminal: where the loop stands, and its newest rounds; of one that is over everything."""
    size = shutil.get_terminal_size()
    first, *rest = show.drawn(history.told(kept), size.columns)
    return [first, *rest[-max(1, size.lines - 3) :]] if kept.loop.active else [first, *rest]
