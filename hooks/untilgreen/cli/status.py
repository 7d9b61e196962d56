"""`untilgreen status`: the loops of a project."""

import os

import click
import orjson

from untilgreen import store
from untilgreen.cli import listing, starting
from untilgreen.cli.errors import UserError


@click.command("status")
@click.option("--project", default="", metavar="DIR", help="The project's folder.")
@click.option("--json", "as_json", is_flag=True, help="Answer in JSON.")
def command(project: str, as_json: bool) -> None:
    """Show the loops of this project, running ones first."""
    root = starting.root_of(project, os.environ)
    base = store.base_of(root, os.environ)
    try:
        found = listing.loops_of(base, root)
    except store.Unreadable as error:
        raise UserError(str(error)) from None
    if as_json:
        facts = {"project": root, "state_dir": base, "loops": [starting.as_json(loop, place) for place, loop in found]}
        click.echo(orjson.dumps(facts, option=orjson.OPT_INDENT_2))
        return
    click.echo("\n".join(starting.line(loop) for _, loop in found) or "untilgreen: no loops here yet")
