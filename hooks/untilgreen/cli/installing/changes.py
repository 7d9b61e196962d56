"""Changes of files, all of them or none: every step puts its undo into an ExitStack. And a settings file in JSON, read
as a host reads it, written as it writes it.

Strict JSON; a bridge, which is a program, has a line of it. Claude Code passes over a file with a comment or a trailing
comma as a whole, its hooks do not run, and nobody is told (2.1.330 and 2.1.150); a byte order mark is fine. When it
writes, it lays the whole file out again.
"""

import json
import os
import stat
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from typing import Any

from untilgreen.core.errors import UserError
from untilgreen.core.record import NamedTuple
from untilgreen.hosts.hook_health import HookHealth
from untilgreen.state import locks

MEND = "correct the file, then try again"


def content(path: str) -> bytes | None:
    """What a file holds, None where there is none. Raises UserError where it cannot be read, or is none: a pipe would
    never end, and to replace a device would be the end of it."""
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):
            raise UserError(f"{path} is no regular file", "move it away")
        with open(path, "rb") as file:
            return file.read()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise UserError(f"{path} cannot be read: {error.strerror}", "make it readable") from None


def read(own: HookHealth, path: str) -> dict[str, Any]:
    """The settings of a file, empty where there is none. Raises UserError where the host would not take them."""
    return understood(own, content(path) or b"", path)


def taken(own: HookHealth, path: str) -> dict[str, Any]:
    """What the host takes of a settings file: nothing of one that it does not understand, or that we may not read."""
    try:
        return read(own, path)
    except UserError:
        return {}


def put_into(own: HookHealth, settings: Mapping[str, Any], data: bytes, path: str) -> bytes:
    """What the file, which holds `data`, is to hold with these settings. Raises UserError where a comment would go."""
    try:
        return own.wrapped(laid_out(settings), data)
    except ValueError as error:
        raise UserError(f"{path}: {error}", "move the comment out of that table, then try again") from None


def laid_out(settings: Mapping[str, Any]) -> bytes:
    """The file, as the host writes it. Half a pair of surrogates, which no encoding has, stays escaped."""
    text = json.dumps(settings, indent=2, ensure_ascii=False)
    return f"{text}\n".encode(errors="backslashreplace")


def understood(own: HookHealth, data: bytes, path: str, *, lossless: bool = False) -> dict[str, Any]:
    """The settings in these bytes; of a key that stands twice in a table the last one counts. Raises UserError;
    `lossless`: also where such a value would be lost."""
    twice: list[str] = []

    def table(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        names = [name for name, _ in pairs]
        twice.extend(name for number, name in enumerate(names) if name in names[:number])
        return dict(pairs)

    text = ""
    try:
        text = own.unwrapped(data).decode("utf-8-sig")
        blank = not text.strip(" \t\r\n")
        settings = {} if blank else json.loads(text, object_pairs_hook=table)
        json.dumps(settings, allow_nan=False)  # Python reads NaN and 1e999, which are no JSON
    except UnicodeDecodeError:
        raise UserError(f"{path} is not UTF-8 text", MEND) from None
    except (ValueError, RecursionError) as error:
        comment = text[getattr(error, "pos", len(text)) :].lstrip().startswith("/")
        hint = "; the host passes over settings with a comment" if comment and path.endswith(".json") else ""
        raise UserError(f"{path} is not JSON ({error}){hint}", MEND) from None
    if not isinstance(settings, dict):
        raise UserError(f"{path} holds no table of settings", MEND)
    if lossless and twice:
        raise UserError(f'{path} has the key "{twice[0]}" twice in one table', MEND)
    return settings


_WAIT = 10.0  # seconds
_BESIDE = ".untilgreen.tmp"  # one init at a time: what lies there was left by one that was killed


class Change(NamedTuple):
    """What a file holds and what it shall hold, None: there is no such file. `path` as people know it: what a link
    leads to is what changes. `mode`: of a new file, before the umask."""

    path: str
    before: bytes | None
    after: bytes | None
    mode: int = 0o666


@contextmanager
def alone(env: Mapping[str, str]) -> Iterator[None]:
    """No other init or uninstall of this user works meanwhile. Raises UserError where another takes long."""
    home = env["HOME"] if os.path.isdir(env.get("HOME", "")) else os.sep
    with ExitStack() as held:
        try:
            held.callback(os.close, locks.hold(os.open(home, os.O_RDONLY), home, _WAIT))
        except locks.Busy:
            raise UserError("another init or uninstall is at work", "try again when it is done") from None
        except OSError:
            pass  # a file system without locks: then nobody waits for anybody
        yield


def planned(path: str, after: bytes | None, mode: int = 0o666) -> Change:
    """The change from what the file holds now. Raises UserError where that cannot be read."""
    return Change(path, content(path), after, mode)


def real(wanted: Iterable[Change]) -> list[Change]:
    return [change for change in wanted if change.before != change.after]


def blocked(paths: Iterable[str]) -> tuple[str, str] | None:
    """The first path that could not be written or removed, and why; read-only says stay, whoever owns the folder."""
    for path in map(os.path.realpath, paths):
        folder = os.path.dirname(path)
        while not os.path.lexists(folder):
            folder = os.path.dirname(folder)
        if not os.path.isdir(folder):
            return folder, "it is not a folder"
        for one in (path, folder):
            if os.path.exists(one) and not (os.access(one, os.W_OK) and os.stat(one).st_mode & 0o222):
                return one, "it is read-only"
    return None


def put(wanted: Iterable[Change], undo: ExitStack) -> None:
    """Write each file as a whole. Raises OSError, UserError; `undo` then knows the way back, and has to be closed."""
    for change in wanted:
        path = os.path.realpath(change.path)
        _remove(path + _BESIDE)
        if change.before == change.after:
            continue
        if content(path) != change.before:  # the host, too, writes its settings, when somebody grants a permission
            raise UserError(f"{path} was changed meanwhile; nothing was changed", "try again")
        like = os.stat(path) if os.path.exists(path) else None
        undo.callback(_restore, path, change, like)
        _write(path, change.after, like, change.mode)


def sweep(paths: Iterable[str], tops: Iterable[str]) -> None:
    """Remove the folders around these files that are empty, as far as they lie below one of these folders."""
    ends = {os.path.abspath(top) for top in tops if top}
    for path in paths:
        folder = os.path.dirname(os.path.abspath(path))
        with suppress(OSError):  # it is not empty, or a link
            while folder not in ends and any(folder.startswith(f"{end}{os.sep}") for end in ends):
                if os.path.lexists(folder):
                    os.rmdir(folder)
                folder = os.path.dirname(folder)


def _restore(path: str, change: Change, like: os.stat_result | None) -> None:
    _remove(path + _BESIDE)
    if content(path) == change.after:  # else it was not put in place yet, or somebody wrote it since
        _write(path, change.before, like)


def _write(path: str, data: bytes | None, like: os.stat_result | None, new_mode: int = 0o666) -> None:
    """Replace a file, None: remove it; with the owner and mode of `like`, else `new_mode`. Raises OSError."""
    if data is None:
        _remove(path)
        return
    os.makedirs(os.path.dirname(path), exist_ok=True)
    descriptor = os.open(path + _BESIDE, os.O_WRONLY | os.O_CREAT | os.O_EXCL, new_mode)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(descriptor)
    except OSError as error:
        error.filename = path  # the disk is full: nobody else says which file it is
        raise
    if like is not None:
        with suppress(PermissionError):  # only root gives a file away, and it may work in somebody's project
            os.chown(path + _BESIDE, like.st_uid, like.st_gid)
        os.chmod(path + _BESIDE, stat.S_IMODE(like.st_mode))
    os.replace(path + _BESIDE, path)


def _remove(path: str) -> None:
    with suppress(FileNotFoundError, NotADirectoryError):
        os.unlink(path)
