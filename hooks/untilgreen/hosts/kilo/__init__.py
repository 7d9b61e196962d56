"""Kilo Code CLI (measured on 7.7.9): a fork of OpenCode, with the same bridge and what it prints at its end."""

from collections.abc import Mapping

from untilgreen.core.model.event import Event
from untilgreen.core.record import Any
from untilgreen.hosts import opencode

NAME = "kilo"


def read(payload: dict[str, Any], env: Mapping[str, str], default_event: str = "other") -> Event:
    return opencode.read(payload, env, default_event)._replace(host=NAME)


write, read_closing = opencode.write, opencode.read_closing
