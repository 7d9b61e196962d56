"""`untilgreen gc`: snapshots that nobody goes back to any more go."""

import os

import click

from untilgreen.cli import errors
from untilgreen.core.model.event import Place
from untilgreen.core.words import brief
from untilgreen.loops import pruning
from untilgreen.loops.begin import starting
from untilgreen.loops.pruning import Pruned
from untilgreen.loops.rest import orphans
from untilgreen.state.place import NEXT

_SECONDS = 600.0
_MB = 1_000_000


@click.command("gc", epilog="Example: untilgreen gc")
@click.option("--project", default="", metavar="DIR", help="The project's folder.")
def command(project: str) -> None:
    """Drop old snapshots of the work tree.

    Those of loops that run or wait stay. Of the others those go that are older than 14 days, then the oldest while all
    of them take more than 1 GB. Each start does it, too, once a day. Loops whose session did not
    come back for 14 days are closed.
    """
    root = starting.root_of(project, os.environ)
    base = starting.base_of(root, os.environ)
    for _, _, loop in orphans.swept(base, root, os.environ):
        if not loop.active:
            errors.tell(orphans.line(loop))
    with starting.state_is_used("nothing was dropped"):
        done = pruning.at(Place(root, base, NEXT), _SECONDS) if os.path.isdir(base) else Pruned()
    left = brief.plural(done.left, "snapshot")
    errors.tell(
        f"untilgreen: dropped {brief.plural(done.gone, 'snapshot')}, {done.freed / _MB:.1f} MB; "
        f"{left} left, {done.size / _MB:.1f} MB"
    )
