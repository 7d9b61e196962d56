"""`--output-format json` prints the session's events, a line each, and closes with
`{"type": "result", "sessionId", "exitCode", "usage"}` (measured on 1.0.102)."""

from untilgreen.hosts.closing import Closing, objects
from untilgreen.hosts.reading import table_in, text_in


def read(stdout: str) -> Closing | None:
    """The main agent's last message, or the last error; tokens are told on the record alone."""
    text, error, closed = "", "", None
    for one in objects(stdout):
        data = table_in(one, "data")
        if one.get("type") == "assistant.message" and not one.get("agentId"):
            text, error = text_in(data, "content") or text, ""
        elif one.get("type") == "session.error":
            error = text_in(data, "message")
        elif one.get("type") == "result":
            closed = one
    if closed is None:
        return None
    failed = closed.get("exitCode") != 0
    return Closing(text=text, error=error if failed else "", failed=failed)
