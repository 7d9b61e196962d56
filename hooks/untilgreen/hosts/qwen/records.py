"""The chat log of Qwen Code (0.24.4): `projects/PROJECT/chats/SESSION.jsonl`, and of each sub-agent
`projects/PROJECT/subagents/SESSION/agent-ID.jsonl`.

Lines: `{"uuid", "timestamp", "type": "user" | "assistant" | "tool_result", "message": {"parts"}}`; an assistant's has
`model` and `usageMetadata`, a result `toolCallResult: {"callId", "status"}`. A hold's text is not written down.

`--output-format json` closes with a list of documents on one line (recorded with 0.24.4).
"""

import os
from collections.abc import Iterator, Mapping, Sequence

from untilgreen.core.model.event import Act
from untilgreen.core.model.snapshot import ReadSoFar
from untilgreen.core.record import Any
from untilgreen.hosts import gemini_tools, records
from untilgreen.hosts.qwen import EDIT_TOOLS
from untilgreen.hosts.reading import objects_in, table_in, text_in
from untilgreen.hosts.records import LogLine


def _read(record: dict[str, Any]) -> LogLine | None:
    kind, id_, at = text_in(record, "type"), text_in(record, "uuid"), text_in(record, "timestamp")
    parts = objects_in(table_in(record, "message").get("parts"))
    if kind == "user":
        return LogLine("user", id_, at)
    if kind == "tool_result":
        result = table_in(record, "toolCallResult")
        failed = (text_in(result, "callId"),) if text_in(result, "status") == "error" else ()
        return LogLine("tool", id_, at, failed=failed)
    if kind != "assistant":
        return None
    calls: dict[str, Act] = {}
    for call in (table_in(part, "functionCall") for part in parts):
        act = records.did(at, text_in(call, "name"), table_in(call, "args"), EDIT_TOOLS, gemini_tools.SHELL)
        calls |= {text_in(call, "id"): act} if act else {}
    text = "\n".join(text_in(part, "text") for part in parts if "text" in part and not part.get("thought"))
    counters = table_in(record, "usageMetadata")
    names = ("promptTokenCount", "cachedContentTokenCount", "candidatesTokenCount", "thoughtsTokenCount")
    used = records.tokens(counters, *names) if counters else None
    return LogLine("model", id_, at, text_in(record, "model"), text, used, calls)


LOG = records.Log(_read)
last_message = LOG.last_message


def files(path: str) -> Iterator[str]:
    """The log, then those of its sub-agents."""
    yield path
    session = os.path.basename(path).removesuffix(".jsonl")
    agents = os.path.join(os.path.dirname(os.path.dirname(path)), "subagents", session)
    names = sorted(os.listdir(agents)) if os.path.isdir(agents) else ()
    yield from (os.path.join(agents, name) for name in names if name.endswith(".jsonl"))


def acts(path: str) -> tuple[Act, ...]:
    return LOG.acts(files(path))


def usage(path: str, sessions: Sequence[str], before: Mapping[str, ReadSoFar], since: str) -> dict[str, ReadSoFar]:
    folder, top = os.path.dirname(path), os.path.dirname(os.path.dirname(path))
    mains = (path, *(os.path.join(folder, f"{os.path.basename(one)}.jsonl") for one in sessions))
    return LOG.usage({os.path.relpath(log, top): log for main in mains for log in files(main)}, before, since)


def read_closing(stdout: str) -> records.Closing | None:
    """`{"type": "result", "result", "is_error", "error"?: {"message"}, "usage": {"total_tokens"}}`, the last of them.

    `result` is all that the agent said, one text right behind the other; what it said last is the last document of
    `type` "assistant".
    """
    found = records.result(stdout)
    if found is None:
        return None
    said = [
        table_in(one, "message").get("content")
        for one in records.objects(stdout.splitlines())
        if one.get("type") == "assistant"
    ]
    texts = ["".join(text_in(block, "text") for block in objects_in(content)) for content in said]
    error, status = records.failure(found)
    return records.Closing(
        text=next(filter(None, reversed(texts)), text_in(found, "result")),
        error=error,
        failed=bool(found.get("is_error")),
        status=status,
        tokens=records.number(table_in(found, "usage"), "total_tokens"),
    )
