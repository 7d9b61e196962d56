"""The folder in which checks leave their reports: made for one stop, gone at its end; killed stops leave theirs, and
nobody holds its lock. And the folder of a loop's copy of its start, which stays from stop to stop."""

import os
import re
import stat
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress

from untilgreen.project import trust
from untilgreen.state import locks

_NAME, _STAYS, _BUILT = r"untilgreen-[0-9a-f]{16}", r"untilgreen-start-[0-9a-f]{16}", r"built-[0-9a-f]{16}"
_OLD = 24 * 3600  # seconds; no stop lasts that long
_NEW = 60.0  # seconds in which the maker of a folder has locked it


@contextmanager
def made(env: Mapping[str, str], places: Sequence[str] = (), root: str = "") -> Iterator[str]:
    """A folder of our own, in the first of the places that takes one, those for temporary files where none is named
    (`tempfile` loads twenty modules). `root`: the project of which a copy is put there: where nobody else has it, the
    folder's name is always the same one, as compilers know what they built by its path. Raises OSError."""
    folder = _made(places or _places(env), [digest(root)] if root else [])
    held = _lock(folder)
    try:
        yield folder
    finally:
        with suppress(OSError):  # a tool that outlived its check may still write here
            empty(folder)
            os.rmdir(folder)
        if held is not None:
            os.close(held)


@contextmanager
def staying(env: Mapping[str, str], places: Sequence[str], root: str) -> Iterator[str]:
    """The folder for copies of this project, with all that lies there from before, until `drop`; while somebody else
    has it, one as `made` gives. Raises OSError."""
    for path in _stays(places, root):
        with suppress(OSError):
            os.mkdir(path, 0o700)
        if _is_private(path):
            break
    held = _lock(path)
    try:
        if held is None or not _is_private(path):  # or it was dropped just before
            with made(env, places, root) as folder:
                yield folder
        else:
            os.utime(path)
            yield path
    finally:
        if held is not None:
            os.close(held)


def drop(env: Mapping[str, str], root: str) -> None:
    """Take away what stays of a project, where nobody has it just now. Never raises."""
    if os.name != "posix":
        return
    from untilgreen.checks.elsewhere import private_place

    for path in filter(_is_private, _stays((*private_place.candidates(root, env), trust.folder(env)), root)):
        if (held := _lock(path)) is not None:
            with suppress(OSError):
                remove(path)
            os.close(held)


def _stays(places: Sequence[str], root: str) -> list[str]:
    return [os.path.join(place, f"untilgreen-start-{digest(root)}") for place in places]


def _is_private(path: str) -> bool:
    """Whether it is a folder into which we alone can put something."""
    with suppress(OSError):
        found = os.lstat(path)
        return stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid() and not found.st_mode & 0o077
    return False


def kept(env: Mapping[str, str], root: str) -> str:
    """The folder for what checks of ours build of this project: until a day after nothing more is built there. Raises
    OSError."""
    path = os.path.join(trust.folder(env), f"built-{digest(root)}")
    if not os.path.isdir(path):
        sweep(root, env)  # one comes, what is old goes: also where no loop begins
    trust.make_private(path)
    os.utime(path)
    return path


def sweep(root: str, env: Mapping[str, str]) -> None:
    """Take away such folders of ours whose stops were killed: nobody holds them, or they are a day old; and what
    nothing more was built into for a day."""
    if os.name != "posix":
        return
    from untilgreen.checks.elsewhere import private_place

    for place in dict.fromkeys((*_places(env), *private_place.candidates(root, env), trust.folder(env))):
        with suppress(OSError):
            for name in os.listdir(place):
                path, built = os.path.join(place, name), place == trust.folder(env) and re.fullmatch(_BUILT, name)
                if (stays := built or re.fullmatch(_STAYS, name)) or re.fullmatch(_NAME, name):
                    found = os.lstat(path)
                    ours = stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid()
                    age = time.time() - found.st_mtime
                    if ours and (age > _OLD if stays else _is_left(path, age)):
                        remove(path)


def _is_left(path: str, age: float) -> bool:
    """Whether the stop whose folder it is was killed. `age`: seconds since something was put into it."""
    if age < _NEW or age > _OLD:
        return age > _OLD
    held = _lock(path)
    if held is not None:
        os.close(held)
    return held is not None


def _lock(folder: str) -> int | None:
    """Hold a folder until this descriptor is closed, or its process ends; None where that cannot be had."""
    with suppress(OSError, locks.Busy):
        return locks.hold(os.open(folder, os.O_RDONLY | os.O_NOFOLLOW), folder, 0)
    return None


def _made(places: Sequence[str], names: Sequence[str]) -> str:
    failed = OSError("no folder for temporary files")
    for place in places:
        for name in (*names, os.urandom(8).hex()):
            path = os.path.join(place, f"untilgreen-{name}")
            try:
                os.mkdir(path, 0o700)
                return path
            except OSError as error:
                failed = error
    raise failed


def digest(root: str) -> str:
    import hashlib

    return hashlib.sha256(os.fsencode(root)).hexdigest()[:16]


def _places(env: Mapping[str, str]) -> tuple[str, ...]:
    places = (env.get("TMPDIR", ""), "/tmp", "/var/tmp")  # noqa: S108 a name in it cannot be guessed
    return tuple(dict.fromkeys(place for place in places if os.path.isabs(place)))


def empty(folder: str, without: Collection[str] = ()) -> None:
    """Take away what lies there, but for these names. Raises OSError."""
    for name in os.listdir(folder):
        if name not in without:
            remove(os.path.join(folder, name))


def remove(path: str) -> None:
    """Take away a file, a link, or a folder with all that is in it. Raises OSError."""
    if os.path.isdir(path) and not os.path.islink(path):  # a copy of the project
        import shutil

        shutil.rmtree(path, ignore_errors=True)
        if os.path.lexists(path):  # a test took its own right to write somewhere in there
            for folder, _, _ in os.walk(path):
                with suppress(OSError):
                    os.chmod(folder, 0o700)
            shutil.rmtree(path, ignore_errors=True)
    else:
        os.unlink(path)
