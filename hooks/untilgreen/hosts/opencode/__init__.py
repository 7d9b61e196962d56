"""OpenCode (measured on 1.18.33), through our bridge in its process: see `hosts/bridge.py`."""

from collections.abc import Mapping

from untilgreen.core.model.event import Event
from untilgreen.core.record import Any
from untilgreen.hosts import bridge
from untilgreen.hosts.adapter import Typed
from untilgreen.hosts.reading import table_in, text_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from untilgreen.hosts.records import Closing

NAME = "opencode"


def read(payload: dict[str, Any], _env: Mapping[str, str], default_event: str = "other") -> Event:
    event = bridge.read(NAME, payload, default_event, answers=False)
    return event._replace(prompt=_unquoted(event.prompt)) if event.prompt else event


write = bridge.write


def _unquoted(prompt: str) -> str:
    """`opencode run "untilgreen:loop Mend it"` puts quotes round a word with blanks in it."""
    bare = prompt.strip()
    if not (len(bare) > 1 and bare[0] == bare[-1] == '"' and Typed().is_ours(bare[1:-1])):
        return prompt
    return bare[1:-1].replace('\\"', '"')


def read_closing(stdout: str) -> "Closing | None":
    """What came of it: the last text, and what all steps used; None where there is neither text nor error."""
    from untilgreen.hosts.records import Closing, costs, number, objects

    events = [*objects(stdout.splitlines())]
    parts = [(text_in(one, "type"), table_in(one, "part")) for one in events]
    texts = [text_in(part, "text") for kind, part in parts if kind == "text"]
    errors = [table_in(one, "error") for one in events if one.get("type") == "error"]
    if not (texts or errors):
        return None
    steps = [part for kind, part in parts if kind == "step_finish"]
    data = table_in(errors[-1], "data") if errors else {}
    return Closing(
        text=texts[-1] if texts else "",
        error=text_in(data, "message") or (text_in(errors[-1], "name") if errors else ""),
        failed=bool(errors),
        status=number(data, "statusCode"),
        tokens=sum(number(table_in(part, "tokens"), "total") for part in steps),
        cost=costs(part.get("cost") for part in steps),
    )
