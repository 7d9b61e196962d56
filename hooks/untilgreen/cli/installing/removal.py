"""What `uninstall` will change, worked out before anything is touched; and then all of it, or nothing."""

import os
import shutil
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack, suppress
from typing import NamedTuple

from untilgreen.cli.installing import changes, installed, project_keys, receipt, restored, scopes, turn, twice
from untilgreen.cli.installing.changes import Change
from untilgreen.cli.installing.receipt import Receipt
from untilgreen.cli.installing.restored import Restored
from untilgreen.cli.installing.scopes import Scope
from untilgreen.core.errors import UserError
from untilgreen.core.model import Loop
from untilgreen.loops import begin, listing, starting
from untilgreen.project import trust
from untilgreen.state import locks
from untilgreen.state.place import FOLDER, base_of


class Plan(NamedTuple):
    """`receipts`: those that go, or change; `revokes`: the project goes off the list; `cancels`: its loops end;
    `state`: the folder of the project's state, "" where it stays."""

    files: Restored
    receipts: tuple[Change, ...]
    revokes: bool = False
    cancels: bool = False
    state: str = ""


def registered(scope: Scope, env: Mapping[str, str]) -> bool:
    """Has the settings file our hooks, or did it get them from init?"""
    with suppress(UserError):
        if scopes.registered(scope, scopes.read(scope.path)):
            return True
    return receipt.read(scope.path, env) is not None


def plan(taken: Sequence[Scope], root: str, env: Mapping[str, str], *, keep_state: bool) -> Plan:
    """What would change when these registrations go, and the project with the last of them. Raises UserError."""
    found, receipts = [], []
    for scope in taken:
        known = receipt.read(scope.path, env)
        found.append(restored.settings(scope, receipt.part_of(known, scope.path)))
        if scope.name == "user":
            found.append(restored.files(scope, known))
        receipts.append(_gone(scope.path, env))
    project = receipt.read(root, env) if root else None
    own = [scope for scope in taken if scope.name != "user"]
    if not root or not (project or own):
        return Plan(restored.joined(found), tuple(receipts))
    here = [scope for scope in scopes.scopes(root, env) if scope.name in ("local", "shared")]
    others = twice.others(taken, root, env)
    serving = next((scope for scope in here if scope in others and registered(scope, env)), None)
    if serving is None:
        found.append(restored.files(here[0], project))
        serving = twice.served(taken, root, env)
        receipts.append(_gone(root, env) if serving is None else _kept(project or Receipt(root), env))
    if serving is not None:
        found.append(Restored(kept=(f"kept the project's state and trust: {serving.path} serves it too",)))
        return Plan(restored.joined(found), tuple(receipts))
    state, kept = ("", ()) if keep_state else _state(root, project, env)
    found.append(Restored(kept=kept))
    return Plan(restored.joined(found), tuple(receipts), bool(project and project.trusted), not keep_state, state)


def of_missing(root: str, env: Mapping[str, str]) -> Plan | None:
    """A project whose folder is not there any more: what is known of it goes. None: nothing is."""
    subjects = [root, *(scope.path for scope in scopes.scopes(root, env) if scope.name in ("local", "shared"))]
    receipts = changes.real(_gone(subject, env) for subject in subjects)
    trusted = trust.trusted(root, env)
    known = (receipt.read(subject, env) for subject in subjects)
    folders = tuple(folder for one in known if one for folder in one.folders[::-1])
    return Plan(Restored(folders=folders), tuple(receipts), trusted) if receipts or trusted else None


def running(root: str, env: Mapping[str, str]) -> list[Loop]:
    """The loops of the project that run or wait; state that cannot be read has none."""
    return [kept.loop for kept in _active(root, env)]


def _active(root: str, env: Mapping[str, str]) -> list[listing.Kept]:
    found, _ = listing.everything(base_of(root, env), root)
    return [kept for kept in found if kept.loop.active]


def perform(plan: Plan, root: str, env: Mapping[str, str]) -> list[Loop]:
    """Do it; the loops that were cancelled. Raises UserError, and then everything is as it was."""
    wanted = (*plan.files.changes, *plan.receipts)
    paths = [change.path for change in changes.real(wanted)] + ([trust.path(env)] if plan.revokes else [])
    gone = f"{plan.state}.{os.getpid()}.gone" if plan.state else ""
    found = changes.blocked([*paths, *([gone, os.path.join(plan.state, "loop")] if plan.state else [])])
    if found is not None:
        raise UserError(f"cannot write {found.path}: {found.why}; nothing was changed; make it writable")
    try:
        with ExitStack() as undo:
            receipts = changes.prepare(plan.receipts, undo)
            changes.commit(changes.prepare(plan.files.changes, undo), undo)
            with turn.unbroken():
                if plan.revokes and trust.revoke(root, env):
                    undo.callback(trust.grant, root, env)
            ended = _cancelled(root, env) if plan.cancels else []
            if plan.state:
                with turn.unbroken():
                    os.rename(plan.state, gone)
                    undo.callback(os.rename, gone, plan.state)
            undo.pop_all()
    except locks.Busy:
        raise UserError(f"{starting.BUSY}; nothing was changed") from None
    except OSError as error:
        raise UserError(f"cannot write {error.filename}: {error.strerror or error}; nothing was changed") from None
    _forgotten(plan, receipts, gone, env)
    return ended


def _forgotten(plan: Plan, receipts: Iterable[changes.Ready], gone: str, env: Mapping[str, str]) -> None:
    """The rest, the receipts last: whoever kills this can call uninstall again. Raises UserError."""
    _swept(plan.files.folders, gone)
    try:
        with turn.unbroken():
            changes.commit(receipts, ExitStack())
            _swept((*own_folders(env), *plan.files.folders))
    except OSError as error:
        raise UserError(f"cannot write {error.filename}: {error.strerror or error}; all else is taken back") from None


def own_folders(env: Mapping[str, str]) -> tuple[str, str]:
    """The folders of the user's own state, which go when they are empty."""
    own = trust.folder(env)
    return os.path.join(own, "installed"), own


def leftovers(root: str, env: Mapping[str, str]) -> list[str]:
    """What a killed init or uninstall may have left something beside."""
    found = []
    for scope in scopes.scopes(root or os.sep, env):
        if scope.name == "user" or (root and scope.name != "managed"):
            folder = os.path.dirname(scope.path)
            found += [scope.path, receipt.path_of(scope.path, env), *installed.templates(folder, installed.ALIASES)]
    if root:
        found += [receipt.path_of(root, env), os.path.join(root, FOLDER), *project_keys.files(root)]
    return [*found, trust.path(env)]


def _swept(folders: Iterable[str], gone: str = "") -> None:
    """The folders that are empty now, and the state."""
    for folder in folders:
        changes.remove_folder(folder)
    if gone:
        shutil.rmtree(gone, ignore_errors=True)
        if os.path.lexists(gone):
            raise UserError(f"{gone} cannot be removed; remove it by hand")


def _gone(subject: str, env: Mapping[str, str]) -> Change:
    return changes.planned(receipt.path_of(subject, env), None)


def _kept(project: Receipt, env: Mapping[str, str]) -> Change:
    """A project whose files went, and whose state another registration still needs."""
    path = receipt.path_of(project.subject, env)
    known = receipt.written(project._replace(parts=(), keys={}))
    return changes.planned(path, known if changes.content(path) is not None else None, 0o600)


def _state(root: str, project: Receipt | None, env: Mapping[str, str]) -> tuple[str, tuple[str, ...]]:
    """The folder of the project's state that goes, and why one stays."""
    usual, base = os.path.join(root, FOLDER), base_of(root, env)
    elsewhere = base != usual and os.path.isdir(base)
    kept = (f"kept {base}: other projects may keep their state there",) if elsewhere else ()
    if not os.path.isdir(usual):
        return "", kept
    if os.path.islink(usual):
        return "", (*kept, f"kept {usual}: it is a link")
    if project is None:
        return "", (*kept, f"kept {usual}: no receipt says that init made it")
    return (usual, kept) if project.state else ("", (*kept, f"kept {usual}: it was there before init"))


def _cancelled(root: str, env: Mapping[str, str]) -> list[Loop]:
    """End the loops of the project that run or wait."""
    ended = []
    for kept in _active(root, env):
        if kept.place.session == "next":
            changes.remove(kept.path)
            ended.append(begin.cancelled(kept.loop))
        elif one := begin.cancel(kept.place):
            ended.append(one)
    return ended
