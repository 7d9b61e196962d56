"""The shapes of payloads, kept as fixtures (`untilgreen record`).

`recorded/NNN-EVENT.json` in the state folder, while there is a file `recorded/on` (it holds the salt that ids are mixed
with):

    {"event", "executable", "options": {"host", "deadline"} as it was called with them, "env": the host's own variables,
     "stdin": the payload's shape as text}
"""

import json
import os
from collections.abc import Mapping

from untilgreen import hosts
from untilgreen.core.shape import Origin, length, merged, shape
from untilgreen.project import files
from untilgreen.state import call_marks, log
from untilgreen.state.place import root_of

SWITCH = "on"
MOST = 200  # payloads that are kept
LARGEST = 1_000_000  # bytes of one; larger ones are left out


def keep(base: str, name: str, raw: bytes, env: Mapping[str, str], options: Mapping[str, str]) -> None:
    """Keep one call of the executable `name` with these options. Never fails: what goes wrong is in the log."""
    if len(raw) > LARGEST:
        return
    folder = os.path.join(base, call_marks.RECORDED)
    try:
        with open(os.path.join(folder, SWITCH), encoding="utf-8", opener=files.opened) as file:
            salt = file.read(64).strip()
        root = root_of(env)
        event, text = fixture(name, raw, env, root, salt, options)
        add(folder, event, text)
    except Exception as error:  # noqa: BLE001 a fixture is no reason to disturb a session
        log.write(base, f"a payload was not recorded: {error!r}")


def fixture(
    name: str, raw: bytes, env: Mapping[str, str], root: str, salt: str, options: Mapping[str, str]
) -> tuple[str, str]:
    """The event's name, and the shape of the call, in JSON."""
    text = raw.decode("utf-8", "replace")
    vocabulary, origin = merged(hosts.get(host).vocabulary() for host in hosts.ADAPTERS), Origin(root, salt)
    payload = None
    try:
        payload = shape(json.loads(text), vocabulary, origin)
        stdin = json.dumps(payload, separators=(",", ":"))
    except (ValueError, RecursionError):  # no JSON, or nested too deeply
        stdin = length(text)
    event = payload.get("hook_event_name") if isinstance(payload, dict) else None
    environment = shape({key: env[key] for key in variables() if key in env}, vocabulary, origin)
    kept = {"event": event, "executable": name, "options": told(options), "env": environment, "stdin": stdin}
    return event if isinstance(event, str) and event.isalnum() else "unknown", json.dumps(kept, indent=1) + "\n"


def told(options: object) -> dict[str, str]:
    """Of the options of a call those that say nothing of a person's project: a known host, and a deadline."""
    given = options if isinstance(options, Mapping) else {}
    host, deadline = (str(given.get(name, "")) for name in ("host", "deadline"))
    known = {"host": host if host in hosts.ADAPTERS else "", "deadline": deadline if _is_deadline(deadline) else ""}
    return {name: value for name, value in known.items() if value}


def _is_deadline(text: str) -> bool:
    return text.isascii() and text.replace(".", "", 1).isdecimal() and float(text) >= 1


def variables() -> tuple[str, ...]:
    """The variables by which hosts are known."""
    return tuple(name for host in hosts.ADAPTERS for name in hosts.get(host).facts.known_by)


def numbered(folder: str) -> list[tuple[int, str]]:
    """The recorded calls, oldest first: number and file name. Raises OSError."""
    names = (name for name in os.listdir(folder) if name.endswith(".json"))
    return sorted((int(name.partition("-")[0]), name) for name in names if name.partition("-")[0].isdecimal())


def add(folder: str, event: str, text: str) -> str:
    """Write a fixture under the next number that is free; its path. The oldest ones go. Raises OSError."""
    there = numbered(folder)
    number = there[-1][0] + 1 if there else 1
    while True:
        path = os.path.join(folder, f"{number:03d}-{event}.json")
        try:
            fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            break
        except FileExistsError:  # another call was quicker
            number += 1
    with open(fd, "w", encoding="utf-8") as file:
        file.write(text)
    for _, name in there[: max(0, len(there) + 1 - MOST)]:
        try:
            os.unlink(os.path.join(folder, name))
        except FileNotFoundError:
            continue  # another call was quicker
    return path
