"""What people type, a command a file. This file imports no package and only finds the command that is meant."""

import os
import sys


def main(name: str) -> int:
    """Run the command; the exit code."""
    from untilgreen.cli import terminal

    if terminal.asking(name) in os.environ:
        # a shell asks what may come next: click answers that before anything else, and exits
        from untilgreen.cli import completion

        completion.prepare()
    try:
        from untilgreen.cli import root
    except OSError as error:  # a table of ours is not there
        from untilgreen.cli import errors

        return errors.unforeseen(name, error)
    return root.main(name) if name in ("untilgreen", "start-loop", "cancel-loop") else root.hook(name, sys.argv[1:])
