"""`untilgreen watch`: a loop round by round, as it goes on."""

import shutil
import sys

import click

from untilgreen.cli import terminal
from untilgreen.cli.story import history, show
from untilgreen.loops.listing import Kept

_EVERY = 1.0  # seconds


@click.command("watch", epilog="Example: untilgreen watch")
@click.option("--project", default="", metavar="DIR", help="The project's folder.")
def command(project: str) -> None:
    """Show the newest loop round by round, live.

    It is drawn anew whenever it changes, until it is over; q leaves. Without a terminal it is shown once.
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
            if not kept.loop.active or typed(_EVERY) in ("q", "Q", None):
                return
            kept = history.find(project, kept.loop.loop_id)


def _page(kept: Kept) -> list[str]:
    """What fits on the terminal: where the loop stands, and its newest rounds; of one that is over everything."""
    size = shutil.get_terminal_size()
    first, *rest = show.drawn(history.told(kept), size.columns)
    return [first, *rest[-max(1, size.lines - 3) :], "q leaves"] if kept.loop.active else [first, *rest]
