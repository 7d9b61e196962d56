"""Pi (measured on 0.87.1), through our bridge in its process: see `hosts/bridge.py`."""

from collections.abc import Mapping
from typing import Any

from untilgreen.core.model.event import Event
from untilgreen.hosts import bridge

NAME = "pi"


def read(payload: dict[str, Any], _env: Mapping[str, str], default_event: str = "other") -> Event:
    """What the host says."""
    return bridge.read(NAME, payload, default_event, answers=True)


write = bridge.write
