"""The host's own record of a session (`events.jsonl`; measured on 1.0.102), which has sub-agents' calls, too.

A line is `{"type", "data", "timestamp", "agentId"?}`; `agentId` names a sub-agent. The host writes ten times a second:
of 16 stops none found the last message there, and all had it within 0.1 s of their start. Behind the message comes a
line that the hook of this stop has begun, so the file says itself when it is whole. The line of a stop before this one
may stand there alone, too, without that of its end: it is older, and was there at the first look.

Each call of a model is one line, `session.usage_record`, whose `inputTokens` has what was read from a cache in it
(1,000 of 1,000 with 400 cached).

`--output-format json` prints the session's events, a line each, and closes with
`{"type": "result", "sessionId", "exitCode", "usage"}`.
"""

import os
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence

from untilgreen.core.document import well_formed
from untilgreen.core.model.event import Act, TurnFailure
from untilgreen.core.model.snapshot import ReadSoFar, Used
from untilgreen.core.record import Any
from untilgreen.core.words import spending
from untilgreen.hosts import records
from untilgreen.hosts.reading import objects_in, table_in, text_in
from untilgreen.hosts.records import LogLine

_PATIENCE = 0.6  # seconds: several times what was measured
_PAUSE = 0.02
_YOUNG = 0.15  # seconds since a hook began that must be this one: a stop, its checks and a model take longer
_LIMITS = ("rate_limit", "quota")
_KINDS = {"authentication": "authentication_failed", "authorization": "authentication_failed"}


def last_message(path: str, limit: int = 262_144) -> str | None:
    """The main agent's last words since the last prompt, from the file's last `limit` bytes; None where there are none.
    Waits a moment for a stop that is not written yet. Raises OSError."""
    until, first = time.monotonic() + _PATIENCE, None
    while True:
        try:
            message, begun = _newest(path, limit)
        except FileNotFoundError:  # of a new session the first stop may come before the file
            if time.monotonic() > until:
                raise
            message, begun = None, ""
        first = begun if first is None else first
        if (begun and (begun != first or begun > _ago(_YOUNG))) or time.monotonic() > until:
            return message
        time.sleep(_PAUSE)


def _newest(path: str, limit: int) -> tuple[str | None, str]:
    """The last message, and when the hook of a stop began behind it that has not ended; "" for none."""
    message, begun = None, ""
    for entry in _entries(records.tail(path, limit)):
        kind, data = entry["type"], entry["data"]
        if entry.get("agentId"):
            continue
        if kind == "user.message":
            message, begun = None, ""
        elif kind == "assistant.message":
            said = data.get("content")
            message, begun = said if isinstance(said, str) and said else message, ""
        elif data.get("hookType") == "agentStop":
            begun = text_in(entry, "timestamp") if kind == "hook.start" else ""
    return None if message is None else well_formed(message), begun


def _ago(seconds: float) -> str:
    """A moment before now, as the host writes it."""
    at = time.time() - seconds
    return f"{time.strftime('%Y-%m-%dT%H:%M:%S', time.gmtime(at))}.{int(at % 1 * 1000):03}Z"


def last_failure(path: str, limit: int = 65_536) -> TurnFailure | None:
    """Why the last turn ended without an answer; None where it did not. Headless the session ends with it, and the
    line is written as its last hook begins. Raises OSError."""
    until = time.monotonic() + _PATIENCE
    while True:
        newest: dict[str, Any] = {}
        ending = ""
        for entry in _entries(records.tail(path, limit)):
            if entry["type"] in ("user.message", "assistant.message", "session.error") and not entry.get("agentId"):
                newest, ending = entry, ""
            if entry["type"] == "hook.start" and entry["data"].get("hookType") == "sessionEnd":
                ending = text_in(table_in(entry["data"], "input"), "reason")
        if newest.get("type") == "session.error" or ending not in ("", "error") or time.monotonic() > until:
            break
        time.sleep(_PAUSE)
    if newest.get("type") != "session.error":
        return None
    kind, text = text_in(newest["data"], "errorType"), text_in(newest["data"], "message")
    limited = any(word in kind for word in _LIMITS)
    return TurnFailure("rate_limit" if limited else _KINDS.get(kind, "unknown"), text)


def _entries(lines: Iterable[bytes]) -> Iterator[dict[str, Any]]:
    """The records of these lines, as far as they are whole."""
    for entry in records.objects(lines):
        if isinstance(entry.get("type"), str) and isinstance(entry.get("data"), dict):
            yield entry


def _read(entry: dict[str, Any]) -> LogLine | None:
    kind, at, data = entry.get("type"), text_in(entry, "timestamp"), table_in(entry, "data")
    aside = bool(entry.get("agentId"))
    if kind == "assistant.message":
        calls: dict[str, Act] = {}
        for one in objects_in(data.get("toolRequests")):
            if act := records.did(
                at,
                text_in(one, "name").replace("powershell", "bash"),
                table_in(one, "arguments"),
                ("create", "edit"),
                "bash",
            ):
                calls[text_in(one, "toolCallId")] = act
        return LogLine("model", at=at, text=text_in(data, "content") or None, calls=calls, aside=aside)
    if kind == "user.message":
        return LogLine("user", at=at, text=text_in(data, "content"), aside=aside)
    if kind == "session.usage_record":
        counts = table_in(data, "usage")
        names = (f"{name}Tokens" for name in ("input", "output", "cacheRead", "cacheWrite"))
        sent, answer, read, written = (records.number(counts, name) for name in names)
        used = Used(max(0, sent - read), answer, written, 0, read)
        return LogLine(
            "usage",
            at=at,
            model=spending.priced_as(text_in(counts, "model")[: records.NAME], used, fast=False),
            used=used,
        )
    failed = kind == "tool.execution_complete" and data.get("success") is False
    return LogLine("tool", failed=(text_in(data, "toolCallId"),)) if failed else None


LOG = records.Log(_read, (b'"assistant.message"', b'"session.usage_record"', b'"tool.execution_complete"'))


def acts(transcript: str) -> tuple[Act, ...]:
    return LOG.acts((transcript,))


def usage(
    transcript: str, sessions: Sequence[str], before: Mapping[str, ReadSoFar], since: str
) -> dict[str, ReadSoFar]:
    top, name = os.path.split(os.path.dirname(transcript))
    names = (name, *map(os.path.basename, sessions))
    return LOG.usage({one: os.path.join(top, one, os.path.basename(transcript)) for one in names}, before, since)


def read_closing(stdout: str) -> records.Closing | None:
    """The main agent's last message, or the last error; tokens are told on the record alone."""
    text, error, closed = "", "", None
    for one in records.objects(stdout.splitlines()):
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
    return records.Closing(text=text, error=error if failed else "", failed=failed)
