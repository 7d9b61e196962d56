"""`untilgreen cancel`, and `cancel-loop`: from any shell, at any time."""

import os

import click

from untilgreen import hosts
from untilgreen.cli import errors, options
from untilgreen.core.errors import UserError
from untilgreen.core.model.event import Place
from untilgreen.core.model.loop import Loop
from untilgreen.loops.begin import listing, ownership, starting
from untilgreen.loops.rest import ending
from untilgreen.state import catalogue
from untilgreen.state.place import NEXT, of


@click.command("cancel-loop", epilog="Example: untilgreen cancel --all")
@click.option(
    "--session", default="", metavar="ID|next", help="The session whose loop ends; else the only one that runs."
)
@options.project
@click.option("--all", "everything", is_flag=True, help="End every loop of the project.")
@options.as_json
@click.version_option(options.version())
def command(session: str, root: str, everything: bool, as_json: bool) -> None:
    """End a running loop. The agent is let go at its next stop."""
    cancel(session, root, as_json, everything)


def cancel(session: str, root: str, as_json: bool, everything: bool = False) -> None:
    """End the loop that is meant. Raises UserError where several could be."""
    session = session or ("" if everything else hosts.session(os.environ))
    base = starting.base_of(root, os.environ)  # as the hooks find it: a broken configuration must not keep a loop alive
    with starting.state_is_used("nothing was cancelled"):
        ended = [loop for place in _meant(base, root, session, everything) for loop in end(place)]
    if as_json:
        facts = [listing.as_json(loop, base) for loop in ended]
        options.print_json({"cancelled": facts})
        return
    for loop in ended:
        click.echo(ending.told(loop))
    if not ended:
        newest = next((one.loop for one in listing.everything(base, root)[0]), None)
        click.echo(ending.nothing(newest, root, os.environ, "here"))


def _meant(base: str, root: str, session: str, everything: bool) -> list[Place]:
    if session:
        return [Place(root, base, NEXT) if session == NEXT else of(root, base, session)]
    kept, unreadable = listing.everything(base, root)
    for line in unreadable:
        errors.tell(f"untilgreen: {line}", err=True)
    running = [one for one in kept if one.loop.active]
    if len(running) > 1 and not everything:
        listed = "; ".join(listing.line(one.loop, catalogue.english()) for one in running)
        raise UserError(f"several loops run here: {listed}", "name one with --session ID, or end --all")
    return list(dict.fromkeys(one.place for one in running))


def end(place: Place) -> list[Loop]:
    """End what runs or waits there. Raises locks.Busy, store.Unreadable, OSError."""
    if place.session == NEXT:
        return ownership.cancel_waiting(place.base, place.root, os.environ)
    return [*filter(None, (ending.cancel(place, os.environ, told=False),))]
