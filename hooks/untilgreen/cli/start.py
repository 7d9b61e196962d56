"""`untilgreen start` and `cancel`, from any shell; and `start-loop` and `cancel-loop`."""

import os
import sys

import click

from untilgreen import hosts
from untilgreen.cli import errors, options
from untilgreen.cli.installing import targets
from untilgreen.core.errors import UserError
from untilgreen.core.model.event import Place
from untilgreen.core.model.loop import Loop
from untilgreen.loops.begin import listing, ownership, starting
from untilgreen.loops.begin.options import Request
from untilgreen.loops.heard import announcing, words
from untilgreen.loops.rest import ending, switching
from untilgreen.project import trust
from untilgreen.project.toplevel import within
from untilgreen.state import call_marks, catalogue
from untilgreen.state.place import NEXT, of


def _start(asked: Request) -> None:
    root = starting.root_of(asked.project, os.environ)
    if asked.cancel:
        _cancel(asked.session, root, asked.json)
        return
    asked = from_here(root, asked)
    session = asked.session or hosts.session(os.environ) or session_for(root)
    place, loop = starting.start(asked, root, session, os.environ)
    if asked.json:
        options.print_json(listing.as_json(loop, place.base))
        return
    waits = "it waits for the next session that prompts here" if session == "next" else f"session {session}"
    off = switching.against(place, os.environ)
    errors.tell(*announcing.in_a_shell(loop), waits, *announcing.summary(loop, catalogue.words(loop.settings)), *off)
    if loop.begun_by == "agent":  # it reads this; any other is told to it with the next prompt
        for line in announcing.for_the_agent(loop):
            click.echo(line)


def from_here(root: str, asked: Request) -> Request:
    """With the targets that are named from the current folder and are there in the project, else relative to the root;
    and with the files that the task mentions."""

    def named(path: str) -> str:
        full = os.path.realpath(path)
        return full if path and os.path.exists(full) and within(root, full) else path

    asked = asked._replace(targets=tuple(map(named, asked.targets)))
    return words.with_mentions(asked, lambda path: starting.exists_below(root, path))


def session_for(root: str) -> str:
    """Which session is meant when nobody says so: the next one, unless some are at work here."""
    place = starting.place_of(root, "next", os.environ)
    live = listing.live_sessions(place.base, root) if trust.trusted(root, os.environ) else ()
    if not live:
        # a script may call the hooks itself, and a plugin that is loaded for one session stands in no settings
        if sys.stderr.isatty():
            starting.refuse(root, os.environ)
            called = os.path.isdir(os.path.join(place.base, call_marks.FOLDER))
            if not (called or targets.serving((), root, os.environ)):
                why = f"no hook of untilgreen is registered for {root}: nothing would hold the agent"
                cure = "run untilgreen init, and restart the agent"
                raise UserError(why, f"{cure}; if something else calls the hooks, give --session next")
        return "next"
    names = [one.session for one, _ in live]
    if not sys.stdin.isatty():
        listed = ", ".join(names)
        raise UserError(f"sessions are at work here: {listed}", "name one with --session ID, or --session next")
    for number, (one, session) in enumerate(live, 1):
        click.echo(f"{number}  {one.session}  since {session.started_at}")
    click.echo(f"{len(live) + 1}  the next session that prompts here")
    chosen = click.prompt("Which session", type=click.IntRange(1, len(live) + 1))
    return [*names, "next"][chosen - 1]


command = options.command(_start)


@click.command("cancel-loop", epilog="Example: untilgreen cancel --all")
@click.option(
    "--session", default="", metavar="ID|next", help="The session whose loop ends; else the only one that runs."
)
@options.project
@click.option("--all", "everything", is_flag=True, help="End every loop of the project.")
@options.as_json
@click.version_option(options.version())
def cancel(session: str, root: str, everything: bool, as_json: bool) -> None:
    """End a running loop. The agent is let go at its next stop."""
    _cancel(session, root, as_json, everything)


def _cancel(session: str, root: str, as_json: bool, everything: bool = False) -> None:
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
    errors.note(*unreadable)
    running = [one for one in kept if one.loop.active]
    if len(running) > 1 and not everything:
        listed = listing.named(one.loop for one in running)
        raise UserError(f"several loops run here: {listed}", "name one with --session ID, or end --all")
    return list(dict.fromkeys(one.place for one in running))


def end(place: Place) -> list[Loop]:
    """End what runs or waits there. Raises locks.Busy, store.Unreadable, OSError."""
    if place.session == NEXT:
        return ownership.cancel_waiting(place.base, place.root, os.environ)
    return [*filter(None, (ending.cancel(place, os.environ, told=False),))]
