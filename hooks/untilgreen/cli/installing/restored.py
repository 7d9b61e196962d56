"""Each file that `init` wrote as it was before; where somebody changed it since, without what is ours.

By the receipts of `init`; where they are gone, by looking for what is ours.
"""

import os
from collections.abc import Iterable
from typing import NamedTuple

from untilgreen.cli.installing import (
    changes,
    installation,
    installed,
    project_keys,
    receipt,
    registration,
    scopes,
    settings_text,
)
from untilgreen.cli.installing.changes import Change
from untilgreen.cli.installing.receipt import Part, Receipt
from untilgreen.cli.installing.scopes import Scope
from untilgreen.core.errors import UserError


class Restored(NamedTuple):
    """`kept`: what stays and why, a line each; `folders`: to go, inner ones first, where they are empty then."""

    changes: tuple[Change, ...] = ()
    kept: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()


def joined(found: Iterable[Restored]) -> Restored:
    """All of them as one."""
    every = list(found)
    return Restored(
        tuple(change for one in every for change in changes.real(one.changes)),
        tuple(line for one in every for line in one.kept),
        tuple(folder for one in every for folder in one.folders),
    )


def settings(scope: Scope, part: Part | None) -> Restored:
    """The settings file. Raises UserError where it was changed and cannot be understood."""
    now = changes.content(scope.path)
    was = receipt.before(part) if part else None
    if now is None:
        return _copies(part, None)
    if part and part.left == receipt.digest(now):
        after = was
    elif part and now == was:  # init was killed before it wrote this
        after = now
    else:
        text = scopes.text_of(scope.path) or ""
        document = registration.understood(text, scope.path)
        bare = registration.without(text, (was or b"").decode())
        alone = was is None if part else text == settings_text.laid_out(document) + "\n"
        after = None if alone and bare != text and not settings_text.parsed(bare) else bare.encode()
    return joined([Restored((Change(scope.path, now, after),)), _copies(part, after)])


def files(scope: Scope, known: Receipt | None) -> Restored:
    """The slash commands, the skill and the configuration; what somebody changed since stays.

    Commands and skills that are ours to the last byte go, whether init wrote them or a team keeps them."""
    parts = [part for part in (known.parts if known else ()) if part.path != scope.path]
    folder = installation.host_folder(scope)
    ours = installed.templates(folder, installed.ALIASES)
    there = [changes.planned(path, None) for path in sorted(ours.keys() - {part.path for part in parts})]
    same = tuple(change for change in there if change.before == ours[change.path])
    folders = (*installed.own_folders(folder), *(known.folders[::-1] if known else ()))
    return joined([*(_file(part, known.keys if known else {}) for part in parts), Restored(same, folders=folders)])


def _file(part: Part, keys: dict[str, str]) -> Restored:
    now, after = changes.content(part.path), receipt.before(part)
    if now is None:
        return Restored()
    kept: tuple[str, ...] = ()
    if part.left != receipt.digest(now) and now != after:
        after, kept = _without_keys(part, now, keys) if part.path.endswith(".toml") else (now, ())
        kept = kept or ((f"kept {part.path}: it was changed since",) if after == now else ())
    return joined([Restored((Change(part.path, now, after),), kept), _copies(part, after)])


def _without_keys(part: Part, now: bytes, keys: dict[str, str]) -> tuple[bytes, tuple[str, ...]]:
    """The configuration without our keys, and what is to be said where they cannot be taken out."""
    try:
        return project_keys.without(part.path, now, receipt.before(part), keys), ()
    except ValueError:  # it is no TOML by now
        return now, ()
    except UserError:
        return now, (f"kept {', '.join(keys)} in {part.path}: it cannot be edited; take that out by hand",)


def _copies(part: Part | None, after: bytes | None) -> Restored:
    """The copies that init kept go where the file is again what they hold."""
    found = []
    for copy in part.copies if part else ():
        data = changes.content(copy)
        if data is not None and data == after:
            found.append(Restored((Change(copy, data, None),)))
        elif part and data is not None:
            found.append(Restored(kept=(f"kept {copy}: it differs from {os.path.basename(part.path)}",)))
    return joined(found)
