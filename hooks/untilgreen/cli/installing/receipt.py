"""What `init` did, written down for `uninstall`: one receipt for a settings file, one for a project.

They lie outside of every repository, in `$XDG_STATE_HOME/untilgreen/installed`, for their owner alone: they hold the
settings as they were before.
"""

import base64
import hashlib
import json
import os
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from untilgreen.cli.installing.changes import Change, content
from untilgreen.core import document
from untilgreen.project import trust


class Part(NamedTuple):
    """A file that init wrote: what it held before (base64, None: it was not there), the SHA-256 of what init left,
    and the copies that init kept of it."""

    path: str
    before: str | None
    left: str
    copies: tuple[str, ...] = ()


class Receipt(NamedTuple):
    """`subject`: the settings file or the project's root. `folders`: made by init, outer ones first; `trusted`: init
    put the project on the list; `keys`: what init set in its configuration; `state`: init made the state folder."""

    subject: str
    parts: tuple[Part, ...] = ()
    folders: tuple[str, ...] = ()
    trusted: bool = False
    keys: dict[str, str] = {}
    state: bool = False


def path_of(subject: str, env: Mapping[str, str]) -> str:
    """Where the receipt of a settings file or a project is."""
    name = hashlib.sha256(os.fsencode(subject)).hexdigest()[:32]
    return os.path.join(trust.folder(env), "installed", f"{name}.json")


def read(subject: str, env: Mapping[str, str]) -> Receipt | None:
    """The receipt, None where there is none that can be read: then what init did is found by looking."""
    receipt = _understood(content(path_of(subject, env)) or b"")
    return receipt if receipt and receipt.subject == subject else None


def _understood(text: bytes) -> Receipt | None:
    try:
        return document.load(Receipt, json.loads(text))
    except (ValueError, RecursionError, document.Mismatch):
        return None


def written(receipt: Receipt) -> bytes:
    """The receipt's file, in ASCII: a path may hold what no encoding has."""
    return json.dumps(document.dump(receipt)).encode()


def folders(env: Mapping[str, str]) -> tuple[str, ...]:
    """The folders around the user's own state that some init made: whichever project goes last takes them away."""
    own = os.path.join(trust.folder(env), "installed")
    try:
        texts = [content(os.path.join(own, name)) for name in os.listdir(own) if name.endswith(".json")]
    except (FileNotFoundError, NotADirectoryError):
        return ()
    found: dict[str, None] = {}
    for text in texts:
        known = _understood(text or b"")
        found |= dict.fromkeys(one for one in (known.folders if known else ()) if f"{own}/".startswith(f"{one}/"))
    return tuple(sorted(found))


def part_of(receipt: Receipt | None, path: str) -> Part | None:
    """What the receipt says of a file."""
    return next((part for part in receipt.parts if part.path == path), None) if receipt else None


def as_left(receipt: Receipt | None, path: str, data: bytes | None) -> bool:
    """Is the file what init left?"""
    part = part_of(receipt, path)
    return part is not None and data is not None and part.left == digest(data)


def before(part: Part) -> bytes | None:
    """What the file held before init."""
    return None if part.before is None else base64.b64decode(part.before)


def digest(data: bytes) -> str:
    """The SHA-256 of a file's content."""
    return hashlib.sha256(data).hexdigest()


def parts(
    old: Receipt | None,
    changes: Iterable[Change],
    copies: Mapping[str, str],
    bare: Callable[[Change], bytes | None],
) -> tuple[Part, ...]:
    """The parts after these changes. `copies`: path to the copy that is kept of it; `bare`: what a changed file would
    hold without anything of ours."""
    known = {part.path: part for part in (old.parts if old else ())}
    for change in changes:
        if change.before == change.after or change.after is None:
            continue
        last = known.get(change.path)
        kept = last.copies if last else ()
        if last and as_left(old, change.path, change.before):
            was = last.before
        else:
            data = bare(change)
            was = None if data is None else base64.b64encode(data).decode()
        kept += (copies[change.path],) if change.path in copies else ()
        known[change.path] = Part(change.path, was, digest(change.after), kept)
    return tuple(known.values())
