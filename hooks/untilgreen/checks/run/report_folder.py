"""The folder in which checks leave their reports: made for one stop, gone at its end; killed stops leave theirs."""

import os
import re
import stat
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress

from untilgreen.project import trust

_NAME = re.compile(r"untilgreen-[0-9a-f]{16}")
_OLD = 24 * 3600  # seconds; no stop lasts that long


@contextmanager
def made(env: Mapping[str, str], *, apart: bool = False) -> Iterator[str]:
    """A folder of our own, in the first place that takes one (`tempfile` loads twenty modules). `apart`: where nobody
    else can put a file above it, as tools look there for what configures them. Raises OSError."""
    if apart:
        trust.make_private(trust.folder(env))
    folder = _made((trust.folder(env),) if apart else _places(env))
    try:
        yield folder
    finally:
        with suppress(OSError):  # a tool that outlived its check may still write here
            for name in os.listdir(folder):
                _remove(os.path.join(folder, name))
            os.rmdir(folder)


def sweep(env: Mapping[str, str]) -> None:
    """Take away such folders of ours that nothing was put into for a day: their stops were killed."""
    if os.name != "posix":
        return
    for place in (*_places(env), trust.folder(env)):
        with suppress(OSError):
            for name in filter(_NAME.fullmatch, os.listdir(place)):
                path = os.path.join(place, name)
                found = os.lstat(path)
                ours = stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid()
                if ours and found.st_mtime < time.time() - _OLD:
                    _remove(path)


def _made(places: Sequence[str]) -> str:
    name, failed = f"untilgreen-{os.urandom(8).hex()}", OSError("no folder for temporary files")
    for place in places:
        try:
            os.mkdir(os.path.join(place, name), 0o700)
            return os.path.join(place, name)
        except OSError as error:
            failed = error
    raise failed


def _places(env: Mapping[str, str]) -> tuple[str, ...]:
    places = (env.get("TMPDIR", ""), "/tmp", "/var/tmp")  # noqa: S108 a name in it cannot be guessed
    return tuple(dict.fromkeys(place for place in places if os.path.isabs(place)))


def _remove(path: str) -> None:
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
