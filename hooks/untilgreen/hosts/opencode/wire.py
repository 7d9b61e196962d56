"""OpenCode (measured on 1.18.33), through our bridge in its process: see `hosts/bridge.py`."""

from collections.abc import Mapping
from typing import Any

from untilgreen.core.model.event import Event
from untilgreen.hosts import bridge, typed

NAME = "opencode"


def read(payload: dict[str, Any], _env: Mapping[str, str], default_event: str = "other") -> Event:
    """What the host says."""
    event = bridge.read(NAME, payload, default_event, answers=False)
    return event._replace(prompt=_unquoted(event.prompt)) if event.prompt else event


write = bridge.write


def _unquoted(prompt: str) -> str:
    """`opencode run "untilgreen:loop Mend it"` puts quotes round a word with blanks in it."""
    bare = prompt.strip()
    if not (len(bare) > 1 and bare[0] == bare[-1] == '"' and typed.is_ours(bare[1:-1])):
        return prompt
    return bare[1:-1].replace('\\"', '"')
