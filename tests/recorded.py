"""The recorded calls of real hosts (`payloads/HOST/VERSION/*.json`), and what their adapters read in them."""

import json
from pathlib import Path
from typing import Any, NamedTuple

from outcomes import as_data
from untilgreen import hosts

PAYLOADS = Path(__file__).parent / "payloads"


class Recorded(NamedTuple):
    """One recorded call of a host."""

    name: str
    host: str
    event: str
    env: dict[str, str]
    payload: dict[str, Any]


def _read(path: Path) -> Recorded:
    call = json.loads(path.read_text(encoding="utf-8"))
    return Recorded(path.stem, path.parts[-3], call["event"], call["env"], json.loads(call["stdin"]))


CALLS = [_read(path) for path in sorted(PAYLOADS.glob("*/*/*.json"))]
HOSTS = sorted({call.host for call in CALLS})


def named(host: str, name: str) -> Recorded:
    return next(call for call in CALLS if (call.host, call.name) == (host, name))


def event(call: Recorded) -> str:
    """What the host's adapter reads, as JSON without what is empty."""
    found = hosts.get(call.host).read(call.payload, {"HOME": "/tmp/home", **call.env}, "other")
    return f"{json.dumps(as_data(found), indent=1, ensure_ascii=False)}\n"


def events(host: str) -> Path:
    """The archive of what is to be read in the host's payloads."""
    return PAYLOADS / host / "events.txt"
