"""`untilgreen uninstall`: what `untilgreen init` did is taken back."""

import os
from collections.abc import Iterator, Mapping
from typing import Any

import click

from untilgreen import hosts
from untilgreen.cli.installing import asked, changes, exclusive, plan, receipt, removal
from untilgreen.cli.installing.plan import Plan
from untilgreen.core import notices
from untilgreen.core.errors import UserError
from untilgreen.core.model.loop import Loop
from untilgreen.hosts.host import Scope, SettingsFiles


@click.command("uninstall")
@click.option("--host", default=hosts.DEFAULT, metavar="NAME", show_default=True, help="The host to take it back from.")
@click.option("--local", is_flag=True, help="Only what is in your own settings of this project.")
@click.option("--user", is_flag=True, help="Only what is in your own settings.")
@click.option("--shared", is_flag=True, help="Only what is in the project's settings.")
@click.option("--project", default="", metavar="DIR", help="The project's folder.")
@click.option("--dry-run", is_flag=True, help="Show what would change, and change nothing.")
@click.option("--keep-state", is_flag=True, help="Leave .untilgreen/ and the loops in it, running ones too.")
def command(host: str, project: str, dry_run: bool, keep_state: bool, **given: Any) -> None:
    """Take back what `untilgreen init` did: the hooks, the slash commands, the state, the trust.

    Files are again as they were before, byte for byte; in those that somebody changed since only what is ours goes.
    Loops that run or wait are cancelled. Without a scope it is about the project: its local settings, and the shared
    ones where init wrote them. With --project it may be a folder that is gone.
    """
    env, name = os.environ, asked.scope(given)
    known, own = asked.host(host)
    missing = bool(project) and name != "user" and not os.path.lexists(project)
    root = os.path.realpath(project) if missing else asked.root(known, name, project, env)

    def attempt() -> list[str]:
        wanted = _planned(own, name, root, env, keep_state=keep_state)
        if wanted is None:
            return [f"untilgreen: nothing is registered {_where(own, name, root, env)}"]
        if dry_run:
            lines = [*_would(wanted, root, env)]
        else:
            ended = plan.apply(wanted, env, "make it writable", "make it writable")
            lines = [*_did(wanted, root, ended)]
        return [*lines, *wanted.kept, *_others(own, name, root, env)] or ["nothing to take back"]

    with exclusive.alone(env):
        if not dry_run:
            plan.tidy(env)
        click.echo("\n".join(changes.settled(attempt)))


def _planned(own: SettingsFiles, name: str, root: str, env: Mapping[str, str], *, keep_state: bool) -> Plan | None:
    """What is to be taken back, None: nothing is known. Raises UserError."""
    if root and not os.path.isdir(root):
        found = removal.of_missing(own, root, env)
        if found is None:
            raise UserError(
                f"--project {root}: no such folder, and nothing is known of it", "name the folder that it was"
            )
        return found
    taken = _taken(own, name, root, env)
    if not taken and (name or not root or not receipt.read(root, env)):
        return None
    found = removal.plan(own, taken, root, env)
    return found._replace(cancels=(), gone="") if keep_state else found


def _taken(own: SettingsFiles, name: str, root: str, env: Mapping[str, str]) -> list[Scope]:
    """The registrations that are meant. Raises UserError where only one is there that has to be asked for by name: the
    user's, or the team's where init did not put it there."""
    if name:
        return [scope for scope in (asked.file(own, name, root, env),) if removal.registered(own, scope, env)]
    known = {scope.name: scope for scope in own.scopes(root, env) if scope.name in own.SCOPES}
    there = {name: scope for name, scope in known.items() if removal.registered(own, scope, env)}
    found = [there["local"]] if "local" in there else []
    found += [there["shared"]] if "shared" in there and receipt.read(there["shared"].path, env) else []
    for scope in () if found else (there[name] for name in ("shared", "user") if name in there):
        raise UserError(f"only {scope.path} has the hooks", f"run `untilgreen uninstall --{scope.name}`")
    return found


def _others(own: SettingsFiles, name: str, root: str, env: Mapping[str, str]) -> Iterator[str]:
    for scope in () if name else own.scopes(root, env):
        if scope.name == "shared" and receipt.read(scope.path, env) is None and removal.registered(own, scope, env):
            yield f"kept {scope.path}: init did not write it; `untilgreen uninstall --shared` removes it"


def _where(own: SettingsFiles, name: str, root: str, env: Mapping[str, str]) -> str:
    return f"in {asked.shown(asked.file(own, name, root, env).path, root)}" if name else "here"


def _did(done: Plan, root: str, ended: list[Loop]) -> Iterator[str]:
    for loop in ended:
        yield notices.cancelled(loop)
    for change in done.visible:
        yield f"{'removed' if change.after is None else 'restored'}: {asked.shown(change.path, root)}"
    if done.gone:
        yield f"removed: {asked.shown(done.gone, root)}"
    yield from (f"trusted no more: {project}" for project in done.revokes)


def _would(wanted: Plan, root: str, env: Mapping[str, str]) -> Iterator[str]:
    for loop in (kept.loop for project in wanted.cancels for kept in plan.active(project, env)):
        yield f"would cancel {loop.loop_id}: {' '.join(loop.task_description.split())}"
    for change in wanted.visible:
        if change.after is None:
            yield f"would remove {asked.shown(change.path, root)}"
        else:
            yield from asked.diff(change, root)
    if wanted.gone:
        yield f"would remove {asked.shown(wanted.gone, root)}"
    yield from (f"would trust no more: {project}" for project in wanted.revokes)
