"""All that one `init` or `uninstall` does, as data; and how it is done, all of it or nothing."""

import os
import shutil
from collections.abc import Iterable, Mapping
from contextlib import ExitStack
from functools import reduce
from operator import add
from typing import NamedTuple

from untilgreen.cli import cancel
from untilgreen.cli.installing import changes, exclusive, receipt
from untilgreen.cli.installing.changes import Change
from untilgreen.core.errors import UserError
from untilgreen.core.model.loop import Loop
from untilgreen.loops import listing
from untilgreen.project import trust
from untilgreen.settings import effective
from untilgreen.state import locks, place, store

GONE = ".gone"  # where the state goes first: a name changes at once, and back again


class Plan(NamedTuple):
    """What is to be done, in this order."""

    #: folders of the user's own state, to be made
    folders: tuple[str, ...] = ()
    #: receipts, written before anything else: whoever kills this leaves what uninstall takes back
    receipts: tuple[Change, ...] = ()
    #: the project's state folder, to be made, and the project whose configuration is resolved into it
    state: str = ""
    root: str = ""
    #: projects that go on the list of those that are trusted, and off it
    grants: tuple[str, ...] = ()
    revokes: tuple[str, ...] = ()
    #: what people see
    files: tuple[Change, ...] = ()
    #: projects whose loops end
    cancels: tuple[str, ...] = ()
    #: the project's state folder, to go
    gone: str = ""
    #: folders to go where they are empty, inner ones first
    empty: tuple[str, ...] = ()
    #: receipts that go, last of all: whoever kills this can call uninstall again
    forgotten: tuple[Change, ...] = ()
    #: what stays and why, a line each
    kept: tuple[str, ...] = ()

    @property
    def visible(self) -> list[Change]:
        """The changes that a person should hear of."""
        return changes.real(self.files)


def joined(plans: Iterable[Plan]) -> Plan:
    """All of them as one."""
    return Plan(*(reduce(add, values) for values in zip(Plan(), *plans, strict=True)))


def apply(plan: Plan, env: Mapping[str, str], cure: str, own_cure: str) -> list[Loop]:
    """Do it; the loops that were cancelled. Raises UserError with a cure (`own_cure`: where it is about the user's own
    state), and then everything is as it was."""
    _refuse_blocked(plan, env, cure, own_cure)
    try:
        with ExitStack() as undo:
            ended = _apply(plan, env, undo)
            undo.pop_all()
    except locks.Busy:
        raise UserError("another process holds the state of this session; nothing was changed", "try again") from None
    except OSError as error:
        raise UserError(
            f"cannot write {error.filename}: {error.strerror or error}; nothing was changed", cure
        ) from None
    _forget(plan)
    return ended


def _refuse_blocked(plan: Plan, env: Mapping[str, str], cure: str, own_cure: str) -> None:
    wanted = [change.path for change in plan.visible]
    wanted += [os.path.join(plan.state, "config.json")] if plan.state else []
    wanted += [f"{plan.gone}{GONE}-", os.path.join(plan.gone, "loop")] if plan.gone else []  # renamed, and emptied
    own = [change.path for change in changes.real((*plan.receipts, *plan.forgotten))]
    own += [trust.path(env)] if plan.grants or plan.revokes else []
    for paths, words in ((wanted, cure), (own, own_cure)):
        found = changes.blocked(paths)
        if found is not None:
            raise UserError(f"cannot write {found[0]}: {found[1]}; nothing was changed", words)


def _apply(plan: Plan, env: Mapping[str, str], undo: ExitStack) -> list[Loop]:
    changes.make_folders(plan.folders, undo, 0o700)
    changes.put(plan.receipts, undo)
    if plan.state:
        shutil.rmtree(plan.state + GONE, ignore_errors=True)  # of an uninstall that was killed
        if not os.path.lexists(plan.state):
            undo.callback(shutil.rmtree, plan.state, ignore_errors=True)
        store.make_base(plan.state)
    with exclusive.unbroken():
        for root in plan.grants:
            if trust.grant(root, env):
                undo.callback(trust.revoke, root, env)
        for root in plan.revokes:
            if trust.revoke(root, env):
                undo.callback(trust.grant, root, env)
    changes.put(plan.files, undo)
    if plan.state:
        effective.refresh(plan.root, plan.state)  # of the configuration as it is now
    places = dict.fromkeys(kept.place for root in plan.cancels for kept in active(root, env))
    ended = [loop for place in places for loop in cancel.end(place)]
    if os.path.isdir(plan.gone):
        with exclusive.unbroken():
            shutil.rmtree(plan.gone + GONE, ignore_errors=True)
            os.rename(plan.gone, plan.gone + GONE)
            undo.callback(os.rename, plan.gone + GONE, plan.gone)
    return ended


def _forget(plan: Plan) -> None:
    """What cannot be undone. Raises UserError."""
    if plan.gone:
        shutil.rmtree(plan.gone + GONE, ignore_errors=True)
        if os.path.lexists(plan.gone + GONE):
            raise UserError(f"{plan.gone}{GONE} cannot be removed", "remove it by hand")
    _sweep(plan.empty)
    try:
        with exclusive.unbroken(), ExitStack() as undo:
            changes.put(plan.forgotten, undo)
            undo.pop_all()
            _sweep(plan.empty)
    except OSError as error:
        why = f"cannot write {error.filename}: {error.strerror or error}; all else is taken back"
        raise UserError(why, "remove it by hand") from None


def tidy(env: Mapping[str, str]) -> None:
    """Remove what a killed one left in the user's own folder, and that folder where it is empty."""
    for folder in receipt.own_folders(env):
        for name in os.listdir(folder) if os.path.isdir(folder) else ():
            if name.endswith(".tmp"):
                os.unlink(os.path.join(folder, name))
        changes.remove_folder(folder)


def _sweep(folders: Iterable[str]) -> None:
    for folder in folders:
        changes.remove_folder(folder)


def active(root: str, env: Mapping[str, str]) -> list[listing.Kept]:
    """The loops of the project that run or wait; state that cannot be read has none."""
    found, _ = listing.everything(place.base_of(root, env), root)
    return [kept for kept in found if kept.loop.active]
