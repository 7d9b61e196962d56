"""The host's transcripts: `PROJECT/SESSION.jsonl`, and that of each sub-agent in `PROJECT/SESSION/subagents/` (recorded
with 2.1.330; before, sub-agents stood among the rest).

Each block of an answer is a line of its own, and each of them repeats the tokens of the whole answer as they were when
it was written: lines with the same ids of message and request are one answer.

The files are written asynchronously: at the start of 196 of 271 recorded Stop hooks the message was not there yet. So
they are read for it only where the payload has no such key; and the newest answer's tokens may be missing at a stop.

`-p --output-format json` closes with one document (recorded with 2.1.330).
"""

import os
from collections.abc import Iterator, Mapping, Sequence

from untilgreen.core.document import well_formed
from untilgreen.core.model.event import Act, TurnFailure
from untilgreen.core.model.snapshot import ReadSoFar, Used
from untilgreen.core.record import Any
from untilgreen.core.words import spending
from untilgreen.hosts import records
from untilgreen.hosts.claude_code import EDIT_TOOLS
from untilgreen.hosts.reading import objects_in, table_in, text_in
from untilgreen.hosts.records import NAME, LogLine


def _read(entry: dict[str, Any]) -> LogLine | None:
    """What an entry of user or assistant tells; all that merely nests a message (progress, api-request-blob) nothing.
    Tool results are no user's entries, but a stop hook's feedback is one: what the agent said before it is no answer to
    it."""
    message, kind = table_in(entry, "message"), entry.get("type")
    if (
        not isinstance(entry.get("message"), dict)
        or kind not in ("user", "assistant")
        or message.get("role", kind) != kind
    ):
        return None
    content, aside = message.get("content"), bool(entry.get("isSidechain"))
    blocks = objects_in(content)
    if kind == "user":
        results = content and blocks == content and all(block.get("type") == "tool_result" for block in blocks)
        failed = tuple(text_in(block, "tool_use_id") for block in blocks if block.get("is_error"))
        return LogLine("tool" if results else "user", failed=failed, aside=aside)
    at, model, usage = text_in(entry, "timestamp"), text_in(message, "model"), message.get("usage")
    used = _used(usage) if isinstance(usage, dict) and model != "<synthetic>" else None
    calls = {
        text_in(block, "id"): act
        for block in blocks
        if block.get("type") == "tool_use"
        and (act := records.did(at, text_in(block, "name"), table_in(block, "input"), EDIT_TOOLS, "Bash"))
    }
    return LogLine(
        by="model",
        id=f"{text_in(message, 'id')[:NAME]} {text_in(entry, 'requestId')[:NAME]}",
        at=at,
        model=spending.priced_as(model[:NAME], used, fast=table_in(message, "usage").get("speed") == "fast")
        if used
        else "",
        text=None if entry.get("isApiErrorMessage") else _text(content),
        used=used,
        calls=calls,
        aside=aside,
    )


LOG = records.Log(_read, (b'"assistant"', b'"is_error"'), tail=262_144, blocks=True)
last_message = LOG.last_message


def last_failure(path: str, limit: int = 65_536) -> TurnFailure | None:
    """Why the main agent's last turn ended without an answer; None where it did not, by the file's last `limit` bytes.

    The host writes what it shows as an entry of its own: `{"isApiErrorMessage": true, "error": "rate_limit", …}`
    (2.1.150 and 2.1.330). Raises OSError.
    """
    newest: dict[str, Any] = {}
    for entry in records.objects(records.tail(path, limit)):
        newest = entry if (line := _read(entry)) and not line.aside else newest
    if newest.get("isApiErrorMessage") is not True:
        return None
    return TurnFailure(text_in(newest, "error"), _text(newest["message"].get("content")) or "")


def _text(content: object) -> str | None:
    """What an assistant's content says; None when it says nothing (a tool call, thinking)."""
    if isinstance(content, str):
        return well_formed(content)
    texts = [text_in(block, "text") for block in objects_in(content) if block.get("type") == "text" and "text" in block]
    return "\n".join(texts) if texts else None


def files(transcript: str) -> Iterator[str]:
    """The transcript, then those of its sub-agents."""
    yield transcript
    for folder, folders, names in os.walk(os.path.join(transcript.removesuffix(".jsonl"), "subagents")):
        folders.sort()
        yield from (os.path.join(folder, name) for name in sorted(names) if name.endswith(".jsonl"))


def acts(transcript: str) -> tuple[Act, ...]:
    return LOG.acts(files(transcript))


def usage(
    transcript: str, sessions: Sequence[str], before: Mapping[str, ReadSoFar], since: str
) -> dict[str, ReadSoFar]:
    folder = os.path.dirname(transcript)
    mains = (transcript, *(os.path.join(folder, f"{os.path.basename(one)}.jsonl") for one in sessions))
    paths = {os.path.relpath(path, folder): path for main in mains for path in files(main)}
    return LOG.usage(paths, before, since)


def _used(usage: dict[str, Any]) -> Used:
    detail = usage.get("cache_creation")
    written, hour = records.number(usage, "cache_creation_input_tokens"), 0
    if isinstance(detail, dict):
        hour = records.number(detail, "ephemeral_1h_input_tokens")
        written = max(written, hour + records.number(detail, "ephemeral_5m_input_tokens"))
    read, output = records.number(usage, "cache_read_input_tokens"), records.number(usage, "output_tokens")
    return Used(records.number(usage, "input_tokens"), output, written - hour, hour, read)


_USED_UP = "error_max_turns"  # its user's own limit (--max-turns)
_TOKENS = ("inputTokens", "outputTokens", "cacheCreationInputTokens", "cacheReadInputTokens")


def read_closing(stdout: str) -> records.Closing | None:
    """`{"type": "result", "subtype", "result", "is_error", "api_error_status", "modelUsage", "total_cost_usd"}`."""
    found = records.result(stdout)
    if found is None:
        return None
    text, failed = text_in(found, "result"), bool(found.get("is_error"))
    models = table_in(found, "modelUsage")  # sub-agents' among them
    return records.Closing(
        text=text,
        error=text if failed else "",
        failed=failed,
        status=records.number(found, "api_error_status"),
        used_up=found.get("subtype") == _USED_UP,
        tokens=sum(records.number(table_in(models, one), name) for one in models for name in _TOKENS),
        cost=records.costs([found.get("total_cost_usd")]),
    )
