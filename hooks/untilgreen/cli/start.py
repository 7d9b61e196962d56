"""`untilgreen start`, and `start-loop`."""

import os
import sys

import click

from untilgreen import hosts
from untilgreen.cli import cancel, errors, options
from untilgreen.cli.installing import targets
from untilgreen.core.errors import UserError
from untilgreen.loops.begin import listing, starting
from untilgreen.loops.begin.options import Request
from untilgreen.loops.heard import announcing, words
from untilgreen.loops.rest import switching
from untilgreen.project import trust
from untilgreen.project.toplevel import within
from untilgreen.state import call_marks, catalogue


def _start(asked: Request) -> None:
    root = starting.root_of(asked.project, os.environ)
    if asked.cancel:
        cancel.cancel(asked.session, root, asked.json)
        return
    asked = asked._replace(targets=tuple(from_here(root, path) for path in asked.targets))
    asked = words.with_mentions(asked, lambda path: starting.exists_below(root, path))
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


def from_here(root: str, path: str) -> str:
    """A target named from the current folder, if it is there in the project; else it is relative to the root."""
    full = os.path.realpath(path)
    return full if path and os.path.exists(full) and within(root, full) else path


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
                cure = "run untilgreen init, and start the agent anew"
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
