"""Which entries of a file of hooks its user trusted: the host runs no other.

It asks at its start (`Hooks need review`) or in `/hooks`, and notes in `config.toml` of `$CODEX_HOME`
`[hooks.state."FILE:EVENT:GROUP:ENTRY"]`, numbers from 0, with a `trusted_hash`, and `enabled = false` for what was
switched off. The hash is one of what the entry says: an entry that changes, or moves, is asked about again. Values in,
values out.
"""

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from untilgreen.hosts.hook_groups import hooks_of

_SHORT = ("SessionEnd", "Interrupt")  # events whose hooks have 1 second, at most 3; those of others have ten minutes
_UNMATCHED = ("Stop", "UserPromptSubmit", "Interrupt")  # events whose matcher is ignored


def hashes(path: str, settings: Mapping[str, Any]) -> dict[str, str]:
    """Key to hash of each entry of the file at `path`, as the host notes them once they are trusted."""
    return {key: hashed(event, group, entry) for key, event, group, entry in keyed(path, settings)}


def keyed(path: str, settings: Mapping[str, Any]) -> Iterator[tuple[str, str, dict[str, Any], dict[str, Any]]]:
    """Key, event, group and entry of each command in the file at `path`."""
    events = settings.get("hooks")
    for event, groups in events.items() if isinstance(events, dict) else ():
        for number, group in enumerate(groups if isinstance(groups, list) else ()):
            for at, entry in enumerate(hooks_of(group)):
                if isinstance(entry, dict) and entry.get("type") == "command":
                    yield f"{path}:{_label(event)}:{number}:{at}", event, group, entry


def hashed(event: str, group: Mapping[str, Any], entry: Mapping[str, Any]) -> str:
    """Of the entry by itself in its group, with what it does not say filled in (measured: 0.169.0)."""
    command = {"type": "command", "command": entry.get("command"), "timeout": _seconds(event, entry), "async": False}
    command |= {key: entry[key] for key in ("async", "statusMessage", "additionalContextLimit") if key in entry}
    matcher = {"matcher": group["matcher"]} if event not in _UNMATCHED and "matcher" in group else {}
    said = {"event_name": _label(event), **matcher, "hooks": [command]}
    text = json.dumps(said, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"


def _seconds(event: str, entry: Mapping[str, Any]) -> int:
    given = entry.get("timeout")
    seconds = given if type(given) is int else 1 if event in _SHORT else 600
    return max(1, min(seconds, 3) if event in _SHORT else seconds)


def _label(event: str) -> str:
    """As the host's notes name an event: `PostToolUse` is `post_tool_use`."""
    return re.sub("(?<=[a-z])(?=[A-Z])", "_", event).lower()
