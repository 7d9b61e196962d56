"""What `init` did, written down for `uninstall`: one receipt for a settings file, one for a project.

They lie outside of every repository, in `$XDG_STATE_HOME/untilgreen/installed`, for their owner alone: they are the
one backup of each file that init wrote, and settings may hold keys.
"""

import base64
import hashlib
import json
import os
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from untilgreen.cli.installing.changes import Change, planned
from untilgreen.cli.installing.settings_file import content
from untilgreen.core import document
from untilgreen.project import trust


class ReceiptPart(NamedTuple):
    """A file that init wrote."""

    path: str
    #: what it held before, in base64; None: there was no such file
    before: str | None
    #: the SHA-256 of what init left
    left: str
    #: copies that an older version put beside it
    copies: tuple[str, ...] = ()


class Receipt(NamedTuple):
    """What init did for one settings file, or for one project."""

    #: the settings file, or the project's root
    subject: str
    parts: tuple[ReceiptPart, ...] = ()
    #: made by init, outer ones first
    folders: tuple[str, ...] = ()
    #: init put the project on the list
    trusted: bool = False
    #: what init set in the project's configuration
    keys: dict[str, str] = {}
    #: init made the state folder
    state: bool = False


def own_folders(env: Mapping[str, str]) -> tuple[str, str]:
    """The folder of the receipts, and around it that of the user's own state."""
    return os.path.join(trust.folder(env), "installed"), trust.folder(env)


def path_of(subject: str, env: Mapping[str, str]) -> str:
    """Where the receipt of a settings file or a project is."""
    name = hashlib.sha256(os.fsencode(subject)).hexdigest()[:32]
    return os.path.join(own_folders(env)[0], f"{name}.json")


def read(subject: str, env: Mapping[str, str]) -> Receipt | None:
    """The receipt, None where there is none that can be read: then what init did is found by looking."""
    receipt = _understood(content(path_of(subject, env)) or b"")
    return receipt if receipt and receipt.subject == subject else None


def _understood(text: bytes) -> Receipt | None:
    try:
        return document.load(Receipt, json.loads(text))
    except (ValueError, RecursionError, document.Mismatch):
        return None


def change(receipt: Receipt, env: Mapping[str, str]) -> Change:
    """The receipt, to be written. In ASCII: a path may hold what no encoding has."""
    return planned(path_of(receipt.subject, env), json.dumps(document.dump(receipt)).encode(), 0o600)


def gone(subject: str, env: Mapping[str, str]) -> Change:
    """The receipt, to go."""
    return planned(path_of(subject, env), None)


def folders(env: Mapping[str, str]) -> tuple[str, ...]:
    """The folders around the user's own state that some init made: whichever project goes last takes them away."""
    own, _ = own_folders(env)
    try:
        texts = [content(os.path.join(own, name)) for name in os.listdir(own) if name.endswith(".json")]
    except (FileNotFoundError, NotADirectoryError):
        return ()
    found: dict[str, None] = {}
    for text in texts:
        known = _understood(text or b"")
        found |= dict.fromkeys(one for one in (known.folders if known else ()) if f"{own}/".startswith(f"{one}/"))
    return tuple(sorted(found))


def part_of(receipt: Receipt | None, path: str) -> ReceiptPart | None:
    """What the receipt says of a file."""
    return next((part for part in receipt.parts if part.path == path), None) if receipt else None


def as_left(part: ReceiptPart | None, data: bytes | None) -> bool:
    """Is the file what init left?"""
    return part is not None and data is not None and part.left == _digest(data)


def backup(part: ReceiptPart | None) -> bytes | None:
    """What the file held before init."""
    return None if part is None or part.before is None else base64.b64decode(part.before)


def with_parts(receipt: Receipt, changes: Iterable[Change], bare: Mapping[str, bytes]) -> Receipt:
    """The receipt after these changes. `bare`: path to what the file would hold if init had never come, where that is
    not what it holds."""
    parts = {part.path: part for part in receipt.parts}
    for one in changes:
        if one.before == one.after or one.after is None:
            continue
        old = parts.get(one.path)
        data = backup(old) if as_left(old, one.before) else bare.get(one.path, one.before)
        before = None if data is None else base64.b64encode(data).decode()
        parts[one.path] = ReceiptPart(one.path, before, _digest(one.after), old.copies if old else ())
    return receipt._replace(parts=tuple(parts.values()))


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
