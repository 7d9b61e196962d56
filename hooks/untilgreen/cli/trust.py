"""`untilgreen trust` and `untrust`: the one gate before a project's own code."""

import os

import click

from untilgreen.cli import cancel, errors
from untilgreen.cli.installing.plan import active
from untilgreen.core import findings
from untilgreen.loops.begin import starting
from untilgreen.loops.rest import ending, orphans
from untilgreen.project import trust
from untilgreen.state import place


@click.command("trust", epilog="Example: untilgreen trust --list")
@click.option("--project", default="", metavar="DIR", help="The project's folder.")
@click.option("--list", "listed", is_flag=True, help="Show every folder that is trusted, and trust none.")
def command(project: str, listed: bool) -> None:
    """Let the checks run this project's own code.

    That is its tests, plugins and virtual environment. Its state folder, .untilgreen/, counts as ours, too.
    `untilgreen untrust` takes it back.
    """
    env = os.environ
    if listed:
        for folder in trust.listed(env):
            click.echo(findings.readable(folder) + ("" if os.path.isdir(folder) else "  (no such folder)"))
        return
    root = starting.root_of(project, env)
    starting.refuse(root, env)
    there = os.path.lexists(place.usual(root, env))
    new = trust.grant(root, env)
    errors.tell(f"untilgreen: {root} {'is trusted now' if new else 'was trusted already'} ({trust.path(env)})")
    base = place.base_of(root, env)
    for old in orphans.follow(root, base, env) if os.path.isdir(base) else ():
        errors.tell(f"untilgreen: what was {old} is this folder now: its loops came along (see untilgreen status)")
    if new and there:
        click.echo(f"untilgreen: {place.FOLDER}/ was there before; what is in it counts now (see untilgreen status)")


@click.command("untrust", epilog="Example: untilgreen untrust --project ~/work/shop")
@click.option("--project", default="", metavar="DIR", help="The project's folder, which may be gone.")
def untrust(project: str) -> None:
    """Stop the checks from running this project's own code.

    Its loops end, and the hooks are silent there from now on.
    """
    env = os.environ
    gone = bool(project) and not os.path.lexists(project)
    root = os.path.realpath(project) if gone else starting.root_of(project, env)
    with starting.state_is_used("the project is trusted still"):
        ended = [loop for one in dict.fromkeys(kept.place for kept in active(root, env)) for loop in cancel.end(one)]
        was = trust.revoke(root, env)
    for loop in ended:
        click.echo(ending.told(loop))
    errors.tell(f"untilgreen: {root} {'is trusted no more' if was else 'was not trusted'} ({trust.path(env)})")
