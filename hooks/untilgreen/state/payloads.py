"""The shapes of payloads, for bug reports and tests of hosts: `UNTILGREEN_KEEP_PAYLOADS=DIR`.

`DIR/NNN-EVENT.json` is `{"executable", "stdin"}`: the payload with its keys, of each text only its length, of each
number only its kind. Nothing that a person, an agent or a tool wrote is in it.
"""

import json
import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_MOST = 200  # payloads that are kept
_LARGEST = 1_000_000  # bytes of one; a larger one is left out
_KEY = 40  # characters of a key that a host may have written


def keep(folder: str, name: str, raw: bytes, base: str) -> None:
    """Keep the shape of one call of the executable `name`. What fails is in the log of the state folder `base`."""
    try:
        payload = json.loads(raw[:_LARGEST].decode("utf-8", "replace"))
        event = payload.get("hook_event_name") if isinstance(payload, dict) else None
        os.makedirs(folder, mode=0o700, exist_ok=True)
        kept = {"executable": name, "stdin": _shape(payload)}
        word = event if isinstance(event, str) and event.isalnum() else "unknown"
        with os.fdopen(_next(folder, word), "w", encoding="utf-8") as file:
            file.write(json.dumps(kept, indent=1) + "\n")
    except (OSError, ValueError, RecursionError) as error:
        from untilgreen.state import log

        log.write(base, f"a payload was not kept: {error}")


def _next(folder: str, event: str) -> int:
    """A new file under the next number that is free, as a descriptor. Raises OSError."""
    for number in range(len(os.listdir(folder)) + 1, _MOST + 1):
        try:
            path = os.path.join(folder, f"{number:03d}-{event}.json")
            return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        except FileExistsError:  # another call was quicker
            continue
    raise OSError(f"{folder} holds {_MOST} payloads")


def _shape(value: "Any") -> "Any":
    if isinstance(value, dict):
        known = {key: key if key.isidentifier() and len(key) <= _KEY else f"<{len(key)} characters>" for key in value}
        return {known[key]: _shape(one) for key, one in value.items()}
    if isinstance(value, list):
        return [_shape(one) for one in value]
    if isinstance(value, str):
        return f"<{len(value)} characters>"
    return value if value is None or isinstance(value, bool) else type(value)()
