"""`untilgreen init`: the hooks registered, the slash commands written, the project trusted."""

import os
import time

import click

from untilgreen import store
from untilgreen.cli import registration, starting, trust
from untilgreen.cli.errors import UserError


@click.command("init")
@click.option("--local", is_flag=True, help="Write .claude/settings.local.json (the default).")
@click.option("--project", default="", metavar="DIR", help="The project's folder.")
def command(local: bool, project: str) -> None:
    """Register the hooks with Claude Code for this project, add the slash commands, and trust the project."""
    del local
    root = trust.project_of(project)
    try:
        store.make_base(starting.config_folder(starting.place_of(root, "next", os.environ), os.environ))
        done = registration.install(root, time.strftime("%Y%m%d-%H%M%S"))
    except OSError as error:
        raise UserError(f"cannot write {error.filename}: {error.strerror}") from None
    trust.granted(root)
    for line in done:
        click.echo(line)
    click.echo(f"trusted: {root}")
