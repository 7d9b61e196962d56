"""`untilgreen statusline`: the session's loop in one line."""

import click

from untilgreen.loops.heard import status_line


@click.command("statusline", epilog="Example: untilgreen init --statusline")
def command() -> None:
    """Print the loop for the host's status line.

    It reads the host's JSON from stdin, and prints the session's loop in one line, or nothing if none runs.
    """
    status_line.main()
