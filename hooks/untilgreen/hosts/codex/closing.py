"""`codex exec --json` prints an event a line (recorded with 0.169.0)."""

from untilgreen.hosts.closing import Closing, failure, objects
from untilgreen.hosts.reading import table_in, text_in
from untilgreen.hosts.records import number


def read(stdout: str) -> Closing | None:
    """`item.completed` with an item `{"type": "agent_message", "text"}`; the turn ends as `turn.completed` with its
    `usage`, or as `turn.failed` with its `error`. An item of type "error" is a warning."""
    said, tokens, ended = "", 0, ""
    for one in objects(stdout):
        item = table_in(one, "item")
        if item.get("type") == "agent_message":
            said = text_in(item, "text")
        if one.get("type") in ("turn.completed", "turn.failed"):
            ended = str(one["type"])
            tokens += sum(number(table_in(one, "usage"), name) for name in ("input_tokens", "output_tokens"))
        if ended == "turn.failed":
            return Closing(said, failure(one)[0], failed=True, tokens=tokens)
    return Closing(said, tokens=tokens) if ended else None
