"""What `init` did, written down for `uninstall`: one receipt for a project, one for the user's settings;
and the lines of `info/exclude` that keep what is one person's out of what git shows.

They lie outside of every repository, in `$XDG_STATE_HOME/untilgreen/installed`, for their owner alone: they are the
one backup of each file that init wrote, and settings may hold keys.
"""

import base64
import hashlib
import json
import os
from collections.abc import Container, Iterable, Mapping, Sequence
from typing import Any

from untilgreen.cli.installing import changes
from untilgreen.cli.installing.changes import Change, content, planned
from untilgreen.core import document
from untilgreen.core.errors import UserError
from untilgreen.core.record import NamedTuple
from untilgreen.hosts.hook_health import HookHealth
from untilgreen.hosts.host import Scope
from untilgreen.project import trust
from untilgreen.project.tree import git

_FOLDERS = ("untilgreen", "until-green")  # how our own begin


class ReceiptPart(NamedTuple):
    """A file that init wrote."""

    path: str
    before: str | None  #: what it held before, in base64; None: there was no such file
    left: str  #: the SHA-256 of what init left

    @property
    def was(self) -> bytes | None:
        return None if self.before is None else base64.b64decode(self.before)


class Receipt(NamedTuple):
    """What init did for one project, or for the user."""

    subject: str  #: the project's root, or the user's settings file
    parts: tuple[ReceiptPart, ...] = ()
    trusted: bool = False  #: init put the project on the list
    state: bool = False  #: init made the state folder

    def part(self, path: str) -> ReceiptPart | None:
        return next((part for part in self.parts if part.path == path), None)


def folder(env: Mapping[str, str]) -> str:
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


def with_part(receipt: Receipt, wanted: Change, was: bytes | None) -> Receipt:
    """The receipt after this change of a file that held this before init."""
    text = None if was is None else base64.b64encode(was).decode()
    part = ReceiptPart(wanted.path, text, _digest(wanted.after or b""))
    return receipt._replace(parts=tuple(({one.path: one for one in receipt.parts} | {part.path: part}).values()))


def as_left(part: ReceiptPart | None, data: bytes | None) -> bool:
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
    settings, before = editable(own, now, path), changes.understood(own, was or b"", path)
    bare = own.without(settings, before)
    if bare == settings:
        return now
    return was if bare == before else changes.put_into(own, bare, now, path)


def editable(own: HookHealth, data: bytes, path: str) -> dict[str, Any]:
    """The settings of a file that is to be written anew. Raises UserError where that cannot be."""
    settings = changes.understood(own, data, path, lossless=True)
    if problem := own.problem(settings):
        raise UserError(f"{path}: {problem}", changes.MEND)
    return settings


def _path(subject: str, env: Mapping[str, str]) -> str:
    return os.path.join(folder(env), f"{hashlib.sha256(os.fsencode(subject)).hexdigest()[:32]}.json")


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def written(wanted: Mapping[str, bytes], old: Receipt, *, replaced: Container[str]) -> tuple[list[Change], list[str]]:
    """What is to be written, and which of it is somebody else's. `replaced`: where that gives way, as the commands of
    an alias that was asked for do. Raises UserError."""
    found = [planned(path, data) for path, data in wanted.items()]
    there = [change for change in changes.real(found) if change.before is not None]
    foreign = [change.path for change in there if not as_left(old.part(change.path), change.before)]
    if stays := [path for path in foreign if path not in replaced]:
        raise UserError(
            f"{', '.join(stays)}: not as untilgreen left it",
            "move it away, or give --force, which keeps it for uninstall",
        )
    return found, foreign


def hide(root: str, wanted: Sequence[str]) -> Change | None:
    """The change of `info/exclude` for these files; None where git has no such file of its own, or ignores them."""
    code, told = git.end(git.start(root, "rev-parse", "--git-path", "info/exclude"))
    path = os.path.join(root, os.fsdecode(told.rstrip(b"\n")))
    if code != 0 or os.path.realpath(path) != path or not os.path.isdir(os.path.dirname(os.path.dirname(path))):
        return None
    before = content(path)
    text = before or b""
    some = git.ignored(root, *(os.path.relpath(one, root) for one in wanted))
    shown = [one for one in wanted if not (some and git.ignored(root, os.path.relpath(one, root)))]
    lines = dict.fromkeys(_line(root, one) for one in shown)
    new = b"".join(line + b"\n" for line in lines if line not in text.split(b"\n"))
    gap = b"\n" if text and not text.endswith(b"\n") else b""
    return Change(path, before, text + gap + new) if new else None


def noted_hidden(known: Receipt, done: Change, root: str, ours: Iterable[str]) -> Receipt:
    """The receipt after this change. `ours`: all that may be in there for us."""
    part = known.part(done.path)
    was = _bare(done.before, part, root, ours) if part else done.before
    return with_part(known, done, was)


def shown_again(known: Receipt, root: str, goes: Sequence[str], stays: Sequence[str]) -> tuple[list[Change], Receipt]:
    """The change that takes the lines of these files out, and the receipt after it."""
    part = next((part for part in known.parts if os.path.basename(part.path) == "exclude"), None)
    if part is None:
        return [], known
    now = content(part.path)
    was = _bare(now, part, root, [*goes, *stays])
    done = Change(part.path, now, _without(now, part.was, root, goes) if stays else was)
    rest = known._replace(parts=tuple(one for one in known.parts if one != part))
    return [done], with_part(rest, done, was) if stays else rest


def _bare(now: bytes | None, part: ReceiptPart, root: str, ours: Iterable[str]) -> bytes | None:
    """What the file would hold if init had never come, also where somebody edited it since."""
    if as_left(part, now):
        return part.was
    left = _without(now, part.was, root, ours)
    same = left is not None and left.rstrip(b"\n") == (part.was or b"").rstrip(b"\n")
    return part.was if same else left


def _without(text: bytes | None, was: bytes | None, root: str, ours: Iterable[str]) -> bytes | None:
    """The text without the lines of these files, but for those that were there before."""
    gone = {_line(root, one) for one in ours} - set((was or b"").split(b"\n"))
    return None if text is None else b"".join(one for one in text.splitlines(True) if one.rstrip(b"\n") not in gone)


def _line(root: str, path: str) -> bytes:
    """The pattern for a file, or for the folder that is ours alone."""
    *folders, name = os.path.relpath(path, root).split(os.sep)
    ours = next((number for number, one in enumerate(folders, 1) if one.startswith(_FOLDERS)), 0)
    return os.fsencode("/" + "/".join([*folders[:ours], ""] if ours else [*folders, name]))
