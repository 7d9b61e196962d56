"""From a payload's bytes to an event: parsed, attributed to a host and to a session's place."""

import json
from collections.abc import Mapping
from typing import NamedTuple

from untilgreen import hosts
from untilgreen.core.model import Event, Kind, Loop, Message, Place, Reply
from untilgreen.hosts.host import Host
from untilgreen.state import store
from untilgreen.state.place import STATE, find

_LARGEST = 64 * 1024 * 1024  # bytes; the largest recorded payloads are under one megabyte


class Call(NamedTuple):
    """One call of a hook executable: the payload's bytes, the environment, and the hook's own switches."""

    raw: bytes
    env: Mapping[str, str]
    options: Mapping[str, str]


class Said(NamedTuple):
    """A payload that was understood: who speaks, what, and where its state lies."""

    host: Host
    event: Event
    place: Place


class NotUnderstood(Exception):
    """The payload is not one; the text is for people."""


def understand(call: Call, default_event: str) -> Said:
    """Parse the payload and find out whose it is. Raises NotUnderstood."""
    if len(call.raw) > _LARGEST:
        raise NotUnderstood(f"the payload is larger than {_LARGEST // 2**20} MB")
    try:
        payload = json.loads(call.raw.decode("utf-8"))
    except RecursionError:
        raise NotUnderstood("the payload is nested too deeply") from None
    except ValueError as error:
        what = "is empty" if not call.raw.strip() else f"is not JSON ({error})"
        raise NotUnderstood(f"the payload {what}") from None
    if not isinstance(payload, dict):
        raise NotUnderstood(f"the payload is not a JSON object but {type(payload).__name__}")
    host = hosts.detect(payload, call.env, call.options.get("host", ""))
    event = host.read(payload, call.env, default_event)
    if not event.session and "session_id" in payload and host.name != hosts.GENERIC:
        raise NotUnderstood("the payload has no usable session_id")
    return Said(host, event, find(event, call.env, call.options.get("project", "")))


def known(said: Said) -> Loop | None:
    """What is known of the session's newest loop in this project, and of its edits. Raises store.Unreadable."""
    loop = store.read_loop(said.place.file(STATE))
    # a state folder may be shared by projects, and copied or moved with one
    ours = loop is not None and loop.session_id in ("", said.event.session) and loop.project in ("", said.place.root)
    return loop if ours else None


def running(said: Said) -> Loop | None:
    """The session's own loop of this project, if it runs. Raises store.Unreadable."""
    loop = known(said)
    return loop if loop is not None and loop.active and loop.mode == "loop" else None


def notice(text: str, said: Said | Call, event: str = "other") -> Reply:
    """One line to whoever reads the host's messages. Where the payload was none: to the host that was named, and
    `event` is what it must have been."""
    one_line = Message(notice=f"untilgreen: {' '.join(text.split())}")
    if isinstance(said, Said):
        return speak(said, "allow", one_line)
    name = said.options.get("host", "") or hosts.DEFAULT
    return hosts.get(name).write(Event(event, name), "allow", one_line)


def context(said: Said, text: str) -> Reply:
    """A line for the model beside the prompt, or at the beginning of the session."""
    return speak(said, "context", Message(text))


def refusal(said: Said, text: str) -> Reply:
    """The prompt is not sent; its user sees why."""
    return speak(said, "refuse", Message(f"untilgreen: {text}"))


def speak(said: Said, verdict: Kind, message: Message) -> Reply:
    """The host's words for it."""
    return said.host.write(said.event, verdict, message)
