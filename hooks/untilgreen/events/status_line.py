"""The status line: one line about this session's loop.

The host calls it at its start, after turns and every few seconds, and shows what it prints. It
only looks: it takes no lock, and state that cannot be read is for others to put aside. A fault is silence.
"""

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

_SHORTLY = 600.0  # seconds for which a loop's end is told
_CHECKS = "/proc/locks"


def main() -> None:
    """Print the line for the payload on stdin. Ends the process."""
    raw = sys.stdin.buffer.read() if sys.stdin else b""
    line = "" if os.environ.get("UNTILGREEN_DISABLE") == "1" else shown(raw, os.environ)
    try:
        if line and sys.stdout:
            sys.stdout.buffer.write(line.encode("utf-8", "replace") + b"\n")
            sys.stdout.buffer.flush()
    except OSError:
        pass  # the host has gone
    os._exit(0)


def shown(raw: bytes, env: "Mapping[str, str]") -> str:
    """The line for this payload, "" where there is nothing to say."""
    try:
        from untilgreen import hosts
        from untilgreen.state import place

        if hosts.project(env) and not os.path.isdir(place.base_of(place.root_of(env), env)):
            return ""  # most sessions of a user's own status line: a project that has no state at all
        import json
        import time

        payload = json.loads(raw.decode("utf-8", "replace"))
        return _line(payload, env, time.time())
    except Exception:  # noqa: BLE001 a line that is redrawn every few seconds is no place for a fault
        return ""


def _line(payload: "Mapping[str, Any]", env: "Mapping[str, str]", now: float) -> str:
    from untilgreen.core import brief
    from untilgreen.state.place import EDITS, SESSION, STATE, base_of, of, root_of

    session = payload.get("session_id")
    if not isinstance(session, str) or not session:
        return ""
    workspace = payload.get("workspace")
    folder = workspace.get("project_dir") if isinstance(workspace, dict) else None
    root = root_of(env, cwd=str(folder or payload.get("cwd") or ""))
    place = of(root, base_of(root, env), session)
    loop = _loop(place.file(STATE), root, session)
    held = _loop(place.file(EDITS), root, session).get("turn")
    if loop.get("active"):
        turn = _read(place.file(SESSION)).get("turn_started")
        seconds = elapsed(loop, _seconds(turn), now)
        return brief.running(loop, seconds, checking=is_held(place.file("stop.lock")))
    if isinstance(held, dict) and held.get("active"):
        return brief.running(held, 0.0, checking=is_held(place.file("stop.lock")), auto=True)
    return _waiting(os.path.join(place.base, "next"), root) or _ended(loop, now)


def elapsed(loop: "Mapping[str, Any]", turn_started: float, now: float) -> float:
    """Seconds of work, the running round with them: a stop adds them up in the same way.

    After a stop that was allowed the agent rests until the next prompt. The state then holds a round that began when
    nothing was started, counted or bound.
    """
    from untilgreen.state import clock

    began, turn_started = _seconds(loop.get("round_started")), _seconds(turn_started)
    known = [loop.get(name) for name in ("started_at", "last_iteration_at", "updated_at")]
    rests = (turn_started <= began and clock.iso(began) not in known) or loop.get("status") == "paused"
    since = 0.0 if rests else max(began, turn_started)
    return _seconds(loop.get("elapsed_seconds")) + (max(0.0, now - since) if since else 0.0)


def _seconds(value: object) -> float:
    """A time as it was read; 0 for what cannot be one."""
    from untilgreen.core.brief import LONGEST

    return float(value) if isinstance(value, int | float) and 0 <= value < LONGEST else 0.0


def _ended(loop: "Mapping[str, Any]", now: float) -> str:
    from untilgreen.core import brief
    from untilgreen.state import clock

    at = loop.get("ended_at")
    return brief.ended(loop) if isinstance(at, str) and clock.iso(now - _SHORTLY) < at else ""


def _waiting(folder: str, root: str) -> str:
    try:
        names = sorted(name for name in os.listdir(folder) if name.endswith(".json"))
    except OSError:
        return ""
    found = any(_loop(os.path.join(folder, name), root).get("active") for name in names)
    return "Ralph Loop waiting · starts with the next prompt" if found else ""


def _loop(path: str, root: str, session: str = "") -> "dict[str, Any]":
    """A document of this project and session as it lies there, empty without one that this version knows."""
    from untilgreen.core.model.loop import SCHEMA_VERSION

    loop = _read(path)
    known = loop.get("schema_version") == SCHEMA_VERSION and loop.get("project") in ("", root)
    return loop if known and (not session or loop.get("session_id") in ("", session)) else {}


def _read(path: str) -> "dict[str, Any]":
    from untilgreen.state import store

    try:
        found = store.read_json(path)
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def is_held(path: str) -> bool:
    """Whether a process holds the lock file, by what Linux says: to try the lock would keep a stop from it."""
    try:
        status = os.stat(path)
        name = f"{os.major(status.st_dev):02x}:{os.minor(status.st_dev):02x}:{status.st_ino}"
        with open(_CHECKS, encoding="ascii") as file:
            return any(name in line.split() for line in file)
    except (OSError, ValueError):
        return False


if __name__ == "__main__":
    # run as a file, with -I: the package's parent comes before site-packages, after the standard library
    here = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
    sys.path.insert(next((i for i, p in enumerate(sys.path) if p.endswith("-packages")), len(sys.path)), here)
    main()
