"""`untilgreen`: the command for people."""

import os
import sys
import time

import click
import orjson

from untilgreen import loops, store, trust
from untilgreen.cli import errors, listing, options, registration, starting
from untilgreen.cli.errors import UserError


@click.group("untilgreen", invoke_without_command=True)
@click.version_option(options.version())
@click.pass_context
def group(context: click.Context) -> None:
    """Hold a coding agent until the project's own checks are green."""
    if context.invoked_subcommand is None:
        click.echo(context.get_help(), err=True)
        context.exit(errors.USER_ERROR)


def main() -> int:
    """Run `untilgreen`; the exit code."""
    return errors.run(group, sys.argv[1:], starting.logged)


@group.command()
@click.option("--project", default="", metavar="DIR", help="The project's folder.")
@click.option("--json", "as_json", is_flag=True, help="Answer in JSON.")
def status(project: str, as_json: bool) -> None:
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


@group.command("trust")
@click.option("--project", default="", metavar="DIR", help="The project's folder.")
def trust_command(project: str) -> None:
    """Let the checks run this project's own code: its tests, plugins and virtual environment."""
    root = _project(project)
    new = _granted(root)
    click.echo(f"untilgreen: {root} {'is trusted now' if new else 'was trusted already'} ({trust.path(os.environ)})")


@group.command()
@click.option("--local", is_flag=True, help="Write .claude/settings.local.json (the default).")
@click.option("--project", default="", metavar="DIR", help="The project's folder.")
def init(local: bool, project: str) -> None:
    """Register the hooks with Claude Code for this project, add the slash commands, and trust the project."""
    del local
    root = _project(project)
    try:
        store.make_base(starting.config_folder(starting.place_of(root, "next", os.environ), os.environ))
        done = registration.install(root, time.strftime("%Y%m%d-%H%M%S"))
    except OSError as error:
        raise UserError(f"cannot write {error.filename}: {error.strerror}") from None
    _granted(root)
    for line in done:
        click.echo(line)
    click.echo(f"trusted: {root}")


def _project(project: str) -> str:
    root = starting.root_of(project, os.environ)
    refused = loops.refused(root, os.environ)
    if refused:
        raise UserError(refused)
    return root


def _granted(root: str) -> bool:
    try:
        return trust.grant(root, os.environ)
    except OSError as error:
        raise UserError(f"cannot write {error.filename or trust.path(os.environ)}: {error.strerror}") from None
