"""`untilgreen diff`: what changed between two moments of a loop."""

import sys

import click

from untilgreen.cli import terminal
from untilgreen.cli.story import history
from untilgreen.core.foreign import printable
from untilgreen.loops import back

_COLOURS = {"+": "green", "-": "red", "@": "cyan"}
_HEADS = ("diff --git ", "+++ ", "--- ", "index ", "new file ", "deleted file ", "old mode ", "new mode ")


@click.command("diff", epilog="Example: untilgreen diff start 2")
@click.argument("one", metavar="N")
@click.argument("other", default=back.NOW, metavar="[M]")
@click.option("--session", default="", metavar="ID", help="The session, or the loop; else the newest loop.")
@click.option("--project", default="", metavar="DIR", help="The project's folder.")
def command(one: str, other: str, session: str, project: str) -> None:
    """Show what changed between two moments of a loop.

    N and M are the number of a round, start, best or now, which M is without one.
    """
    kept = history.find(project, session=session)
    text = back.diff(kept.place, kept.loop, one, other)
    if not sys.stdout.isatty():
        click.echo(text, nl=False)
        return
    for line in text.decode("utf-8", "replace").removesuffix("\n").split("\n"):
        colour = None if line.startswith(_HEADS) else _COLOURS.get(line[:1])
        click.echo(
            click.style(printable(line.expandtabs()), fg=colour, bold=line.startswith(_HEADS) or None),
            color=terminal.colours(),
        )
