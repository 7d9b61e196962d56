"""`untilgreen uninstall`: what `untilgreen init` did is taken back."""

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import click

from untilgreen.cli import errors
from untilgreen.cli.installing import changes, command_forms, kept_copy, plan, receipt, targets
from untilgreen.cli.installing.changes import Change
from untilgreen.cli.installing.plan import Plan
from untilgreen.cli.installing.receipt import Receipt, ReceiptPart
from untilgreen.cli.installing.targets import Target
from untilgreen.core.errors import UserError
from untilgreen.core.model.loop import Loop
from untilgreen.hosts.host import EXECUTABLES
from untilgreen.loops.rest import ending
from untilgreen.project import trust
from untilgreen.state import place


@click.command("uninstall", epilog="Example: untilgreen uninstall --dry-run")
@click.option("--host", "names", multiple=True, metavar="NAME", help="Only what is of this host. Repeatable.")
@click.option("--local", is_flag=True, help="Only what is in your own settings of this project.")
@click.option("--user", is_flag=True, help="Only what is in your own settings.")
@click.option("--shared", is_flag=True, help="Only what is in the project's settings.")
@click.option("--project", default="", metavar="DIR", help="The project's folder.")
@click.option("--dry-run", is_flag=True, help="Show what would change, and change nothing.")
@click.option("--keep-state", is_flag=True, help="Leave .untilgreen/ and the loops in it, running ones too.")
def command(names: tuple[str, ...], project: str, dry_run: bool, keep_state: bool, **given: Any) -> None:
    """Take back what `untilgreen init` did.

    That is the hooks, the slash commands, the state and the trust. Files become what they were before, byte for byte.
    If somebody changed one since, only our entries leave the settings, and any other file stays. Loops that run or
    wait end. Without a scope it takes back what is in the project: its local settings, and the shared ones if init
    wrote them. --project may name a folder that is gone.
    """
    env, name = os.environ, plan.scope(given)
    chosen = tuple(dict.fromkeys(names)) or tuple(targets.known())
    missing = bool(project) and name != "user" and not os.path.lexists(project)
    root = os.path.realpath(project) if missing else plan.root(name, project, env)
    for one in names:
        targets.of(one, name, root, env)

    with changes.alone(env):
        wanted = _planned(chosen, name, root, env, keep_state=keep_state)
        lines = [*(plan.would(wanted, env) if dry_run else _did(wanted, plan.apply(wanted, env))), *wanted.kept]
    errors.tell(*lines or ["nothing to take back"])
    if not dry_run:
        kept_copy.sweep(env)  # last: it may be what runs


def _planned(names: Sequence[str], scope: str, root: str, env: Mapping[str, str], *, keep_state: bool) -> Plan:
    """What is to be taken back, worked out before anything is touched. Raises UserError."""
    project = receipt.read(root, env)
    missing = bool(root) and not os.path.isdir(root)
    if missing and not project.parts and not trust.trusted(root, env):
        raise UserError(f"--project {root}: no such folder, and nothing is known of it", "name the folder that it was")
    taken = [] if missing else _taken(names, scope, root, env)
    if not missing and not taken and (scope or project == Receipt(root) or names != tuple(targets.known())):
        where = f"in {plan.shown(targets.of(names[0], scope, root, env).scope.path, root)}" if scope else "here"
        swept = receipt.change(project, env)  # one that was killed may have left the beginning of a receipt
        return Plan(root, forgotten=(swept,), kept=(f"untilgreen: nothing is registered {where}",))
    found = Plan(root)
    for target in taken:
        own, path = target.settings, target.scope.path
        known, now = receipt.of(target.scope, root, env), changes.content(path)
        found = _with(found, [Change(path, now, receipt.without_ours(own, path, now, known))])
        found = _with(found, _launchers(path, env))
        if target.scope.name == "user":
            ours = targets.templates(target, root, env, targets.ALIASES)
            found = _with(found, *_texts(ours, [part for part in known.parts if part.path != path]))
            found = found._replace(forgotten=(*found.forgotten, receipt.change(Receipt(path), env)))
    if root and (project != Receipt(root) or missing or any(target.scope.name != "user" for target in taken)):
        found = _project(found, names, taken, env)
        for name in targets.known() if missing else ():
            found = _with(found, _launchers(targets.of(name, "", root, env).scope.path, env))
    return found._replace(cancels=False, gone="") if keep_state else found


def _with(found: Plan, come: Sequence[Change], kept: Sequence[str] = ()) -> Plan:
    return found._replace(files=(*found.files, *come), kept=(*found.kept, *kept))


def _launchers(settings: str, env: Mapping[str, str]) -> list[Change]:
    return [changes.planned(path, None) for path in command_forms.launchers(command_forms.folder(settings, env))]


def _taken(names: Sequence[str], scope: str, root: str, env: Mapping[str, str]) -> list[Target]:
    """The registrations that are meant. Raises UserError where only one is there that has to be asked for by name: the
    user's, or the team's where init did not put it there."""

    def noted(one: Target) -> bool:
        return receipt.of(one.scope, root, env).part(one.scope.path) is not None

    there = [one for one in targets.everywhere(names, root, env) if one.scope.name == scope or not scope]
    there = [one for one in there if noted(one) or targets.registered(one)]
    if scope:
        return there
    found = [one for one in there if one.scope.name == "local" or (one.scope.name == "shared" and noted(one))]
    for name in () if found else ("shared", "user"):
        if one := next((one for one in there if one.scope.name == name), None):
            raise UserError(f"only {one.scope.path} has the hooks", f"run `untilgreen uninstall --{name}`")
    return found


def _project(found: Plan, names: Sequence[str], taken: Sequence[Target], env: Mapping[str, str]) -> Plan:
    """What goes with a project's last registration: files, state, trust; with a host's last one its own files."""
    root, missing, settings = found.root, not os.path.isdir(found.root), [one.scope.path for one in taken]
    project = receipt.read(root, env)
    project = project._replace(parts=tuple(part for part in project.parts if part.path not in settings))
    serving = {} if missing else targets.serving(settings, root, env)
    theirs = [one for one in (dict.fromkeys(one.host for one in taken) or names) if one not in serving]
    stays = targets.ours(serving, root, env)
    ours = {path: text for path, text in targets.ours(theirs, root, env).items() if path not in stays}
    lines = [one for one in targets.personal(theirs if serving else targets.known(), root, env) if one not in stays]
    hidden, rest = receipt.shown_again(project, root, lines, targets.personal(serving, root, env))
    gone = [part for part in rest.parts if part.path in ours or not serving]
    rest = rest._replace(parts=tuple(part for part in rest.parts if part not in gone)) if serving else Receipt(root)
    served = [f"kept the project's state and trust: {one.path} serves it too" for one in serving.values()]
    found = _with(_with(_with(found, (), served[:1]), *_texts(ours, gone)), hidden)
    found = found._replace(forgotten=(*found.forgotten, receipt.change(rest, env)))
    if serving:
        return found
    usual, base = os.path.join(root, place.FOLDER), place.base_of(root, env)
    made, kept = project.state and not os.path.islink(usual), []
    if base != usual and os.path.isdir(base):
        kept.append(f"kept {base}: other projects may keep their state there")
    if os.path.isdir(usual) and not made:
        kept.append(f"kept {usual}: no receipt says that init made it")
    if trust.trusted(root, env) and not (project.trusted or missing):
        kept.append("kept the trust, which init did not give: `untilgreen trust --no` takes it back")
    return _with(found, (), kept)._replace(
        revokes=project.trusted or missing, cancels=True, gone=usual if made and os.path.isdir(usual) else ""
    )


def _texts(ours: Mapping[str, bytes], parts: Sequence[ReceiptPart]) -> tuple[list[Change], list[str]]:
    """Commands, skill, configuration: ours to the last byte they go, whoever wrote them; else they stay, named."""
    found, kept = [], []
    for part in parts:
        now = changes.content(part.path)
        found.append(Change(part.path, now, receipt.before_init(part, now)))
        if now is not None and found[-1].after == now != part.was:
            kept.append(f"kept {part.path}: it was changed since")
    noted = [part.path for part in parts]
    there = [changes.planned(path, None) for path in ours if path not in noted]
    return [*found, *(change for change in there if change.before == ours[change.path])], kept


def _did(done: Plan, ended: list[Loop]) -> Iterator[str]:
    for loop in ended:
        yield ending.told(loop)
    for change in done.visible:
        if os.path.basename(change.path) not in EXECUTABLES:  # the settings that named it are
            yield f"{'removed' if change.after is None else 'restored'}: {plan.shown(change.path, done.root)}"
    if done.gone:
        yield f"removed: {plan.shown(done.gone, done.root)}"
    if done.revokes:
        yield f"trusted no more: {done.root}"
