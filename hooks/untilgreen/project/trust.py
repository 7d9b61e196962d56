"""The one trust gate: the folders whose code a person allowed to run. The list lies outside of every repository.

It says whose `.untilgreen/` is, too, so every call of a hook asks: imports only `os` and what that loads.
"""

import os

from untilgreen.project import files, toplevel

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

NO_MORE = "not trusted any more (`untilgreen trust`)"
_LARGEST = 4 * 1024 * 1024  # bytes; a thousand folders are a tenth of one megabyte


class Unread(OSError):
    """The list is there and cannot be read: nobody knows what is trusted. Its text is for people."""

    def __str__(self) -> str:
        return f"the list of trusted folders cannot be read: {self.strerror} ({self.filename})"


def folder(env: "Mapping[str, str]") -> str:
    """The user's own folder, outside of every repository. A relative $XDG_STATE_HOME does not count, as its
    specification says: it would lie in the project."""
    state = env.get("XDG_STATE_HOME", "")
    if not os.path.isabs(state):
        state = os.path.join(home(env), ".local", "state")
    return os.path.join(state, "untilgreen")


def home(env: "Mapping[str, str]") -> str:
    """The user's home: $HOME, else the account's. A relative one would lie in the project."""
    return env["HOME"] if os.path.isabs(env.get("HOME", "")) else toplevel.account_home() or os.sep


def is_certain(env: "Mapping[str, str]") -> bool:
    """Whether the environment says where the list lies."""
    found = env.get("HOME", "")
    return os.path.isabs(env.get("XDG_STATE_HOME", "")) or (os.path.isabs(found) and os.path.isdir(found))


def path(env: "Mapping[str, str]") -> str:
    return os.path.join(folder(env), "trusted")


def trusted(root: str, env: "Mapping[str, str]") -> bool:
    """Is exactly this folder on the list? Where there is no list, none is. Raises Unread."""
    return _line(root) in (_lines(path(env)) or ())


def listed(env: "Mapping[str, str]") -> list[str]:
    """The folders on the list, sorted. Raises Unread."""
    lines = filter(None, _lines(path(env)) or ())
    return sorted(os.fsdecode(line.replace(b"%0A", b"\n").replace(b"%25", b"%")) for line in lines)


def grant(root: str, env: "Mapping[str, str]") -> bool:
    """Put the folder on the list; False when it was there already. OSError when the list cannot be written."""
    target = path(env)
    lines = _lines(target)
    if lines is None:
        make_private(os.path.dirname(target))
    elif _line(root) in lines:
        return False
    # a last line without its end (an editor's doing) must not grow into another path
    text = (b"\n" if lines and lines[-1] else b"") + _line(root) + b"\n"
    descriptor = os.open(target, os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o600)
    try:
        if os.write(descriptor, text) != len(text):
            raise OSError(f"{target}: the disk took only a part of the line")
    finally:
        os.close(descriptor)
    return True


def revoke(root: str, env: "Mapping[str, str]") -> bool:
    """Take the folder off the list; False when it was not there. A list that is empty then goes. Raises OSError."""
    target = path(env)
    lines = _lines(target)
    if lines is None:
        return False
    kept = [line for line in lines if line != _line(root)]
    if not any(kept):  # a grant that was killed leaves an empty one, too
        os.unlink(target)
    elif kept != lines:
        temporary = f"{target}.{os.getpid()}.tmp"
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(b"\n".join(kept))
        os.replace(temporary, target)
    return kept != lines


def _lines(target: str) -> list[bytes] | None:
    """The list's lines, None for no list; the last is empty when the file ends as it should. Raises Unread."""
    try:
        return files.read(target, _LARGEST, follow=True).split(b"\n")
    except FileNotFoundError:
        return None
    except OSError as error:
        raise Unread(error.errno, error.strerror, target) from error
    except ValueError as error:
        raise Unread(None, str(error), target) from None


def _line(root: str) -> bytes:
    """A real path on one line: a folder may have a newline in its name, and must not name a second one."""
    return os.fsencode(os.path.realpath(root)).replace(b"%", b"%25").replace(b"\n", b"%0A")


def make_private(folder: str) -> None:
    """Like `os.makedirs`, but every folder that it makes is for its owner alone."""
    if not os.path.isdir(folder):
        make_private(os.path.dirname(folder))
        try:
            os.mkdir(folder, 0o700)
        except FileExistsError:  # another process was quicker, or it is a file: opening will tell
            pass
