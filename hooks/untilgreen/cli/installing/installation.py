"""What `init` will change, worked out before anything is touched; and then all of it, or nothing."""

import os
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack
from typing import NamedTuple

from untilgreen.cli.installing import (
    changes,
    forms,
    installed,
    project_keys,
    receipt,
    registration,
    scopes,
    status_line,
    turn,
    twice,
)
from untilgreen.cli.installing.changes import Change
from untilgreen.cli.installing.receipt import Receipt
from untilgreen.cli.installing.scopes import Scope
from untilgreen.core.errors import UserError
from untilgreen.project import trust
from untilgreen.settings import effective, load
from untilgreen.state import store
from untilgreen.state.place import config_folder


class Wish(NamedTuple):
    """What is asked of `init`. `root`: the project, "" for the user's registration outside of any; `keys`: of the
    configuration; `stop_seconds`: the limit of a stop, None: the one that stands there, else the usual one."""

    scope: Scope
    root: str
    aliases: tuple[str, ...] = ()
    keys: dict[str, str] = {}
    stop_seconds: int | None = None
    status_line: bool = False
    force: bool = False


class Plan(NamedTuple):
    """`copies`: path of a file to the copy that is kept of it; `trusts`: the project goes on the list; `folders`: of
    the user's own state, to be made; `state`: the project's, "" outside of one."""

    settings: Change
    files: tuple[Change, ...]
    configuration: Change | None
    copies: dict[str, str]
    receipts: tuple[Change, ...]
    folders: tuple[str, ...]
    trusts: bool
    state: str

    @property
    def visible(self) -> list[Change]:
        """The changes that a person should hear of."""
        found = [self.settings, *self.files, *([self.configuration] if self.configuration else [])]
        return changes.real(found)


def host_folder(scope: Scope) -> str:
    """Where the slash commands and skills of a scope lie."""
    return os.path.dirname(scope.path)


def plan(wish: Wish, env: Mapping[str, str], stamp: str) -> Plan:
    """What would change. Raises UserError where it cannot be, or must not."""
    if not wish.force:
        twice.refuse(wish.scope, wish.root, env)
    if wish.root:
        load.load(wish.root)  # what is wrong there is to be mended first
    call = forms.portable(wish.root, env) if wish.scope.name == "shared" else forms.own()
    old = receipt.read(wish.scope.path, env)
    owner = old if wish.scope.name == "user" else receipt.read(wish.root, env)
    try:
        text = scopes.text_of(wish.scope.path)
    except UserError as error:
        raise UserError(f"{error}; mend it, then try again") from None
    settings = Change(wish.scope.path, _bytes(text), _merged(text or "", wish, call, env).encode())
    files = installed.templates(host_folder(wish.scope), wish.aliases)
    come = installed.planned(files, owner, force=wish.force, stamp=stamp)
    copies = dict(come.copies)
    if settings.before not in (None, settings.after) and not receipt.as_left(old, settings.path, settings.before):
        copies[settings.path] = installed.copy_of(settings.path, stamp)
    edited = project_keys.changed(wish.root, wish.keys) if wish.root else None
    trusts = bool(wish.root) and not trust.trusted(wish.root, env)
    folders = tuple(changes.missing_folders([receipt.path_of(wish.scope.path, env), trust.path(env)]))
    folders = folders or receipt.folders(env)
    state = state_folder(wish.root, env) if wish.root else ""
    draft = Plan(settings, come.changes, edited, copies, (), folders, trusts, state)
    return draft._replace(receipts=tuple(_receipts(draft, wish, env)))


def perform(plan: Plan, wish: Wish, env: Mapping[str, str]) -> None:
    """Do it. Raises UserError, and then everything is as it was."""
    cure = f"make it writable, or use --{'local' if wish.scope.name == 'user' else 'user'}"
    resolved = [os.path.join(plan.state, "config.json")] if plan.state else []
    _refuse_blocked([*(change.path for change in plan.visible), *plan.copies.values(), *resolved], cure)
    own = [trust.path(env), *(change.path for change in plan.receipts)]
    _refuse_blocked(own, "make it writable, or set XDG_STATE_HOME to a folder that is")
    try:
        with ExitStack() as undo:
            _perform(plan, wish, env, undo)
            undo.pop_all()
    except OSError as error:
        where = error.filename or wish.scope.path
        raise UserError(f"cannot write {where}: {error.strerror or error}; nothing was changed; {cure}") from None


def _refuse_blocked(paths: Iterable[str], cure: str) -> None:
    found = changes.blocked(paths)
    if found is not None:
        raise UserError(f"cannot write {found.path}: {found.why}; nothing was changed; {cure}")


def _perform(plan: Plan, wish: Wish, env: Mapping[str, str], undo: ExitStack) -> None:
    """The receipts first: whoever kills this leaves what uninstall takes back. Then what can fail; the files are put in
    place when nothing else is left to do."""
    changes.make_folders(plan.folders, undo, 0o700)
    changes.commit(changes.prepare(plan.receipts, undo), undo)
    for path, copy in plan.copies.items():
        undo.callback(changes.remove, copy)
        shutil.copy2(path, copy)
    ready = changes.prepare(plan.visible, undo)
    if plan.state:
        if not os.path.lexists(plan.state):
            undo.callback(shutil.rmtree, plan.state, ignore_errors=True)
        store.make_base(plan.state)
        with turn.unbroken():
            if trust.grant(wish.root, env):
                undo.callback(trust.revoke, wish.root, env)
    changes.commit(ready, undo)
    if plan.state:
        effective.refresh(wish.root, plan.state)  # of the configuration as it is now


def _merged(text: str, wish: Wish, call: registration.Call, env: Mapping[str, str]) -> str:
    settings = registration.understood(text, wish.scope.path)
    seconds = wish.stop_seconds or registration.stop_seconds(settings)
    merged = registration.merged(text, registration.entries(call, seconds), wish.scope.path)
    # an older one of ours may name an interpreter that is gone; what a team shares names no path of one machine
    again = wish.scope.name != "shared" and status_line.there(text)
    if not (wish.status_line or again):
        return merged
    inherited = scopes.inherited("statusLine", wish.scope, wish.root, env)
    return status_line.put(merged, sys.executable, forms.PACKAGE, inherited)


def _receipts(plan: Plan, wish: Wish, env: Mapping[str, str]) -> Iterator[Change]:
    """What uninstall has to know. Of the user's registration in one receipt; of a project's in two: the project's
    files serve each of its registrations, and go with the last."""
    here, own = receipt.read(wish.scope.path, env), [plan.settings]
    files = [*([plan.configuration] if plan.configuration else []), *plan.files]
    folders = (*plan.folders, *changes.missing_folders([c.path for c in changes.real([plan.settings, *plan.files])]))
    of_user = wish.scope.name == "user"
    if of_user:
        own, files = [*own, *plan.files], files[: len(files) - len(plan.files)]
    one = _receipt(wish.scope.path, here, folders if of_user else ())
    bare = _bare(here, wish.scope.path)
    yield _change(one._replace(parts=receipt.parts(here, own, plan.copies, bare)), env)
    if wish.root:
        known = receipt.read(wish.root, env)
        one = _receipt(wish.root, known, () if of_user else folders)
        keys, trusted = one.keys | wish.keys, one.trusted or plan.trusts
        parts = receipt.parts(known, files, plan.copies, bare)
        state = one.state or not os.path.lexists(plan.state)
        yield _change(one._replace(parts=parts, keys=keys, trusted=trusted, state=state), env)


def _receipt(subject: str, old: Receipt | None, folders: Iterable[str]) -> Receipt:
    one = old or Receipt(subject)
    return one._replace(folders=tuple(dict.fromkeys((*one.folders, *folders))))


def _bare(old: Receipt | None, settings: str) -> Callable[[Change], bytes | None]:
    """What a file would hold if we had never come: the settings without our hooks, another as it is."""
    part = receipt.part_of(old, settings)
    known = ((receipt.before(part) or b"") if part else b"").decode()

    def bare(change: Change) -> bytes | None:
        if change.before is None or change.path != settings:
            return change.before
        return registration.without(change.before.decode(), known).encode()

    return bare


def _change(one: Receipt, env: Mapping[str, str]) -> Change:
    return changes.planned(receipt.path_of(one.subject, env), receipt.written(one), 0o600)


def state_folder(root: str, env: Mapping[str, str]) -> str:
    """Where the project's resolved configuration lies, and mostly its state."""
    return config_folder(root, env)


def _bytes(text: str | None) -> bytes | None:
    return None if text is None else text.encode()
