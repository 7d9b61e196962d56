"""`untilgreen init`: the hooks registered, the slash commands and the skill written, the project trusted."""

import os
import time
from collections.abc import Iterator, Mapping
from typing import Any

import click

from untilgreen.cli.installing import asked, changes, detected, installation, installed, registration, removal, turn
from untilgreen.cli.installing.installation import Plan, Wish
from untilgreen.core.errors import UserError
from untilgreen.core.model import Settings
from untilgreen.loops import starting
from untilgreen.loops.options import Request
from untilgreen.settings import load
from untilgreen.settings.presets import PRESETS


@click.command("init")
@click.option("--local", is_flag=True, help="Register in .claude/settings.local.json, for you here (the default).")
@click.option("--user", is_flag=True, help="Register in your own settings, for all your projects.")
@click.option("--shared", is_flag=True, help="Register in .claude/settings.json, in a form that works for a team.")
@click.option("--project", default="", metavar="DIR", help="The project's folder.")
@click.option("--dry-run", is_flag=True, help="Show what would change, and change nothing.")
@click.option(
    "--force", is_flag=True, help="Register although another scope or the plugin does; overwrite files, keeping a copy."
)
@click.option(
    "--alias",
    "aliases",
    multiple=True,
    type=click.Choice(installed.ALIASES),
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
    type=click.IntRange(min=registration.LEAST_SECONDS),
    metavar="SECONDS",
    help="When the host gives a stop up (600 unless set before, at least 30); the checks have 90 % of it.",
)
@click.option("--statusline", is_flag=True, help="Show the loop in the host's status line, before what is there.")
def command(project: str, dry_run: bool, **given: Any) -> None:
    """Register the hooks with Claude Code for this project, add the slash commands, and trust the project.

    What others wrote in the settings stays byte for byte, a copy is kept, and `untilgreen uninstall` takes it back.
    """
    env = os.environ
    wish = _wish(project, given, env)
    settings = _settings(wish) if wish.root else None
    with turn.alone(env):
        plan = changes.settled(lambda: _changed(wish, env, dry_run=dry_run))
    for line in _would(plan, wish) if dry_run else _did(plan, wish):
        click.echo(line)
    if settings is not None:  # tools are asked, which takes seconds: nothing waits for that
        click.echo("\n".join(detected.said(wish.root, env, settings)))


def _wish(project: str, given: Mapping[str, Any], env: Mapping[str, str]) -> Wish:
    name = asked.scope(given) or "local"
    root = asked.root(name, project, env)
    keys = {"preset": given["preset"]} if given["preset"] else {}
    keys |= {"hold_style": "context"} if given["quiet"] else {}
    if keys and not root:
        raise UserError("--preset and --quiet are for a project's configuration; go into a project, or name it")
    if given["statusline"] and name == "shared":
        raise UserError("--statusline names a file of your own; use it with --local or --user")
    return Wish(
        asked.file(name, root, env),
        root,
        given["aliases"],
        keys,
        given["stop_timeout"],
        given["statusline"],
        given["force"],
    )


def _did(plan: Plan, wish: Wish) -> Iterator[str]:
    place = asked.shown(wish.scope.path, wish.root)
    changed = plan.settings in plan.visible
    for copy in plan.copies.values():
        yield f"kept a copy: {asked.shown(copy, wish.root)}"
    events = ", ".join(registration.EVENTS)
    yield f"registered in {place}: {events}" if changed else f"registered already in {place}: {events}"
    yield from installed.said((change.path for change in plan.files), installation.host_folder(wish.scope))
    if plan.configuration in plan.visible and plan.configuration:
        keys = ", ".join(f"{key} = {value}" for key, value in wish.keys.items())
        yield f"configured in {asked.shown(plan.configuration.path, wish.root)}: {keys}"
    if wish.root:
        yield f"trusted: {wish.root}"


def _would(plan: Plan, wish: Wish) -> Iterator[str]:
    if not plan.visible:
        yield f"registered already in {asked.shown(wish.scope.path, wish.root)}; no file would change"
    for change in plan.visible:
        if change in (plan.settings, plan.configuration):
            yield from asked.diff(change, wish.root)
        else:
            yield f"would write {asked.shown(change.path, wish.root)}"
    for copy in plan.copies.values():
        yield f"would keep a copy: {asked.shown(copy, wish.root)}"
    if wish.root and not os.path.lexists(plan.state):
        yield f"would make {asked.shown(plan.state, wish.root)}"
    if plan.trusts:
        yield f"would trust {wish.root}"


def _changed(wish: Wish, env: Mapping[str, str], *, dry_run: bool) -> Plan:
    """Plan it, and do it. Raises UserError."""
    plan = installation.plan(wish, env, time.strftime("%Y%m%d-%H%M%S"))
    if not dry_run:
        turn.sweep(removal.leftovers(wish.root, env))
        installation.perform(plan, wish, env)
    return plan


def _settings(wish: Wish) -> Settings:
    """Those that a loop would start with after this. Raises UserError."""
    return starting.resolve(load.load(wish.root), Request(settings=wish.keys)).settings
