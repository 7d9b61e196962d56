"""`untilgreen uninstall`: what `untilgreen init` did is taken back."""

import os
from collections.abc import Iterator, Mapping
from typing import Any

import click

from untilgreen.cli.installing import asked, changes, receipt, removal, turn
from untilgreen.cli.installing.removal import Plan
from untilgreen.cli.installing.scopes import Scope
from untilgreen.core import notices
from untilgreen.core.errors import UserError
from untilgreen.core.model import Loop


@click.command("uninstall")
@click.option("--local", is_flag=True, help="Only what is in .claude/settings.local.json.")
@click.option("--user", is_flag=True, help="Only what is in your own settings.")
@click.option("--shared", is_flag=True, help="Only what is in .claude/settings.json.")
@click.option("--project", default="", metavar="DIR", help="The project's folder.")
@click.option("--dry-run", is_flag=True, help="Show what would change, and change nothing.")
@click.option("--keep-state", is_flag=True, help="Leave .untilgreen/ and the loops in it, running ones too.")
def command(project: str, dry_run: bool, keep_state: bool, **given: Any) -> None:
    """Take back what `untilgreen init` did: the hooks, the slash commands, the state, the trust.

    Files are again as they were before; in those that somebody changed since only what is ours goes. Loops that run
    or wait are cancelled. Without a scope it is about the project: its local settings, and the shared ones where init
    wrote them. With --project it may be a folder that is gone.
    """
    env, name = os.environ, asked.scope(given)
    missing = bool(project) and name != "user" and not os.path.lexists(project)
    root = os.path.realpath(project) if missing else asked.root(name, project, env)
    with turn.alone(env):
        if not dry_run:
            _sweep(root, env)
        lines = changes.settled(lambda: _taken_back(name, root, dry_run=dry_run, keep_state=keep_state))
    click.echo("\n".join(lines))


def _taken_back(name: str, root: str, *, dry_run: bool, keep_state: bool) -> list[str]:
    """Take it back, or say what would be; a line each."""
    env = os.environ
    if root and not os.path.isdir(root):
        plan = removal.of_missing(root, env)
        if plan is None:
            raise UserError(f"--project {root}: no such folder, and nothing is known of it")
    else:
        taken = _taken(name, root, env)
        known = taken or (root and not name and receipt.read(root, env))
        plan = removal.plan(taken, root, env, keep_state=keep_state) if known else None
    if plan is None:
        return [f"untilgreen: nothing is registered {_where(name, root, env)}"]
    ended = [] if dry_run else removal.perform(plan, root, env)
    lines = [*_would(plan, root, env)] if dry_run else [*_did(plan, root, ended)]
    lines += [] if name else _others(root, env)
    return lines or ["nothing to take back"]


def _sweep(root: str, env: Mapping[str, str]) -> None:
    turn.sweep(removal.leftovers(root, env))
    for folder in removal.own_folders(env):
        changes.remove_folder(folder)


def _taken(name: str, root: str, env: Mapping[str, str]) -> list[Scope]:
    """The registrations that are meant. Raises UserError where only one is there that has to be asked for by name: the
    user's, or the team's where init did not put it there."""
    if name:
        return [scope for scope in (asked.file(name, root, env),) if removal.registered(scope, env)]
    local, shared, user = (asked.file(one, root, env) for one in ("local", "shared", "user"))
    found = [local] if removal.registered(local, env) else []
    found += [shared] if receipt.read(shared.path, env) else []
    if not found:
        for scope in (shared, user):
            if removal.registered(scope, env):
                raise UserError(f"only {scope.path} has the hooks; run `untilgreen uninstall --{scope.name}`")
    return found


def _others(root: str, env: Mapping[str, str]) -> Iterator[str]:
    shared = asked.file("shared", root, env)
    if receipt.read(shared.path, env) is None and removal.registered(shared, env):
        yield f"kept {shared.path}: init did not write it; `untilgreen uninstall --shared` removes it"


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
    for loop in removal.running(root, env) if plan.cancels else ():
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
