"""`untilgreen statusline`: the session's loop in one line."""

import click

from untilgreen.events import status_line


@click.command("statusline")
def command() -> None:
    """Print the session's loop in one line, for the host's status line.

    It reads the host's JSON from stdin, and prints nothing where no loop runs.
    """
    status_line.main()
