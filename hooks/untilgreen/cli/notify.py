"""`untilgreen notify`: is what the configuration names told, and does it take it?"""

import os

import click

from untilgreen.cli import errors
from untilgreen.core.errors import UserError
from untilgreen.core.words import brief
from untilgreen.core.words.notification import Notification
from untilgreen.loops.begin import starting
from untilgreen.loops.heard import own_commands
from untilgreen.project import trust
from untilgreen.settings import load
from untilgreen.state.place import NEXT


@click.command("notify", epilog="Example: untilgreen notify")
@click.option("--project", default="", metavar="DIR", help="The project's folder.")
def command(project: str) -> None:
    """Try the notification that the configuration names.

    Its command runs as at the end of a loop. What goes wrong is an error.
    """
    root = starting.root_of(project, os.environ)
    settings = load.load(root)
    if not settings.notify.command:
        raise UserError("notify names no command", "set notify.command")
    if not trust.trusted(root, os.environ):
        raise UserError(f"{root} is not trusted", "run untilgreen trust")
    project = brief.clean(os.path.basename(root))
    told = Notification("complete", f"untilgreen, {project}: a try", "no loop ended", "", "", project, 1, 1, None)
    faults = own_commands.try_notification(starting.place_of(root, NEXT, os.environ), settings, told, os.environ)
    if faults:
        raise UserError("; ".join(faults), "mend it in the configuration")
    errors.tell("untilgreen: it was taken")
