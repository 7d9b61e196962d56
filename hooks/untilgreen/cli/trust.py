"""`untilgreen trust`: the one gate before a project's own code."""

import os

import click

from untilgreen.core.errors import unwritten
from untilgreen.loops import starting
from untilgreen.project import trust


@click.command("trust")
@click.option("--project", default="", metavar="DIR", help="The project's folder.")
def command(project: str) -> None:
    """Let the checks run this project's own code: its tests, plugins and virtual environment."""
    root = project_of(project)
    new = granted(root)
    click.echo(f"untilgreen: {root} {'is trusted now' if new else 'was trusted already'} ({trust.path(os.environ)})")


def project_of(project: str) -> str:
    """The root of a folder that can be a project. Raises UserError."""
    root = starting.root_of(project, os.environ)
    starting.refuse(root, os.environ)
    return root


def granted(root: str) -> bool:
    """Put the project on the list; False when it was there already. Raises UserError."""
    try:
        return trust.grant(root, os.environ)
    except OSError as error:
        raise unwritten(error, trust.path(os.environ)) from None
