"""`--output-format json` closes with a list of documents on one line (recorded with 0.24.4)."""

from untilgreen.hosts.closing import Closing, failure, objects, result
from untilgreen.hosts.reading import objects_in, table_in, text_in
from untilgreen.hosts.records import number


def read(stdout: str) -> Closing | None:
    """`{"type": "result", "result", "is_error", "error"?: {"message"}, "usage": {"total_tokens"}}`, the last of them.

    `result` is all that the agent said, one text right behind the other; what it said last is the last document of
    `type` "assistant".
    """
    found = result(stdout)
    if found is None:
        return None
    said = [table_in(one, "message").get("content") for one in objects(stdout) if one.get("type") == "assistant"]
    texts = ["".join(text_in(block, "text") for block in objects_in(content)) for content in said]
    error, status = failure(found)
    return Closing(
        text=next(filter(None, reversed(texts)), text_in(found, "result")),
        error=error,
        failed=bool(found.get("is_error")),
        status=status,
        tokens=number(table_in(found, "usage"), "total_tokens"),
    )
