"""What `uninstall` will change, worked out before anything is touched.

Each file that `init` wrote is to be as it was before: byte for byte where nobody changed it since, else without what is
ours. By the receipts of `init`; where they are gone, by looking for what is ours.
"""

import os
from collections.abc import Mapping, Sequence
from contextlib import suppress

from untilgreen.cli.installing import changes, duplicates, files, installation, project_keys, receipt, settings_file
from untilgreen.cli.installing.changes import Change
from untilgreen.cli.installing.plan import GONE, Plan, joined
from untilgreen.cli.installing.receipt import Receipt, ReceiptPart
from untilgreen.core.errors import UserError
from untilgreen.hosts.host import Scope, SettingsFiles
from untilgreen.project import trust
from untilgreen.state import place


def registered(own: SettingsFiles, scope: Scope, env: Mapping[str, str]) -> bool:
    """Has the settings file our hooks, or did it get them from init?"""
    with suppress(UserError):
        if own.registered(scope, settings_file.read(scope.path)):
            return True
    return receipt.read(scope.path, env) is not None


def plan(own: SettingsFiles, taken: Sequence[Scope], root: str, env: Mapping[str, str]) -> Plan:
    """What would change when these registrations go, and the project with the last of them. Raises UserError."""
    found = [Plan(empty=receipt.own_folders(env))]
    for scope in taken:
        known = receipt.read(scope.path, env)
        found.append(_settings(own, scope, receipt.part_of(known, scope.path)))
        if scope.name == "user":
            found.append(_files(own.folder("user", root, env), known, scope.path))
        found.append(Plan(forgotten=(receipt.gone(scope.path, env),)))
    project = receipt.read(root, env) if root else None
    if root and (project or any(scope.name != "user" for scope in taken)):
        found.append(_project(own, taken, root, project, env))
    return joined(found)


def _project(
    own: SettingsFiles, taken: Sequence[Scope], root: str, project: Receipt | None, env: Mapping[str, str]
) -> Plan:
    """What goes with the last registration of a project: its files where no settings of it are left that need them,
    its state and trust where nothing serves it any more."""
    for host, scope in duplicates.elsewhere(taken, root, env):
        if scope.name in ("local", "shared") and registered(host, scope, env):
            return _serves(scope)
    found = _files(own.folder("local", root, env), project)
    serving = duplicates.served(taken, root, env)
    if serving is not None:
        kept = (project or Receipt(root))._replace(parts=(), keys={})
        note = (receipt.change(kept, env),) if project else ()
        return joined([found._replace(forgotten=note), _serves(serving)])
    return joined([found._replace(forgotten=(receipt.gone(root, env),)), _state(root, project, env)])


def of_missing(own: SettingsFiles, root: str, env: Mapping[str, str]) -> Plan | None:
    """A project whose folder is not there any more: what is known of it goes. None: nothing is."""
    subjects = [root, *(scope.path for scope in own.scopes(root, env) if scope.name in ("local", "shared"))]
    receipts = changes.real(receipt.gone(subject, env) for subject in subjects)
    revokes = (root,) if trust.trusted(root, env) else ()
    known = (receipt.read(subject, env) for subject in subjects)
    folders = tuple(folder for one in known if one for folder in one.folders[::-1])
    if not receipts and not revokes:
        return None
    return Plan(revokes=revokes, empty=(*receipt.own_folders(env), *folders), forgotten=tuple(receipts))


def _settings(own: SettingsFiles, scope: Scope, part: ReceiptPart | None) -> Plan:
    """The settings file. Raises UserError where it was changed and cannot be understood."""
    now, was = settings_file.content(scope.path), receipt.backup(part)
    if now is None:
        return Plan(files=(Change(scope.path, None, None),))
    if receipt.as_left(part, now) or (part and now == was):  # killed before it wrote this
        after = was
    else:
        settings = installation.editable(own, now, scope.path)
        known = settings_file.understood(was or b"", scope.path)
        bare = own.without(settings, known)
        if bare == settings:
            after = now
        elif bare == known:
            after = was
        else:
            after = settings_file.laid_out(bare)
    return Plan(files=(Change(scope.path, now, after),), kept=_copies(part))


def _files(folder: str, known: Receipt | None, settings: str = "") -> Plan:
    """The slash commands, the skill and the configuration; what somebody changed since stays.

    Commands and skills that are ours to the last byte go, whether init wrote them or a team keeps them."""
    parts = [part for part in (known.parts if known else ()) if part.path != settings]
    ours = files.templates(folder, files.ALIASES) if folder else {}
    there = [changes.planned(path, None) for path in sorted(ours.keys() - {part.path for part in parts})]
    same = tuple(change for change in there if change.before == ours[change.path])
    folders = (*(files.own_folders(folder) if folder else ()), *(known.folders[::-1] if known else ()))
    return joined([*(_file(part, known.keys if known else {}) for part in parts), Plan(files=same, empty=folders)])


def _file(part: ReceiptPart, keys: dict[str, str]) -> Plan:
    now, was = settings_file.content(part.path), receipt.backup(part)
    if now is None:
        return Plan(files=(Change(part.path, None, None),))
    if receipt.as_left(part, now) or now == was:
        after, kept = was, ""
    elif part.path.endswith(".toml"):
        after, kept = _without_keys(part, now, keys)
    else:
        after, kept = now, ""
    if after == now != was:
        kept = kept or f"kept {part.path}: it was changed since"
    return Plan(files=(Change(part.path, now, after),), kept=(*([kept] if kept else []), *_copies(part)))


def _without_keys(part: ReceiptPart, now: bytes, keys: dict[str, str]) -> tuple[bytes, str]:
    """The configuration without our keys, and what is to be said where they cannot be taken out."""
    try:
        return project_keys.without(part.path, now, receipt.backup(part), keys), ""
    except ValueError:  # it is no TOML by now
        return now, ""
    except UserError:
        return now, f"kept {', '.join(keys)} in {part.path}: it cannot be edited; take that out by hand"


def _copies(part: ReceiptPart | None) -> tuple[str, ...]:
    there = [copy for copy in (part.copies if part else ()) if os.path.exists(copy)]
    return tuple(f"kept {copy}: an older untilgreen put this copy there" for copy in there)


def _serves(scope: Scope) -> Plan:
    return Plan(kept=(f"kept the project's state and trust: {scope.path} serves it too",))


def _state(root: str, project: Receipt | None, env: Mapping[str, str]) -> Plan:
    """The project's trust and its loops; the folder of its state, or why that stays."""
    usual, base = os.path.join(root, place.FOLDER), place.base_of(root, env)
    kept = [f"kept {base}: other projects may keep their state there"] if base != usual and os.path.isdir(base) else []
    gone = ""
    if os.path.islink(usual):
        kept.append(f"kept {usual}: it is a link")
    elif os.path.isdir(usual) or os.path.isdir(usual + GONE):
        if project and project.state:
            gone = usual
        else:
            why = "it was there before init" if project else "no receipt says that init made it"
            kept.append(f"kept {usual}: {why}")
    revokes = (root,) if project and project.trusted else ()
    return Plan(revokes=revokes, cancels=(root,), gone=gone, kept=tuple(kept))
