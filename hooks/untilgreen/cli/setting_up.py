"""`untilgreen on` and `off`, `trust`, `notify`, `statusline`."""

import os
import sys

import click

from untilgreen.cli import errors, options, start
from untilgreen.cli.installing.plan import active
from untilgreen.core import findings
from untilgreen.core.errors import UserError
from untilgreen.core.model.event import Place
from untilgreen.core.words import brief
from untilgreen.core.words.notification import Notification
from untilgreen.loops.begin import starting
from untilgreen.loops.heard import own_commands, status_line
from untilgreen.loops.rest import ending, orphans, switching
from untilgreen.project import trust as gate
from untilgreen.settings import effective, load
from untilgreen.state import catalogue, place
from untilgreen.state.place import NEXT, PROJECT, SESSION_SCOPE, USER, deciding_switch, is_off


def _named(name: str, about: str) -> click.Command:

    def invoke(*, user: bool, project: str | None, session: str | None) -> None:
        if user and (project is not None or session is not None):
            raise UserError(f"--user contradicts {'--project' if session is None else '--session'}", "give one of them")
        if session == "":
            raise UserError("--session is empty", "name one of untilgreen status --all")
        scope = USER if user else PROJECT if session is None else SESSION_SCOPE
        root = "" if user else starting.root_of(project or "", os.environ)
        place = switching.place_of(scope, root, session or "", os.environ)
        errors.tell(f"untilgreen: {switching.turn(scope, name, place, os.environ)}", *_of_talkcody(scope, place))

    scopes = [
        click.Option(["--user"], is_flag=True, help="For you, in every project that does not say otherwise."),
        click.Option(
            ["--project"],
            is_flag=False,
            flag_value=".",
            metavar="[DIR]",
            help="For the project of the current folder, which is usual, or of DIR.",
        ),
        click.Option(["--session"], metavar="ID", help="For this session of the project alone."),
    ]
    epilog = f"Example: untilgreen {name} --user"
    return click.Command(name, params=[*scopes], callback=invoke, help=about, epilog=epilog)


def _of_talkcody(scope: str, place: Place) -> tuple[str, ...]:
    """What TalkCody says beside its own switch, in a project with its preset."""
    settings = effective.effective(place.root, os.environ) if place.root else ""
    if isinstance(settings, str) or settings.words != "talkcody":
        return ()
    words, off = catalogue.words(settings), is_off(deciding_switch(place, os.environ, scope)[1])
    return (f"{words['ralph_label']} · {words['ralph_disabled' if off else 'ralph_enabled']}",)


on = _named(
    "on",
    "Switch the hooks on.\n\n"
    "The narrowest switch wins: the session's, then the project's, then yours. Not while a stop is judged.",
)
off = _named(
    "off",
    "Switch the hooks off.\n\n"
    "The hooks then answer stops and edits with silence. A running loop holds nobody, and says so once. The narrowest "
    "switch wins. Not while a stop is judged.",
)


@click.command("trust", epilog="Example: untilgreen trust --list")
@click.option("--project", default="", metavar="DIR", help="The project's folder; with --no it may be gone.")
@click.option("--no", is_flag=True, help="Take it back: the project's loops end, and the hooks are silent there.")
@click.option("--list", "listed", is_flag=True, help="Show every folder that is trusted, and trust none.")
def trust(project: str, *, no: bool, listed: bool) -> None:
    """Let the checks run this project's own code.

    That is its tests, plugins and virtual environment. Its state folder, .untilgreen/, counts as ours, too.
    """
    env = os.environ
    if listed:
        for folder in gate.listed(env):
            click.echo(findings.readable(folder) + ("" if os.path.isdir(folder) else "  (no such folder)"))
        return
    gone = no and bool(project) and not os.path.lexists(project)
    root = os.path.realpath(project) if gone else starting.root_of(project, env)
    if no:
        _untrust(root)
        return
    starting.refuse(root, env)
    there = os.path.lexists(place.usual(root, env))
    new = gate.grant(root, env)
    errors.tell(f"untilgreen: {root} {'is trusted now' if new else 'was trusted already'} ({gate.path(env)})")
    base = place.base_of(root, env)
    for old in orphans.follow(root, base, env) if os.path.isdir(base) else ():
        errors.tell(
            f"untilgreen: what was {old} is this folder now: its loops came along (see untilgreen status --all)"
        )
    if new and there:
        click.echo(
            f"untilgreen: {place.FOLDER}/ was there before; what is in it counts now (see untilgreen status --all)"
        )


def _untrust(root: str) -> None:
    env = os.environ
    with starting.state_is_used("the project is trusted still"):
        ended = [loop for one in dict.fromkeys(kept.place for kept in active(root, env)) for loop in start.end(one)]
        was = gate.revoke(root, env)
    for loop in ended:
        click.echo(ending.told(loop))
    errors.tell(f"untilgreen: {root} {'is trusted no more' if was else 'was not trusted'} ({gate.path(env)})")


@click.command("notify", epilog="Example: untilgreen notify")
@options.project
def notify(root: str) -> None:
    """Try the notification that the configuration names.

    Its command runs as at the end of a loop. What goes wrong is an error.
    """
    settings = load.load(root)
    if not settings.notify.command:
        raise UserError("notify names no command", "set notify.command")
    if not gate.trusted(root, os.environ):
        raise UserError(f"{root} is not trusted", "run untilgreen trust")
    project = brief.clean(os.path.basename(root))
    told = Notification("complete", f"untilgreen, {project}: a try", "no loop ended", "", "", project, 1, 1, None)
    faults = own_commands.try_notification(starting.place_of(root, NEXT, os.environ), settings, told, os.environ)
    if faults:
        raise UserError("; ".join(faults), "correct the configuration")
    errors.tell("untilgreen: it was taken")


@click.command("statusline", epilog="Example: untilgreen init --statusline")
def statusline() -> None:
    """Print the loop for the host's status line.

    It reads the host's JSON from stdin, and prints the session's loop in one line, or nothing if none runs.
    """
    status_line.main()


@click.command("mcp", epilog="Example: claude mcp add untilgreen -- untilgreen mcp")
def mcp() -> int:
    """Serve check, status, start and explain to a model, over MCP.

    For hosts without a stop hook: it holds nobody. It speaks the Model Context Protocol on stdin and stdout, and needs
    the extra untilgreen[mcp].
    """
    try:
        import anyio

        from untilgreen.cli import mcp_server
    except ModuleNotFoundError as error:
        if str(error.name).partition(".")[0] not in ("anyio", "mcp", "mcp_types"):
            raise
        lacking = UserError("it needs the package mcp", "pip install 'untilgreen[mcp]'")
        return errors.fail("untilgreen mcp", lacking, errors.USER_ERROR)
    if sys.stdin.isatty():
        errors.tell("untilgreen mcp: this is for a host to start, and waits for one on stdin; Ctrl-C ends it", err=True)
    anyio.run(mcp_server.serve)
    return errors.OK
