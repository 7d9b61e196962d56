"""What `init` did, written down for `uninstall`: one receipt for a project, one for the user's settings.

They lie outside of every repository, in `$XDG_STATE_HOME/untilgreen/installed`, for their owner alone: they are the
one backup of each file that init wrote, and settings may hold keys.
"""

import base64
import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from typing import Any

from untilgreen.cli.installing import changes
from untilgreen.cli.installing.changes import Change, planned
from untilgreen.core import document
from untilgreen.core.errors import UserError
from untilgreen.core.record import NamedTuple
from untilgreen.hosts.hook_health import HookHealth
from untilgreen.hosts.host import Scope
from untilgreen.project import trust


class ReceiptPart(NamedTuple):
    """A file that init wrote."""

    path: str
    #: what it held before, in base64; None: there was no such file
    before: str | None
    #: the SHA-256 of what init left
    left: str

    @property
    def was(self) -> bytes | None:
        """What it held before."""
        return None if self.before is None else base64.b64decode(self.before)


class Receipt(NamedTuple):
    """What init did for one project, or for the user."""

    #: the project's root, or the user's settings file
    subject: str
    parts: tuple[ReceiptPart, ...] = ()
    #: init put the project on the list
    trusted: bool = False
    #: init made the state folder
    state: bool = False

    def part(self, path: str) -> ReceiptPart | None:
        """What it says of a file."""
        return next((part for part in self.parts if part.path == path), None)


def folder(env: Mapping[str, str]) -> str:
    """Where the receipts lie."""
    return os.path.join(trust.folder(env), "installed")


def of(scope: Scope, root: str, env: Mapping[str, str]) -> Receipt:
    """The receipt that a settings file is in."""
    return read(scope.path if scope.name == "user" else root, env)


def read(subject: str, env: Mapping[str, str]) -> Receipt:
    """The receipt, an empty one where there is none that can be read: then what init did is found by looking."""
    try:
        receipt = document.load(Receipt, json.loads(changes.content(_path(subject, env)) or b""))
    except (ValueError, RecursionError, document.Mismatch):
        return Receipt(subject)
    return receipt if receipt.subject == subject else Receipt(subject)


def change(receipt: Receipt, env: Mapping[str, str]) -> Change:
    """The receipt, to be written; to go, where it says nothing. In ASCII: a path may hold what no encoding has."""
    text = json.dumps(document.dump(receipt)).encode()
    return planned(_path(receipt.subject, env), None if receipt == Receipt(receipt.subject) else text, 0o600)


def noted(receipt: Receipt, wanted: Sequence[Change]) -> Receipt:
    """The receipt after these changes."""
    for one in wanted:
        if one.before != one.after:
            receipt = with_part(receipt, one, before_init(receipt.part(one.path), one.before))
    return receipt


def noted_settings(receipt: Receipt, own: HookHealth, wanted: Change) -> Receipt:
    """The receipt after this change of a settings file. Raises UserError."""
    return with_part(receipt, wanted, without_ours(own, wanted.path, wanted.before, receipt))


def with_part(receipt: Receipt, wanted: Change, was: bytes | None) -> Receipt:
    """The receipt after this change of a file that held this before init."""
    text = None if was is None else base64.b64encode(was).decode()
    part = ReceiptPart(wanted.path, text, _digest(wanted.after or b""))
    return receipt._replace(parts=tuple(({one.path: one for one in receipt.parts} | {part.path: part}).values()))


def as_left(part: ReceiptPart | None, data: bytes | None) -> bool:
    """Is the file what init left?"""
    return part is not None and data is not None and part.left == _digest(data)


def before_init(part: ReceiptPart | None, now: bytes | None) -> bytes | None:
    """What a file held before init, where it is as init left it; else what it holds."""
    return part.was if part and as_left(part, now) else now


def without_ours(own: HookHealth, path: str, now: bytes | None, known: Receipt) -> bytes | None:
    """What a settings file would hold if init had never come: byte for byte what it held where nobody changed it
    since, else without what is ours. Raises UserError where it was changed and cannot be understood."""
    part = known.part(path)
    if now is None or as_left(part, now):
        return before_init(part, now)
    was = part.was if part else None
    settings, before = editable(own, now, path), changes.parsed(own.unwrapped(was or b""), path)
    bare = own.without(settings, before)
    if bare == settings:
        return now
    return was if bare == before else own.wrapped(changes.laid_out(bare))


def editable(own: HookHealth, data: bytes, path: str) -> dict[str, Any]:
    """The settings of a file that is to be written anew. Raises UserError where that cannot be."""
    settings = changes.parsed(own.unwrapped(data), path, lossless=True)
    if problem := own.problem(settings):
        raise UserError(f"{path}: {problem}", changes.MEND)
    return settings


def _path(subject: str, env: Mapping[str, str]) -> str:
    return os.path.join(folder(env), f"{hashlib.sha256(os.fsencode(subject)).hexdigest()[:32]}.json")


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
