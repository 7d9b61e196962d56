"""What `pi -p --mode json` prints: an event a line; `message_end` has each message of the model when it is whole."""

from untilgreen.hosts.closing import Closing, objects
from untilgreen.hosts.reading import objects_in, table_in, text_in
from untilgreen.hosts.records import number


def read(stdout: str) -> Closing | None:
    """What came of it: the last message, and what all of them used; None where the model said nothing."""
    ended = (table_in(one, "message") for one in objects(stdout) if one.get("type") == "message_end")
    said = [message for message in ended if message.get("role") == "assistant"]
    if not said:
        return None
    usage = [table_in(message, "usage") for message in said]
    costs = [table_in(one, "cost").get("total") for one in usage]
    known = [float(cost) for cost in costs if isinstance(cost, int | float) and type(cost) is not bool]
    failed = text_in(said[-1], "stopReason") in ("error", "aborted")
    return Closing(
        text="\n".join(text_in(block, "text") for block in objects_in(said[-1].get("content")) if "text" in block),
        error=text_in(said[-1], "errorMessage") if failed else "",
        failed=failed,
        tokens=sum(number(one, "totalTokens") for one in usage),
        cost=sum(known) if known else None,
    )
