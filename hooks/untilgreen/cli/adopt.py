"""`untilgreen adopt`: give a loop whose session is gone to another one."""

import os

import click
import orjson

from untilgreen import hosts
from untilgreen.cli import errors, start
from untilgreen.cli.story import history
from untilgreen.loops.begin import listing, starting
from untilgreen.loops.rest import going_on
from untilgreen.state.place import NEXT


@click.command("adopt", epilog="Example: untilgreen adopt loop-1763717400 --session next")
@click.argument("loop", shell_complete=history.names)
@click.option(
    "--session", default="", metavar="ID|next", help="The session that gets it, or the next one that prompts."
)
@click.option("--project", default="", metavar="DIR", help="The project's folder.")
@click.option("--json", "as_json", is_flag=True, help="Answer in JSON.")
def command(loop: str, session: str, project: str, as_json: bool) -> None:
    """Give a loop whose session is gone to another session.

    LOOP is a name from `untilgreen status`. It goes on there in its round, with its limits, at the next prompt. Without
    --session it is the session at work here, if there is one, else the next one that prompts.
    """
    root = starting.root_of(project, os.environ)
    base = starting.base_of(root, os.environ)
    session = session or hosts.session(os.environ) or start.session_for(root)
    moved = going_on.adopt(base, root, loop, session, os.environ)
    if as_json:
        click.echo(orjson.dumps(listing.as_json(moved, base), option=orjson.OPT_INDENT_2))
        return
    where = "waits for the next session that prompts here" if session == NEXT else f"goes on in session {session}"
    round_ = f"round {moved.rounds.iteration} of {moved.settings.max_iterations}"
    errors.tell(f"untilgreen: {moved.loop_id} {where}, {round_}")
