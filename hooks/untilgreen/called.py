"""When a host last called each of our executables: `called/NAME` in the state folder, whose time is that of the call.

In stop-loop's file is a line where the call ended before its payload was parsed, empty otherwise: "7 SESSION why",
with the step of the verdict that let go. Imports only `os`, as every call of a host comes by here, and never fails:
where nothing can be written (a full disk, a read-only folder) nothing is known later.
"""

import os

from untilgreen import project

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

FOLDER = "called"
RECORDED = "recorded"  # while there is a file `on` in this folder, payloads are kept in it


def mark(name: str, raw: bytes, env: "Mapping[str, str]", given: str = "", ended: str = "") -> None:
    """Leave the mark of a host's call of the executable `name`, and keep its payload where somebody asked for that.

    `given`: the project by `--project`; `ended`: step and reason where the call ends early.
    """
    session = env.get("CLAUDE_CODE_SESSION_ID", "")
    # who types a payload has no session. Switched off we may run in one of our own checks, in the environment of the
    # host that waits for it, but with another session's payload
    sign = session.encode("utf-8", "replace") if session or ended[:1] == "1" else b'"session_id"'
    if not sign or sign not in raw:
        return
    try:
        base = _base(given or env.get("CLAUDE_PROJECT_DIR", "") or os.getcwd(), env)
        if not os.path.isdir(base):
            return
        step, _, why = ended.partition(" ")
        line = f"{step} {''.join(session.split())} {why}\n" if ended and name == "stop-loop" else ""
        _write(os.path.join(base, FOLDER), name, line)
        if os.path.exists(os.path.join(base, RECORDED, "on")):
            from untilgreen import recording

            recording.keep(base, name, raw, env)
    except (OSError, ValueError):
        pass


def _base(start: str, env: "Mapping[str, str]") -> str:
    """The state folder, where it is seen without parsing anything; else as `store` finds it."""
    root = project.top(start)
    base = os.path.join(root, env.get("UNTILGREEN_STATE_DIR", "") or ".untilgreen")
    try:
        with open(os.path.join(base, "config.json"), "rb") as file:
            moved = b'"state_dir"' in file.read()
    except OSError:
        return base
    if not moved:
        return base
    from untilgreen import store

    return store.base_of(root, env)


def _write(folder: str, name: str, line: str) -> None:
    path = os.path.join(folder, name)
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_NOFOLLOW", 0)
    try:
        fd = os.open(path, flags, 0o600)
    except FileNotFoundError:
        os.mkdir(folder, 0o700)
        fd = os.open(path, flags, 0o600)
    try:
        os.utime(path)  # a file that was empty, and stays it, need not be touched by being opened
        os.write(fd, line.encode("utf-8", "replace"))
    finally:
        os.close(fd)
