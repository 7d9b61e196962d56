"""What `opencode run --format json` prints: an event a line; `text` and `step_finish` have a part of a message."""

from untilgreen.hosts.closing import Closing, objects
from untilgreen.hosts.reading import table_in, text_in
from untilgreen.hosts.records import number


def read(stdout: str) -> Closing | None:
    """What came of it: the last text, and what all steps used; None where there is neither text nor error."""
    events = [*objects(stdout)]
    parts = [(text_in(one, "type"), table_in(one, "part")) for one in events]
    texts = [text_in(part, "text") for kind, part in parts if kind == "text"]
    errors = [table_in(one, "error") for one in events if one.get("type") == "error"]
    if not (texts or errors):
        return None
    steps = [part for kind, part in parts if kind == "step_finish"]
    costs = [part.get("cost") for part in steps]
    known = [float(cost) for cost in costs if isinstance(cost, int | float) and type(cost) is not bool]
    data = table_in(errors[-1], "data") if errors else {}
    return Closing(
        text=texts[-1] if texts else "",
        error=text_in(data, "message") or (text_in(errors[-1], "name") if errors else ""),
        failed=bool(errors),
        status=number(data, "statusCode"),
        tokens=sum(number(table_in(part, "tokens"), "total") for part in steps),
        cost=sum(known) if known else None,
    )
