"""When a host last called each of our executables: the time of `called/NAME`, or `called/NAME@HOST`.

In stop-loop's file is a line where the call ended before its payload was understood: "7 SESSION why", with the step of
the verdict that let go (0: the payload was none). Imports only `os` and what that loads, and never fails: where nothing
can be written nothing is known later.
"""

import os

from untilgreen import hosts
from untilgreen.project import files
from untilgreen.state.place import base_here

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    Ended = tuple[int, str]

FOLDER = "called"
# step and reason of a call that has nothing to do
NOTHING = (7, "nobody began a loop, and no file is known that the session wrote")


def of(name: str, host: str) -> str:
    """What the mark of an executable is called for a host."""
    return name if host in ("", hosts.DEFAULT) else f"{name}@{host}"


def mark(
    name: str, raw: bytes, env: "Mapping[str, str]", base: str, ended: "Ended | None" = None, host: str = ""
) -> None:
    """Leave the mark of a host's call of an executable. `ended`: step and reason where it ends early."""
    session = hosts.session(env, host)
    # a person who types a payload has no session, and names no host; the doctor gives no payload. Switched off we may
    # run in one of our own checks, in the environment of the host that waits for it, with another session's payload;
    # where the host names no session there, the mark is older than what that stop writes at its end
    sign = session.encode("utf-8", "replace") or (b'"session_id"' if host in ("", hosts.DEFAULT) else b"{")
    if sign not in raw:
        return
    line = _line(*ended, session or _named(raw)) if ended and name == "stop-loop" else ""
    _write(base, of(name, host), line)


def misunderstood(why: str, env: "Mapping[str, str]", given: str = "", host: str = "") -> None:
    """Leave the mark of a host's stop whose payload was none, and why. Who calls by hand is told it there and then."""
    session, project = hosts.session(env, host), hosts.project(env, host)
    if session or project:
        _write(base_here(env, given, host), of("stop-loop", host), _line(0, why, session))


def _line(step: int, why: str, session: str) -> str:
    return f"{step} {''.join(session.split())} {' '.join(why.split())}\n"


def _named(raw: bytes) -> str:
    """The session that the payload names, seen without parsing it."""
    value = raw.partition(b'"session_id"')[2].lstrip(b" \t\r\n:")
    return value[1:101].partition(b'"')[0].decode("utf-8", "replace") if value[:1] == b'"' else ""


def _write(base: str, name: str, line: str) -> None:
    try:
        if not os.path.isdir(base):
            return
        folder = os.path.join(base, FOLDER)
        if not os.path.isdir(folder):
            os.mkdir(folder, 0o700)
        path = os.path.join(folder, name)
        with open(path, "wb", 0, opener=files.opened) as file:
            os.utime(path)  # a file that was empty, and stays it, need not be touched by being opened
            file.write(line.encode("utf-8", "replace"))
    except (OSError, ValueError):
        pass
