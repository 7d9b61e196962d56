"""`untilgreen trust`: the one gate before a project's own code."""

import os

import click

from untilgreen.loops import starting
from untilgreen.project import trust


@click.command("trust")
@click.option("--project", default="", metavar="DIR", help="The project's folder.")
def command(project: str) -> None:
    """Let the checks run this project's own code: its tests, plugins and virtual environment."""
    root = starting.root_of(project, os.environ)
    starting.refuse(root, os.environ)
    new = trust.grant(root, os.environ)
    click.echo(f"untilgreen: {root} {'is trusted now' if new else 'was trusted already'} ({trust.path(os.environ)})")
