"""The agent's last message from the host's transcript, for hosts that do not send it; and what ended its last turn.

The file is written asynchronously: at the start of 196 of 271 recorded Stop hooks it did not hold the message
yet. So it is read only where the payload has no such key, and it may well say nothing.

What models used, by the host's transcripts: `PROJECT/SESSION.jsonl`, and that of each sub-agent in
`PROJECT/SESSION/subagents/` (recorded with 2.1.330; before, sub-agents stood among the rest).

Each block of an answer is a line of its own, and each of them repeats the tokens of the whole answer as they were when
it was written: lines with the same ids of message and request are one answer, and the most that
any of them says counts.
The host writes late: at a stop the newest answer may not be there yet.

What the agent did, by the host's transcript and those of its sub-agents; see `usage` for what they hold.

`-p --output-format json` closes with one document (recorded with 2.1.330).
"""

import os
from collections.abc import Iterable, Iterator, Mapping

from untilgreen.core.document import well_formed
from untilgreen.core.model.event import Act, Tokens, TurnFailure
from untilgreen.core.model.snapshot import Answered, ReadSoFar, Used
from untilgreen.core.record import Any
from untilgreen.core.words import spending
from untilgreen.hosts import records
from untilgreen.hosts.claude_code import EDIT_TOOLS
from untilgreen.hosts.reading import objects_in, text_in


def last_message(path: str, limit: int = 262_144) -> str | None:
    """The text of the main agent's last message since the last user entry, from the file's last `limit` bytes.

    None when there is none there. Tool results are no user's entries, but a stop hook's feedback is one: what the agent
    said before it is no answer to it. Sub-agents, API errors, lines that are cut or no JSON, and entries that merely
    nest a message (progress, api-request-blob) are passed over. Raises OSError: that the file cannot be read is for
    the caller to say.
    """
    texts: list[str] = []
    newest = None
    for entry in entries(records.tail(path, limit)):
        message = entry["message"]
        if entry.get("isSidechain"):
            continue
        if entry["type"] == "user":
            texts = texts if _is_tool_result(message.get("content")) else []
            continue
        text = _text(message.get("content"))
        if text is None or entry.get("isApiErrorMessage"):
            continue
        # The host writes each block of a message as a line of its own, under the same id.
        goes_on = newest is not None and message.get("id") == newest
        texts = [*texts, text] if goes_on else [text]
        newest = message.get("id")
    return well_formed("\n".join(texts)) if texts else None


def last_failure(path: str, limit: int = 65_536) -> TurnFailure | None:
    """Why the main agent's last turn ended without an answer; None where it did not, by the file's last `limit` bytes.

    The host writes what it shows as an entry of its own: `{"isApiErrorMessage": true, "error": "rate_limit", …}`
    (2.1.150 and 2.1.330). Raises OSError.
    """
    newest: dict[str, Any] = {}
    for entry in entries(records.tail(path, limit)):
        newest = newest if entry.get("isSidechain") else entry
    if newest.get("isApiErrorMessage") is not True:
        return None
    kind = newest.get("error")
    text = _text(newest["message"].get("content")) or ""
    return TurnFailure(well_formed(kind) if isinstance(kind, str) else "", well_formed(text))


def entries(lines: Iterable[bytes]) -> Iterator[dict[str, Any]]:
    """The entries of user and assistant."""
    for entry in records.objects(lines):
        message, kind = entry.get("message"), entry.get("type")
        if isinstance(message, dict) and kind in ("user", "assistant") and message.get("role", kind) == kind:
            yield entry


def _is_tool_result(content: object) -> bool:
    return bool(content) and isinstance(content, list) and all(_type(block) == "tool_result" for block in content)


def _text(content: object) -> str | None:
    """What an assistant's content says; None when it says nothing (a tool call, thinking)."""
    if isinstance(content, str):
        return content
    blocks = content if isinstance(content, list) else []
    texts = [block["text"] for block in blocks if _type(block) == "text" and isinstance(block.get("text"), str)]
    return "\n".join(texts) if texts else None


def _type(block: object) -> object:
    return block.get("type") if isinstance(block, dict) else None


_NEWEST = 8  # answers that lines to come may still be about
_ID = 200  # characters of an id, or of a model's name
_MOMENT = len("2026-11-21T09:30:00.000")


def of_files(transcript: str) -> Iterator[str]:
    """The transcript, then those of its sub-agents."""
    yield transcript
    for folder, folders, names in os.walk(os.path.join(transcript.removesuffix(".jsonl"), "subagents")):
        folders.sort()
        yield from (os.path.join(folder, name) for name in sorted(names) if name.endswith(".jsonl"))


def usage(
    transcript: str, sessions: Iterable[str], before: Mapping[str, ReadSoFar], since: str
) -> dict[str, ReadSoFar]:
    """The records of this session and of those before it, read on from where they were read to. Raises OSError,
    ValueError where the transcript cannot be read."""
    folder = os.path.dirname(transcript)
    found = dict(before)
    earlier = (os.path.join(folder, f"{os.path.basename(session)}.jsonl") for session in sessions)
    for main in dict.fromkeys((transcript, *earlier)):
        for path in of_files(main):
            name = os.path.relpath(path, folder)
            try:
                found[name] = _read_on(path, before.get(name, ReadSoFar()), since)
            except (FileNotFoundError, NotADirectoryError):
                if path == transcript:
                    raise
    return found


def _read_on(path: str, before: ReadSoFar, since: str) -> ReadSoFar:
    if f"{os.sep}subagents{os.sep}" in path and os.stat(path).st_size == before.offset:  # it ended: there may be many
        return ReadSoFar(before.offset, *_settled(before.used, before.newest, 0))
    before, lines = records.read_on(path, before)
    used, newest = before.used, dict(before.newest)
    for entry in entries(line for line in lines if b'"usage"' in line):
        at, answer = entry.get("timestamp"), answered(entry)
        if answer is None or (isinstance(at, str) and at[:_MOMENT] < since[:_MOMENT]):
            continue
        name, one = answer
        known = newest.pop(name, one)
        newest[name] = one._replace(used=Used(*map(max, one.used, known.used)))
        used, newest = _settled(used, newest, _NEWEST)
    return ReadSoFar(before.offset + sum(map(len, lines)), used, newest)


def _settled(
    used: dict[str, Used], newest: dict[str, Answered], most: int
) -> tuple[dict[str, Used], dict[str, Answered]]:
    """Both, with no more than so many of the newest answers by themselves."""
    if len(newest) <= most:
        return used, newest
    used, newest = dict(used), dict(newest)
    while len(newest) > most:
        model, of_oldest = newest.pop(next(iter(newest)))
        used[model] = spending.plus(used.get(model, Used()), of_oldest)
    return used, newest


def answered(entry: dict[str, Any]) -> tuple[str, Answered] | None:
    """The answer that an entry is about, by its ids; None where it is about none of a model."""
    message = entry["message"]
    usage, model = message.get("usage"), text_in(message, "model")
    if entry["type"] != "assistant" or not isinstance(usage, dict) or model == "<synthetic>":
        return None
    used = _used(usage)
    name = spending.priced_as(model[:_ID], used, fast=usage.get("speed") == "fast")
    return f"{text_in(message, 'id')[:_ID]} {text_in(entry, 'requestId')[:_ID]}", Answered(name, used)


def _used(usage: dict[str, Any]) -> Used:
    detail = usage.get("cache_creation")
    written, hour = records.number(usage, "cache_creation_input_tokens"), 0
    if isinstance(detail, dict):
        hour = records.number(detail, "ephemeral_1h_input_tokens")
        written = max(written, hour + records.number(detail, "ephemeral_5m_input_tokens"))
    read, output = records.number(usage, "cache_read_input_tokens"), records.number(usage, "output_tokens")
    return Used(records.number(usage, "input_tokens"), output, written - hour, hour, read)


_TOLD_IN = (b'"assistant"', b'"is_error"')  # all other lines are passed over unparsed


def acts(transcript: str) -> tuple[Act, ...]:
    """What was done, file by file in its order. Raises OSError."""
    return tuple(act for path in of_files(transcript) for act in _in(path))


def _in(path: str) -> Iterator[Act]:
    called: dict[str, Act] = {}
    by_answer: dict[str, Act] = {}
    for entry in entries(records.lines_with(path, *_TOLD_IN)):
        at, message = entry.get("timestamp"), entry["message"]
        blocks = objects_in(message.get("content"))
        if entry["type"] == "user":
            for block in blocks:
                if block.get("is_error") and called.get(text_in(block, "tool_use_id"), _NONE).edited:
                    del called[text_in(block, "tool_use_id")]  # a command did run, whatever came of it
        elif isinstance(at, str):
            called |= {text_in(block, "id"): act for block in blocks if (act := _called(at, block)) != _NONE}
            if answer := answered(entry):
                used = answer[1].used
                read = used.input + used.cache_write + used.cache_write_1h
                by_answer[answer[0]] = Act(at, tokens=Tokens(read, used.cache_read, used.output))
    yield from (*called.values(), *by_answer.values())


_NONE = Act("")


def _called(at: str, block: dict[str, Any]) -> Act:
    """What a call of a tool does, none where that is neither an edit nor a command."""
    given = block.get("input")
    if block.get("type") != "tool_use" or not isinstance(given, dict):
        return _NONE
    path, command = text_in(given, "file_path") or text_in(given, "notebook_path"), text_in(given, "command")
    if block.get("name") in EDIT_TOOLS and path:
        return Act(at, edited=path)
    return Act(at, command=command) if block.get("name") == "Bash" and command else _NONE


_USED_UP = "error_max_turns"  # its user's own limit (--max-turns)
_TOKENS = ("inputTokens", "outputTokens", "cacheCreationInputTokens", "cacheReadInputTokens")
_MOST = 1e6  # USD


def read_closing(stdout: str) -> records.Closing | None:
    """`{"type": "result", "subtype", "result", "is_error", "api_error_status", "modelUsage", "total_cost_usd"}`."""
    found = records.result(stdout)
    if found is None:
        return None
    text, failed = text_in(found, "result"), bool(found.get("is_error"))
    return records.Closing(
        text=text,
        error=text if failed else "",
        failed=failed,
        status=records.number(found, "api_error_status"),
        used_up=found.get("subtype") == _USED_UP,
        tokens=_tokens(found),
        cost=_cost(found),
    )


def _tokens(found: dict[str, Any]) -> int:
    """All that its models used, sub-agents' among them."""
    models = found.get("modelUsage")
    each = objects_in(list(models.values())) if isinstance(models, dict) else []
    return sum(records.number(one, name) for one in each for name in _TOKENS)


def _cost(found: dict[str, Any]) -> float | None:
    cost = found.get("total_cost_usd")
    return float(cost) if type(cost) in (int, float) and 0 <= cost < _MOST else None  # type: ignore[operator,arg-type]
