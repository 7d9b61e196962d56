"""What a rollout file tells, `$CODEX_HOME/sessions/YYYY/MM/DD/rollout-…-SESSION.jsonl`: a line an entry,
`{"timestamp", "type", "payload"}` (recorded with 0.169.0; the host calls the form unstable)."""

import json
from collections.abc import Iterable, Iterator
from typing import Any

from untilgreen.core.model.event import TurnFailure
from untilgreen.hosts.reading import records, table_in, text_in
from untilgreen.project import files


def last_message(path: str, limit: int = 262_144) -> str | None:
    """The text of the agent's last message since the last user's entry, from the file's last `limit` bytes; None when
    there is none there. What held it is a user's entry, too: what it said before that is no answer to it. Raises
    OSError."""
    newest = None
    for kind, payload in entries(_tail(path, limit)):
        if kind == "response_item" and payload.get("type") == "message":
            role = text_in(payload, "role")
            newest = _text(payload) if role == "assistant" else None if role == "user" else newest
    return newest


def last_failure(path: str, limit: int = 65_536) -> TurnFailure | None:
    """Why the last turn ended without an answer; None where it did not, by the file's last `limit` bytes.

    A turn closes with a `task_complete`, which has an `error` then: `{"message", "codex_error_info": WORD or {WORD:
    …}}`. Raises OSError.
    """
    newest: dict[str, Any] = {}
    for kind, payload in entries(_tail(path, limit)):
        if kind == "event_msg" and payload.get("type") in ("task_started", "task_complete"):
            newest = payload
    error = table_in(newest, "error")
    if not error:
        return None
    word = text_in(error, "codex_error_info") or next(iter(table_in(error, "codex_error_info")), "")
    return TurnFailure(word, text_in(error, "message"))


def entries(lines: Iterable[bytes]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Type and payload of each entry. A line that is cut never parses: its brackets do not match."""
    for line in lines:
        try:
            entry = json.loads(line.decode(errors="replace"))
        except (ValueError, RecursionError):
            continue
        if isinstance(entry, dict):
            yield text_in(entry, "type"), {**table_in(entry, "payload"), "at": text_in(entry, "timestamp")}


def _tail(path: str, limit: int) -> list[bytes]:
    with open(path, "rb", opener=files.followed) as file:
        size = file.seek(0, 2)
        file.seek(max(0, size - limit))
        return file.read(limit).split(b"\n")


def _text(message: dict[str, Any]) -> str:
    return "\n".join(text_in(part, "text") for part in records(message.get("content")))
