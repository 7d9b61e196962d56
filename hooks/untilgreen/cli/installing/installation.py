"""What `init` will change, worked out before anything is touched."""

import os
import shlex
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from untilgreen.cli.installing import (
    changes,
    command_forms,
    duplicates,
    files,
    project_keys,
    receipt,
    settings_file,
)
from untilgreen.cli.installing.changes import Change
from untilgreen.cli.installing.plan import Plan
from untilgreen.cli.installing.receipt import Receipt
from untilgreen.core.errors import UserError
from untilgreen.hosts.host import Host, Scope, SettingsFiles
from untilgreen.project import trust
from untilgreen.settings import load
from untilgreen.state import place


class Wish(NamedTuple):
    """What is asked of `init`."""

    host: Host
    settings: SettingsFiles
    scope: Scope
    #: the project, "" for the user's registration outside of any
    root: str
    aliases: tuple[str, ...] = ()
    #: of the project's configuration
    keys: dict[str, str] = {}
    #: the limit of a stop, None: the one that stands there, else the usual one
    stop_seconds: int | None = None
    status_line: bool = False
    force: bool = False


def plan(wish: Wish, env: Mapping[str, str]) -> Plan:
    """What would change. Raises UserError where it cannot be, or must not."""
    if not wish.force:
        duplicates.refuse(wish.settings, wish.scope, wish.root, env)
    if wish.root:
        load.load(wish.root)  # what is wrong there is to be mended first
    here, of_user = receipt.read(wish.scope.path, env), wish.scope.name == "user"
    data = settings_file.content(wish.scope.path)
    before = editable(wish.settings, data or b"", wish.scope.path)
    after, kept = _merged(before, wish, env)
    # the values count, not how somebody laid them out
    settings = Change(wish.scope.path, data, data if data and after == before else settings_file.laid_out(after))
    folder = wish.settings.folder(wish.scope.name, wish.root, env)
    texts = files.templates(folder, wish.aliases) if folder else {}
    come, overwritten = files.planned(texts, here if of_user else receipt.read(wish.root, env), force=wish.force)
    edited = project_keys.changed(wish.root, wish.keys) if wish.root else []
    folders = tuple(changes.missing_folders([receipt.path_of(wish.scope.path, env), trust.path(env)]))
    draft = Plan(
        folders=folders or receipt.folders(env),
        state=place.config_folder(wish.root, env) if wish.root else "",
        root=wish.root,
        grants=(wish.root,) if wish.root and not trust.trusted(wish.root, env) else (),
        files=(settings, *come, *edited),
        kept=(*kept, *(f"kept what was in {path}: `untilgreen uninstall` brings it back" for path in overwritten)),
    )
    bare = _bare(wish.settings, settings, before, here)
    own = [settings, *come] if of_user else [settings]
    return draft._replace(receipts=tuple(_receipts(draft, wish, own, bare, env)))


def editable(files: SettingsFiles, data: bytes, path: str) -> dict[str, Any]:
    """The settings of a file that is to be written anew. Raises UserError where that cannot be."""
    settings = settings_file.editable(data, path)
    if problem := files.problem(settings):
        raise UserError(f"{path}: {problem}", settings_file.MEND)
    return settings


def _merged(before: Mapping[str, Any], wish: Wish, env: Mapping[str, str]) -> tuple[dict[str, Any], tuple[str, ...]]:
    """The settings with what is ours; and what is to be said about a status line that stays."""
    host, own, scope = wish.host, wish.settings, wish.scope
    portable = scope.name == "shared"
    call = command_forms.portable(host.name, own.PROJECT, wish.root, env) if portable else command_forms.own(host.name)
    after = own.merged(before, own.entries(call, wish.stop_seconds or own.stop_seconds(before)))
    line = shlex.join(command_forms.status_line())
    if own.status_line(after) == "ours":
        # an older one may name an interpreter that is gone; what a team shares names no path of one machine
        return (after if portable else own.with_status_line(after, line)), ()
    if not wish.status_line:
        return after, ()
    known = own.scopes(wish.root or os.sep, env)
    weaker = known[known.index(scope) + 1 :]
    found = [(scope.path, after), *((one.path, settings_file.taken(one.path)) for one in weaker)]
    there = next((path for path, settings in found if own.status_line(settings)), "")
    if there:
        return after, (f"kept the status line of {there}; to have the loop in it, let it print this, too: {line}",)
    return own.with_status_line(after, line), ()


def _bare(own: SettingsFiles, change: Change, before: dict[str, Any], here: Receipt | None) -> dict[str, bytes]:
    """What the settings would hold if we had never come, where they hold something of ours."""
    part = receipt.part_of(here, change.path)
    known = settings_file.understood(receipt.backup(part) or b"", change.path)
    bare = own.without(before, known)
    return {change.path: settings_file.laid_out(bare)} if bare != before else {}


def _receipts(
    draft: Plan, wish: Wish, own: Sequence[Change], bare: Mapping[str, bytes], env: Mapping[str, str]
) -> Iterator[Change]:
    """What uninstall has to know. Of the user's registration in one receipt; of a project's in two: the project's
    files serve each of its registrations, and go with the last."""
    made = changes.missing_folders(change.path for change in changes.real(draft.files))
    folders, of_user = (*draft.folders, *made), wish.scope.name == "user"
    one = _with_folders(receipt.read(wish.scope.path, env) or Receipt(wish.scope.path), folders if of_user else ())
    yield receipt.change(receipt.with_parts(one, own, bare), env)
    if wish.root:
        one = _with_folders(receipt.read(wish.root, env) or Receipt(wish.root), () if of_user else folders)
        one = one._replace(
            keys=one.keys | wish.keys,
            trusted=one.trusted or bool(draft.grants),
            state=one.state or not os.path.lexists(draft.state),
        )
        rest = [change for change in draft.files if change not in own]
        yield receipt.change(receipt.with_parts(one, rest, {}), env)


def _with_folders(one: Receipt, folders: Sequence[str]) -> Receipt:
    return one._replace(folders=tuple(dict.fromkeys((*one.folders, *folders))))
