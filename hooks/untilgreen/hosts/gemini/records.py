"""The chat log of Gemini CLI (0.61.0): `~/.gemini/tmp/PROJECT/chats/session-TIME-BEGIN_OF_ID.jsonl`.

Lines: `{"id", "timestamp", "type": "user" | "gemini", "content": text or [{"text"}]}`; the model's has `model`,
`tokens` and, when it comes again, `toolCalls: [{"id", "name", "args", "status"}]`. A hold's text is a user's.

`--output-format json` closes with one document over several lines (recorded with 0.61.0).
"""

import glob
import os
from collections.abc import Mapping, Sequence

from untilgreen.core.model.event import Act
from untilgreen.core.model.snapshot import ReadSoFar
from untilgreen.core.record import Any
from untilgreen.hosts import gemini_tools, records
from untilgreen.hosts.gemini import EDIT_TOOLS
from untilgreen.hosts.reading import objects_in, table_in, text_in
from untilgreen.hosts.records import LogLine

_CANCELLED, _LAST = "Request cancelled.", 4096  # what it notes then, and bytes in which its last line is
_OF_ID = 8  # characters of a session's id in the name of its log


def _read(record: dict[str, Any]) -> LogLine | None:
    kind, id_, at = text_in(record, "type"), text_in(record, "id"), text_in(record, "timestamp")
    content = objects_in(record.get("content"))
    if kind == "user":
        return None if any("functionResponse" in part for part in content) else LogLine("user", id_, at)
    if kind != "gemini":
        return None
    calls: dict[str, Act] = {}
    failed: list[str] = []
    for call in objects_in(record.get("toolCalls")):
        name, one = text_in(call, "name"), text_in(call, "id")
        act = records.did(at, name, table_in(call, "args"), EDIT_TOOLS, gemini_tools.SHELL)
        calls |= {one: act} if act else {}
        failed += [one] if text_in(call, "status") in ("error", "cancelled") else []
    text = text_in(record, "content") or "\n".join(text_in(part, "text") for part in content if "text" in part)
    counters = table_in(record, "tokens")
    used = records.tokens(counters, "input", "cached", "output", "thoughts") if counters else None
    return LogLine("model", id_, at, text_in(record, "model"), text, used, calls, tuple(failed))


LOG = records.Log(_read)
last_message = LOG.last_message


def interrupted(path: str) -> bool:
    """By its last line, but for what begins with `$set`: `{"type": "info", "content": "Request cancelled."}`."""
    lines = [line for line in records.tail(path, _LAST) if line.strip() and not line.startswith(b'{"$set"')]
    said = [(text_in(one, "type"), text_in(one, "content")) for one in records.objects(lines[-1:])]
    return said == [("info", _CANCELLED)]


def acts(path: str) -> tuple[Act, ...]:
    return LOG.acts((path,))


def usage(path: str, sessions: Sequence[str], before: Mapping[str, ReadSoFar], since: str) -> dict[str, ReadSoFar]:
    folder = os.path.dirname(path)
    names = (f"session-*-{glob.escape(one[:_OF_ID])}.jsonl" for one in sessions)
    logs = [log for name in names for log in sorted(glob.glob(os.path.join(glob.escape(folder), name)))]
    return LOG.usage({os.path.relpath(log, folder): log for log in (path, *logs)}, before, since)


def read_closing(stdout: str) -> records.Closing | None:
    """`{"response", "error"?: {"message", "code"}, "stats": {"models": {NAME: {"tokens": {"total"}}}}}`."""
    found = records.document(stdout)
    if "response" not in found and "error" not in found:
        return None
    error, _ = records.failure(found)
    models = table_in(table_in(found, "stats"), "models")
    used = sum(records.number(table_in(table_in(models, name), "tokens"), "total") for name in models)
    status = records.number(table_in(found, "error"), "code")
    return records.Closing(text_in(found, "response"), error, failed="error" in found, status=status, tokens=used)
