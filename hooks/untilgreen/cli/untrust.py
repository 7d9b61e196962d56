"""`untilgreen untrust`: what `untilgreen trust`, `init` or a loop allowed is taken back."""

import os

import click

from untilgreen.cli import cancel, errors
from untilgreen.cli.installing.plan import active
from untilgreen.loops.begin import starting
from untilgreen.loops.rest import ending
from untilgreen.project import trust


@click.command("untrust", epilog="Example: untilgreen untrust --project ~/work/shop")
@click.option("--project", default="", metavar="DIR", help="The project's folder, which may be gone.")
def command(project: str) -> None:
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
