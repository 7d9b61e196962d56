"""`untilgreen uninstall`: what `untilgreen init` did is taken back."""

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import click

from untilgreen import hosts
from untilgreen.cli import errors
from untilgreen.cli.installing import asked, changes, command_forms, duplicates, files, plan, receipt, settings_file
from untilgreen.cli.installing.changes import Change
from untilgreen.cli.installing.plan import Plan
from untilgreen.cli.installing.receipt import Receipt, ReceiptPart
from untilgreen.core.errors import UserError
from untilgreen.core.model.loop import Loop
from untilgreen.hosts.host import Scope, SettingsFiles
from untilgreen.loops import ending
from untilgreen.project import trust
from untilgreen.state import place


@click.command("uninstall", epilog="Example: untilgreen uninstall --dry-run")
@click.option("--host", default=hosts.DEFAULT, metavar="NAME", show_default=True, help="The host to take it back from.")
@click.option("--local", is_flag=True, help="Only what is in your own settings of this project.")
@click.option("--user", is_flag=True, help="Only what is in your own settings.")
@click.option("--shared", is_flag=True, help="Only what is in the project's settings.")
@click.option("--project", default="", metavar="DIR", help="The project's folder.")
@click.option("--dry-run", is_flag=True, help="Show what would change, and change nothing.")
@click.option("--keep-state", is_flag=True, help="Leave .untilgreen/ and the loops in it, running ones too.")
def command(host: str, project: str, dry_run: bool, keep_state: bool, **given: Any) -> None:
    """Take back what `untilgreen init` did.

    That is the hooks, the slash commands, the state and the trust. Files become what they were before, byte for byte.
    If somebody changed one since, only our entries leave the settings, and any other file stays. Loops that run or
    wait end. Without a scope it takes back what is in the project: its local settings, and the shared ones if init
    wrote them. --project may name a folder that is gone.
    """
    env, name = os.environ, asked.scope(given)
    own = asked.settings(host)
    missing = bool(project) and name != "user" and not os.path.lexists(project)
    root = os.path.realpath(project) if missing else asked.root(name, project, env)

    with changes.alone(env):
        wanted = _planned(own, name, root, env, keep_state=keep_state)
        lines = [*(asked.would(wanted, env) if dry_run else _did(wanted, plan.apply(wanted, env))), *wanted.kept]
    errors.tell(*lines or ["nothing to take back"])


def _planned(own: SettingsFiles, name: str, root: str, env: Mapping[str, str], *, keep_state: bool) -> Plan:
    """What is to be taken back, worked out before anything is touched. Raises UserError."""
    project = receipt.read(root, env)
    missing = bool(root) and not os.path.isdir(root)
    if missing and not project.parts and not trust.trusted(root, env):
        raise UserError(f"--project {root}: no such folder, and nothing is known of it", "name the folder that it was")
    taken = [] if missing else _taken(own, name, root, env)
    if not missing and not taken and (name or project == Receipt(root)):
        where = f"in {asked.shown(asked.file(own, name, root, env).path, root)}" if name else "here"
        swept = (receipt.change(project, env),)  # one that was killed may have left the beginning of a receipt
        return Plan(root, forgotten=swept, kept=(f"untilgreen: nothing is registered {where}",))
    found = Plan(root)
    for scope in taken:
        known, now = receipt.of(scope, root, env), settings_file.content(scope.path)
        found = _with(found, [Change(scope.path, now, receipt.without_ours(own, scope.path, now, known))])
        found = _with(found, _launchers(scope.path, env))
        if scope.name == "user":
            parts = [part for part in known.parts if part.path != scope.path]
            found = _with(found, *_texts(own.folder("user", root, env), parts))
            found = found._replace(forgotten=(receipt.change(Receipt(scope.path), env),))
    if root and (project != Receipt(root) or missing or any(scope.name != "user" for scope in taken)):
        found = _project(found, own, taken, project, env)
        found = _with(found, _launchers(asked.file(own, own.SCOPES[0], root, env).path, env) if missing else ())
    return found._replace(cancels=False, gone="") if keep_state else found


def _with(found: Plan, come: Sequence[Change], kept: Sequence[str] = ()) -> Plan:
    return found._replace(files=(*found.files, *come), kept=(*found.kept, *kept))


def _launchers(settings: str, env: Mapping[str, str]) -> list[Change]:
    paths = command_forms.launchers(command_forms.folder(settings, env))
    return [changes.planned(path, None) for path in paths]


def _taken(own: SettingsFiles, name: str, root: str, env: Mapping[str, str]) -> list[Scope]:
    """The registrations that are meant. Raises UserError where only one is there that has to be asked for by name: the
    user's, or the team's where init did not put it there."""

    def noted(scope: Scope) -> bool:
        return receipt.of(scope, root, env).part(scope.path) is not None

    known = [asked.file(own, name, root, env)] if name else own.scopes(root, env)
    there = {
        scope.name: scope
        for scope in known
        if scope.name in own.SCOPES and (noted(scope) or own.registered(scope, settings_file.taken(scope.path)))
    }
    if name:
        return [*there.values()]
    found = [there[one] for one in ("local", "shared") if one in there and (one == "local" or noted(there[one]))]
    for one in () if found else ("shared", "user"):
        if one in there:
            raise UserError(f"only {there[one].path} has the hooks", f"run `untilgreen uninstall --{one}`")
    return found


def _project(found: Plan, own: SettingsFiles, taken: list[Scope], project: Receipt, env: Mapping[str, str]) -> Plan:
    """What goes with the last registration of a project: its files, its state and its trust."""
    root, missing, settings = found.root, not os.path.isdir(found.root), [scope.path for scope in taken]
    parts = [part for part in project.parts if part.path not in settings]
    serving = None if missing else duplicates.served(taken, root, env)
    if serving:
        found = _with(found, (), [f"kept the project's state and trust: {serving.path} serves it too"])
        left = receipt.change(project._replace(parts=tuple(parts)), env)
        return found._replace(forgotten=(*found.forgotten, left))
    usual, base = os.path.join(root, place.FOLDER), place.base_of(root, env)
    ours = project.state and not os.path.islink(usual)
    kept = []
    if base != usual and os.path.isdir(base):
        kept.append(f"kept {base}: other projects may keep their state there")
    if os.path.isdir(usual) and not ours:
        kept.append(f"kept {usual}: no receipt says that init made it")
    if trust.trusted(root, env) and not (project.trusted or missing):
        kept.append("kept the trust, which init did not give: `untilgreen untrust` takes it back")
    found = _with(found, *_texts(own.folder("local", root, env), parts))
    return _with(found, (), kept)._replace(
        revokes=project.trusted or missing,
        cancels=True,
        gone=usual if ours and os.path.isdir(usual) else "",
        forgotten=(*found.forgotten, receipt.change(Receipt(root), env)),
    )


def _texts(folder: str, parts: Sequence[ReceiptPart]) -> tuple[list[Change], list[str]]:
    """The slash commands, the skill and the configuration; what somebody changed since stays, and is named.

    Commands and skills that are ours to the last byte go, whether init wrote them or a team keeps them."""
    found, kept = [], []
    for part in parts:
        now = settings_file.content(part.path)
        found.append(Change(part.path, now, receipt.before_init(part, now)))
        if now is not None and found[-1].after == now != part.was:
            kept.append(f"kept {part.path}: it was changed since")
    noted = [part.path for part in parts]
    ours = files.templates(folder, files.ALIASES) if folder else {}
    there = [changes.planned(path, None) for path in ours if path not in noted]
    return [*found, *(change for change in there if change.before == ours[change.path])], kept


def _did(done: Plan, ended: list[Loop]) -> Iterator[str]:
    for loop in ended:
        yield ending.told(loop)
    for change in done.visible:
        if not command_forms.is_launcher(change.path):  # the settings that named it are
            yield f"{'removed' if change.after is None else 'restored'}: {asked.shown(change.path, done.root)}"
    if done.gone:
        yield f"removed: {asked.shown(done.gone, done.root)}"
    if done.revokes:
        yield f"trusted no more: {done.root}"
