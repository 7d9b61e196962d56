"""`untilgreen init`: the hooks registered, the slash commands and the skill written, the project trusted."""

import os
from collections.abc import Iterator, Mapping
from typing import Any

import click

from untilgreen import hosts
from untilgreen.cli.installing import asked, changes, detected, exclusive, files, installation, plan
from untilgreen.cli.installing.installation import Wish
from untilgreen.cli.installing.plan import Plan
from untilgreen.core.errors import UserError
from untilgreen.core.model.settings import Settings
from untilgreen.loops import starting
from untilgreen.loops.options import Request
from untilgreen.settings import load
from untilgreen.settings.presets import PRESETS

LEAST_SECONDS = 30  # of a stop


@click.command("init")
@click.option("--host", default=hosts.DEFAULT, metavar="NAME", show_default=True, help="The host to register with.")
@click.option("--local", is_flag=True, help="Register in your own settings of this project (the default).")
@click.option("--user", is_flag=True, help="Register in your own settings, for all your projects.")
@click.option("--shared", is_flag=True, help="Register in the project's settings, in a form that works for a team.")
@click.option("--project", default="", metavar="DIR", help="The project's folder.")
@click.option("--dry-run", is_flag=True, help="Show what would change, and change nothing.")
@click.option(
    "--force",
    is_flag=True,
    help="Register although another scope or the plugin does; overwrite files, which uninstall brings back.",
)
@click.option(
    "--alias",
    "aliases",
    multiple=True,
    type=click.Choice(files.ALIASES),
    help="Add /loop, or /ralph and /cancel-ralph, or /jikime:loop. Repeatable.",
)
@click.option(
    "--preset",
    type=click.Choice(tuple(PRESETS)),
    metavar="NAME",
    help=f"Set the configuration's preset: one of {', '.join(PRESETS)}.",
)
@click.option("--quiet", is_flag=True, help='Set hold_style = "context": newer hosts do not call a hold an error then.')
@click.option(
    "--stop-timeout",
    type=click.IntRange(min=LEAST_SECONDS),
    metavar="SECONDS",
    help="When the host gives a stop up (600 unless set before, at least 30); the checks have 90 % of it.",
)
@click.option("--statusline", is_flag=True, help="Show the loop in the host's status line, where there is none yet.")
def command(host: str, project: str, dry_run: bool, **given: Any) -> None:
    """Register the hooks with a host for this project, add the slash commands, and trust the project.

    What others wrote in the settings stays, and `untilgreen uninstall` takes it all back.
    """
    env = os.environ
    wish = _wish(host, project, given, env)
    settings = _settings(wish) if wish.root else None
    with exclusive.alone(env):
        done = changes.settled(lambda: _changed(wish, env, dry_run=dry_run))
    for line in (*(_would(done, wish) if dry_run else _did(done, wish, env)), *done.kept):
        click.echo(line)
    if settings is not None:  # tools are asked, which takes seconds: nothing waits for that
        click.echo("\n".join(detected.said(wish.root, env, settings)))


def _wish(host: str, project: str, given: Mapping[str, Any], env: Mapping[str, str]) -> Wish:
    known, own = asked.host(host)
    name = asked.scope(given) or own.SCOPES[0]
    root = asked.root(known, name, project, env)
    keys = {"preset": given["preset"]} if given["preset"] else {}
    keys |= {"hold_style": "context"} if given["quiet"] else {}
    if keys and not root:
        raise UserError("--preset and --quiet are for a project's configuration", "go into a project, or name it")
    if given["statusline"] and name == "shared":
        raise UserError("--statusline names a file of your own", "use it with --local or --user")
    scope = asked.file(own, name, root, env)
    rest = (given["stop_timeout"], given["statusline"], given["force"])
    return Wish(known, own, scope, root, given["aliases"], keys, *rest)


def _changed(wish: Wish, env: Mapping[str, str], *, dry_run: bool) -> Plan:
    """Plan it, and do it. Raises UserError."""
    wanted = installation.plan(wish, env)
    if not dry_run:
        cure = f"make it writable, or use --{'local' if wish.scope.name == 'user' else 'user'}"
        plan.apply(wanted, env, cure, "make it writable, or set XDG_STATE_HOME to a folder that is")
    return wanted


def _did(done: Plan, wish: Wish, env: Mapping[str, str]) -> Iterator[str]:
    changed = [change.path for change in done.visible]
    events = ", ".join(wish.settings.entries(lambda name: (name, []), 0))
    already = "" if wish.scope.path in changed else " already"
    yield f"registered{already} in {asked.shown(wish.scope.path, wish.root)}: {events}"
    folder = wish.settings.folder(wish.scope.name, wish.root, env)
    yield from files.said((change.path for change in done.files if change.path != wish.scope.path), folder)
    for path in changed:
        if path.endswith(".toml"):
            keys = ", ".join(f"{key} = {value}" for key, value in wish.keys.items())
            yield f"configured in {asked.shown(path, wish.root)}: {keys}"
    if wish.root:
        yield f"trusted: {wish.root}"


def _would(done: Plan, wish: Wish) -> Iterator[str]:
    if not done.visible:
        yield f"registered already in {asked.shown(wish.scope.path, wish.root)}; no file would change"
    for change in done.visible:
        if change.path.endswith(".md"):
            yield f"would write {asked.shown(change.path, wish.root)}"
        else:
            yield from asked.diff(change, wish.root)
    if wish.root and not os.path.lexists(done.state):
        yield f"would make {asked.shown(done.state, wish.root)}"
    yield from (f"would trust {root}" for root in done.grants)


def _settings(wish: Wish) -> Settings:
    """Those that a loop would start with after this. Raises UserError."""
    return starting.resolve(load.load(wish.root), Request(settings=wish.keys)).settings
