"""Any host without an adapter of its own: let it go, and say so at most once.

Nothing is printed that a host could take for a decision: on one of them `continue: false` makes the agent go on, on
another a single unknown key makes the whole answer invalid, on a third exit 2 is a mere warning.
"""

import json
from collections.abc import Mapping

from untilgreen.core.document import well_formed
from untilgreen.core.model.event import Event, Kind, Message, Reply
from untilgreen.core.record import Any

NAME = "generic"
_EVENTS = {
    "Stop": "stop",
    "stop": "stop",
    "agentStop": "stop",
    "AfterAgent": "stop",
    "UserPromptSubmit": "prompt",
    "BeforeAgent": "prompt",
    "SessionStart": "session-start",
    "SessionEnd": "session-end",
}


def read(payload: dict[str, Any], _env: Mapping[str, str], default_event: str = "other") -> Event:
    """The event's name and nothing else: without a session no state is ever found for it."""
    name = payload.get("hook_event_name")
    if not isinstance(name, str):
        return Event(default_event, NAME)
    return Event(_EVENTS.get(name, "other"), NAME)


def write(_event: Event, _verdict: Kind, message: Message) -> Reply:
    """Exit 0 whatever the verdict; the notice, if there is one, as the message to the user that most hosts know."""
    return Reply(stdout=json.dumps({"systemMessage": well_formed(message.notice)})) if message.notice else Reply()
