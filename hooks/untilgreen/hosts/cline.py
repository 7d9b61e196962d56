"""Cline CLI (measured on 3.0.65): a hook of it that takes longer than three seconds ends the run, so `untilgreen run`
starts it anew for each round; with `--id` it drops the prompt and wants a terminal. It closes with a line
`{"type": "run_result", "finishReason", "text", "usage"}`.
"""

from untilgreen.hosts import generic
from untilgreen.hosts.reading import table_in, text_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from untilgreen.hosts.records import Closing

NAME = "cline"
read, write = generic.read, generic.write


def read_closing(stdout: str) -> "Closing | None":
    from untilgreen.hosts.records import Closing, costs, number, objects

    ended = [one for one in objects(stdout.splitlines()) if one.get("type") == "run_result"]
    if not ended:
        return None
    used, why = table_in(ended[-1], "usage"), text_in(ended[-1], "finishReason")
    return Closing(
        text=text_in(ended[-1], "text"),
        error="" if why == "completed" else why,
        failed=why != "completed",
        tokens=number(used, "inputTokens") + number(used, "outputTokens"),
        cost=costs([used.get("totalCost")]),
    )
