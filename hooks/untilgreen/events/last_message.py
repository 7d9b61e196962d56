"""What the agent says of its own work: the marker that closes its last message."""

from untilgreen import hosts
from untilgreen.core import markers
from untilgreen.core.markers import Marker
from untilgreen.core.model import Event, Place, Settings
from untilgreen.events.payload import Call
from untilgreen.state import log

_SECONDS = 2.0  # for patterns of the user's own


def marker_of(call: Call, settings: Settings) -> Marker | None:
    """The marker that closes the agent's last message. A pattern of the user's own that takes too long finds none."""
    message = message_of(call.event, call.place)
    promise = settings.completion_promise
    patterns = settings.success_regex, settings.blocked_regex
    if not any(patterns):
        return markers.find(message, promise)
    from untilgreen.checkers import time_limit

    try:
        with time_limit.within(_SECONDS, "success_regex and blocked_regex took too long on the agent's message"):
            return markers.find(message, promise, *patterns)
    except time_limit.TooLong as error:
        log.write(call.place.base, str(error))
        return markers.find(message, promise)


def message_of(event: Event, place: Place) -> str:
    """The agent's last message. Only where the host sends no such key is it looked for elsewhere."""
    if event.message is not None:
        return event.message
    if event.messages is not None:
        return event.messages[-1] if event.messages else ""
    if not event.transcript:
        return ""
    try:
        return hosts.get(event.host).last_message(event.transcript) or ""
    except OSError as error:
        log.write(place.base, f"transcript not read: {error}")
        return ""
