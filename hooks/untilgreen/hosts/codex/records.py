"""What a rollout file tells, `$CODEX_HOME/sessions/YYYY/MM/DD/rollout-…-SESSION.jsonl`: a line an entry,
`{"timestamp", "type", "payload"}` (recorded with 0.169.0; the host calls the form unstable). Sub-agents have files of
their own.

`codex exec --json` prints an event a line (recorded with 0.169.0).
"""

import shlex

from untilgreen.core.model.event import Act, TurnFailure
from untilgreen.core.model.snapshot import Used
from untilgreen.core.record import Any
from untilgreen.hosts import records
from untilgreen.hosts.reading import objects_in, table_in, text_in
from untilgreen.hosts.records import LogLine


def _read(entry: dict[str, Any]) -> LogLine | None:
    kind, at, payload = text_in(entry, "type"), text_in(entry, "timestamp"), table_in(entry, "payload")
    item, role = table_in(payload, "item"), text_in(payload, "role")
    if kind == "response_item" and payload.get("type") == "message" and role in ("user", "assistant"):
        text = "\n".join(text_in(part, "text") for part in objects_in(payload.get("content")))
        return LogLine("model" if role == "assistant" else role, text=text)
    if kind == "token_usage_record":
        usage = table_in(payload, "usage")
        cached, written = records.number(usage, "cached_input_tokens"), records.number(usage, "output_tokens")
        sent = max(0, records.number(usage, "input_tokens") - cached)
        return LogLine("usage", at=at, used=Used(sent, written, cache_read=cached))
    done: list[Act] = []
    if item.get("type") == "FileChange" and item.get("status") == "completed":
        done = [Act(at, edited=path) for path in table_in(item, "changes")]
    elif item.get("type") == "CommandExecution" and isinstance(item.get("command"), list):
        words = [str(word) for word in item["command"]]
        given = words[-1] if words[1:2] == ["-lc"] and len(words) == 3 else shlex.join(words)  # to its shell
        done = [Act(at, command=given)]
    return LogLine("tool", calls={f"{at} {act}": act for act in done})


LOG = records.Log(_read, (b'"FileChange"', b'"CommandExecution"', b'"token_usage_record"'), tail=262_144)
last_message = LOG.last_message


def acts(transcript: str) -> tuple[Act, ...]:
    return LOG.acts((transcript,))


def last_failure(path: str, limit: int = 65_536) -> TurnFailure | None:
    """Why the last turn ended without an answer; None where it did not, by the file's last `limit` bytes.

    A turn closes with a `task_complete`, which has an `error` then: `{"message", "codex_error_info": WORD or {WORD:
    …}}`. Raises OSError.
    """
    newest: dict[str, Any] = {}
    for entry in records.objects(records.tail(path, limit)):
        payload = table_in(entry, "payload")
        if entry.get("type") == "event_msg" and payload.get("type") in ("task_started", "task_complete"):
            newest = payload
    error = table_in(newest, "error")
    if not error:
        return None
    word = text_in(error, "codex_error_info") or next(iter(table_in(error, "codex_error_info")), "")
    return TurnFailure(word, text_in(error, "message"))


def read_closing(stdout: str) -> records.Closing | None:
    """`item.completed` with an item `{"type": "agent_message", "text"}`; the turn ends as `turn.completed` with its
    `usage`, or as `turn.failed` with its `error`. An item of type "error" is a warning."""
    said, tokens, ended = "", 0, ""
    for one in records.objects(stdout.splitlines()):
        item = table_in(one, "item")
        if item.get("type") == "agent_message":
            said = text_in(item, "text")
        if one.get("type") in ("turn.completed", "turn.failed"):
            ended = str(one["type"])
            tokens += sum(records.number(table_in(one, "usage"), name) for name in ("input_tokens", "output_tokens"))
        if ended == "turn.failed":
            return records.Closing(said, records.failure(one)[0], failed=True, tokens=tokens)
    return records.Closing(said, tokens=tokens) if ended else None
