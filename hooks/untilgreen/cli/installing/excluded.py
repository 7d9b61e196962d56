"""What `init` puts into a project for one person, kept out of what git shows of it: lines of `info/exclude`."""

import os
from collections.abc import Iterable, Mapping, Sequence

from untilgreen.cli.installing import files, receipt, targets
from untilgreen.cli.installing.changes import Change, content
from untilgreen.cli.installing.receipt import Receipt, ReceiptPart
from untilgreen.project.tree import git

_FOLDERS = ("untilgreen", "until-green")  # how our own begin


def personal(names: Iterable[str], root: str, env: Mapping[str, str]) -> list[str]:
    """What init may put into the project for one person: these hosts' settings of their own, commands and skills."""
    own = [one.scope.path for one in targets.everywhere(names, root, env) if one.scope.name == "local"]
    return [*own, *files.ours(names, root, env)]


def planned(root: str, wanted: Sequence[str]) -> Change | None:
    """The change of `info/exclude` for these files; None where git has no say here, or ignores them already."""
    path = _path(root)
    if not path:
        return None
    shown = [one for one in wanted if not git.ignored(root, os.path.relpath(one, root))]
    lines = dict.fromkeys(_line(root, one) for one in shown)
    before = content(path)
    text = before or b""
    have = text.split(b"\n")
    new = b"".join(line + b"\n" for line in lines if line not in have)
    after = text + (b"\n" if text and not text.endswith(b"\n") else b"") + new
    return Change(path, before, after) if new else None


def noted(known: Receipt, done: Change, root: str, ours: Iterable[str]) -> Receipt:
    """The receipt after this change. `ours`: all that may be in there for us."""
    part = known.part(done.path)
    was = _bare(done.before, part, root, ours) if part else done.before
    return receipt.with_part(known, done, was)


def shown(known: Receipt, root: str, goes: Sequence[str], stays: Sequence[str]) -> tuple[list[Change], Receipt]:
    """The change that takes the lines of these files out, and the receipt after it."""
    part = next((part for part in known.parts if os.path.basename(part.path) == "exclude"), None)
    if part is None:
        return [], known
    now = content(part.path)
    was = _bare(now, part, root, [*goes, *stays])
    done = Change(part.path, now, _without(now, part.was, root, goes) if stays else was)
    rest = known._replace(parts=tuple(one for one in known.parts if one != part))
    return [done], receipt.with_part(rest, done, was) if stays else rest


def _bare(now: bytes | None, part: ReceiptPart, root: str, ours: Iterable[str]) -> bytes | None:
    """What the file would hold if init had never come, also where somebody edited it since."""
    if receipt.as_left(part, now):
        return part.was
    left = _without(now, part.was, root, ours)
    same = left is not None and left.rstrip(b"\n") == (part.was or b"").rstrip(b"\n")
    return part.was if same else left


def _without(text: bytes | None, was: bytes | None, root: str, ours: Iterable[str]) -> bytes | None:
    """The text without the lines of these files, but for those that were there before."""
    gone = {_line(root, one) for one in ours} - set((was or b"").split(b"\n"))
    return None if text is None else b"".join(one for one in text.splitlines(True) if one.rstrip(b"\n") not in gone)


def _path(root: str) -> str:
    """Where the lines are, "" where git has no such file of its own here."""
    code, told = git.end(git.start(root, "rev-parse", "--git-path", "info/exclude"))
    path = os.path.join(root, os.fsdecode(told.rstrip(b"\n")))
    there = code == 0 and os.path.realpath(path) == path and os.path.isdir(os.path.dirname(os.path.dirname(path)))
    return path if there else ""


def _line(root: str, path: str) -> bytes:
    """The pattern for a file, or for the folder that is ours alone."""
    *folders, name = os.path.relpath(path, root).split(os.sep)
    ours = next((number for number, one in enumerate(folders, 1) if one.startswith(_FOLDERS)), 0)
    return os.fsencode("/" + "/".join([*folders[:ours], ""] if ours else [*folders, name]))
