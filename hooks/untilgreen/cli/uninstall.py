"""`untilgreen uninstall`: what `untilgreen init` did is taken back."""

import os
from collections.abc import Iterator, Mapping
from typing import Any

import click

from untilgreen.cli.errors import UserError
from untilgreen.cli.installing import asked, changes, receipt, removal
from untilgreen.cli.installing.removal import Plan
from untilgreen.cli.scopes import Scope
from untilgreen.core import notices
from untilgreen.core.model import Loop


@click.command("uninstall")
@click.option("--local", is_flag=True, help="Only what is in .claude/settings.local.json.")
@click.option("--user", is_flag=True, help="Only what is in your own settings.")
@click.option("--shared", is_flag=True, help="Only what is in .claude/settings.json.")
@click.option("--project", default="", metavar="DIR", help="The project's folder.")
@click.option("--dry-run", is_flag=True, help="Show what would change, and change nothing.")
@click.option("--keep-state", is_flag=True, help="Leave .untilgreen/ and the loops in it.")
def command(project: str, dry_run: bool, keep_state: bool, **given: Any) -> None:
    """Take back what `untilgreen init` did: the hooks, the slash commands, the state, the trust.

    Files are again as they were before; in those that somebody changed since only what is ours goes. Without a scope
    it is about the project: its local and its shared settings.
    """
    with changes.alone(os.environ):
        click.echo("\n".join(_taken_back(asked.scope(given), project, dry_run=dry_run, keep_state=keep_state)))


def _taken_back(name: str, project: str, *, dry_run: bool, keep_state: bool) -> list[str]:
    """Take it back, or say what would be; a line each."""
    env = os.environ
    root = asked.root(name, project, env)
    taken = _taken(name, root, env)
    if not taken and not (root and not name and receipt.read(root, env)):
        return [f"untilgreen: nothing is registered {_where(name, root, env)}"]
    plan = removal.plan(taken, root, env, keep_state=keep_state)
    ended = [] if dry_run else removal.perform(plan, root, env)
    lines = _would(plan, root, env) if dry_run else _did(plan, root, ended)
    return list(lines) or ["nothing to take back"]


def _taken(name: str, root: str, env: Mapping[str, str]) -> list[Scope]:
    """The registrations that are meant. Raises UserError where only the user's is there, and was not asked for."""
    names = (name,) if name else ("local", "shared")
    found = [scope for scope in (asked.file(one, root, env) for one in names) if removal.registered(scope, env)]
    user = asked.file("user", root, env)
    if not name and not found and removal.registered(user, env):
        raise UserError(f"only {user.path} has the hooks; run `untilgreen uninstall --user`")
    return found


def _where(name: str, root: str, env: Mapping[str, str]) -> str:
    return f"in {asked.shown(asked.file(name, root, env).path, root)}" if name else "here"


def _did(plan: Plan, root: str, ended: list[Loop]) -> Iterator[str]:
    for loop in ended:
        yield notices.cancelled(loop)
    for change in plan.files.changes:
        yield f"{'removed' if change.after is None else 'restored'}: {asked.shown(change.path, root)}"
    if plan.state:
        yield f"removed: {asked.shown(plan.state, root)}"
    if plan.revokes:
        yield f"trusted no more: {root}"
    yield from plan.files.kept


def _would(plan: Plan, root: str, env: Mapping[str, str]) -> Iterator[str]:
    for _, loop in removal.running(root, env) if plan.state else ():
        yield f"would cancel {loop.loop_id}: {' '.join(loop.task_description.split())}"
    for change in plan.files.changes:
        if change.after is None:
            yield f"would remove {asked.shown(change.path, root)}"
        else:
            yield from asked.diff(change, root)
    if plan.state:
        yield f"would remove {asked.shown(plan.state, root)}"
    if plan.revokes:
        yield f"would trust no more: {root}"
    yield from plan.files.kept
