"""Toy 1.0.

In: `{"what", "conversation", "folder", "text"?, "again"?, "files"?: [{"path", "was"}]}`. Out: `{"go_on", "tell_model"?,
"tell_user"?}`, always exit 0; a prompt is sent if it may go on.
"""

import json
from collections.abc import Mapping
from typing import Any

from untilgreen.core.document import well_formed
from untilgreen.core.model.event import Edit, Event, Kind, Message, Reply
from untilgreen.hosts.reading import objects_in, text_in

NAME = "toy"
_HOLDS = 2  # stops of a turn that it lets be held
_EVENTS = {"turn_done": "stop", "user_said": "prompt", "wrote": "edit", "hello": "session-start", "bye": "session-end"}


def read(payload: dict[str, Any], _env: Mapping[str, str], default_event: str = "other") -> Event:
    """What the host says."""
    name = _EVENTS.get(text_in(payload, "what"), "other") if "what" in payload else default_event
    return Event(
        name=name,
        host=NAME,
        session=text_in(payload, "conversation"),
        cwd=text_in(payload, "folder"),
        prompt=text_in(payload, "text") if name == "prompt" else "",
        message=text_in(payload, "text") if name == "stop" else None,
        turn_goes_on=payload.get("again") is True,
        most_holds=_HOLDS,
        edits=tuple(Edit(text_in(one, "path"), text_in(one, "was")) for one in objects_in(payload.get("files"))),
    )


def write(event: Event, verdict: Kind, message: Message) -> Reply:
    """The exact answer to this event."""
    to_user, to_model = message.notice, message.text
    if verdict in ("release", "refuse"):
        to_user, to_model = message.text, ""
    goes_on = verdict == "continue" if event.name == "stop" else verdict != "refuse"
    told = {"tell_model": well_formed(to_model), "tell_user": well_formed(to_user)}
    if verdict == "allow" and not to_user:
        return Reply()
    return Reply(stdout=json.dumps({"go_on": goes_on} | {key: text for key, text in told.items() if text}))
