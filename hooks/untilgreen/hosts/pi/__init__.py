"""Pi (measured on 0.87.1), through our bridge in its process: see `hosts/bridge.py`."""

from collections.abc import Mapping

from untilgreen.core.model.event import Event
from untilgreen.core.record import Any
from untilgreen.hosts import bridge
from untilgreen.hosts.reading import objects_in, table_in, text_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from untilgreen.hosts.records import Closing

NAME = "pi"


def read(payload: dict[str, Any], _env: Mapping[str, str], default_event: str = "other") -> Event:
    return bridge.read(NAME, payload, default_event, answers=True)


write = bridge.write


def read_closing(stdout: str) -> "Closing | None":
    """What came of it: the last message, and what all of them used; None where the model said nothing."""
    from untilgreen.hosts.records import Closing, costs, number, objects

    ended = (table_in(one, "message") for one in objects(stdout.splitlines()) if one.get("type") == "message_end")
    said = [message for message in ended if message.get("role") == "assistant"]
    if not said:
        return None
    usage = [table_in(message, "usage") for message in said]
    failed = text_in(said[-1], "stopReason") in ("error", "aborted")
    return Closing(
        text="\n".join(text_in(block, "text") for block in objects_in(said[-1].get("content")) if "text" in block),
        error=text_in(said[-1], "errorMessage") if failed else "",
        failed=failed,
        tokens=sum(number(one, "totalTokens") for one in usage),
        cost=costs(table_in(one, "cost").get("total") for one in usage),
    )
