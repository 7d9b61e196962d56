"""`--watch`: something is done again whenever a file of the project changes."""

import os
import sys
from collections.abc import Callable

import click

from untilgreen.cli import terminal
from untilgreen.project.tree import worktree
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
        with terminal.keys() as typed:
            click.echo("watching: q ends", err=True)  # an interrupt in the middle of an import would be lost
            while worktree.fingerprint(root, skip) == seen:
                if typed(_EVERY) in ("q", "Q", None):
                    return code


def _done(do: Callable[[], int]) -> int:
    if sys.stdout.isatty():
        click.clear()
    return do()
