"""What a rollout file tells, `$CODEX_HOME/sessions/YYYY/MM/DD/rollout-…-SESSION.jsonl`: a line an entry,
`{"timestamp", "type", "payload"}` (recorded with 0.169.0; the host calls the form unstable).

`codex exec --json` prints an event a line (recorded with 0.169.0).
"""

import shlex
from collections.abc import Iterable, Iterator

from untilgreen.core.model.event import Act, Tokens, TurnFailure
from untilgreen.core.record import Any
from untilgreen.hosts import records
from untilgreen.hosts.reading import objects_in, table_in, text_in

_TOLD_IN = (b'"FileChange"', b'"CommandExecution"', b'"token_usage_record"')  # what the agent did stands in such lines


def last_message(path: str, limit: int = 262_144) -> str | None:
    """The text of the agent's last message since the last user's entry, from the file's last `limit` bytes; None when
    there is none there. What held it is a user's entry, too: what it said before that is no answer to it. Raises
    OSError."""
    newest = None
    for kind, payload in entries(records.tail(path, limit)):
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
    for kind, payload in entries(records.tail(path, limit)):
        if kind == "event_msg" and payload.get("type") in ("task_started", "task_complete"):
            newest = payload
    error = table_in(newest, "error")
    if not error:
        return None
    word = text_in(error, "codex_error_info") or next(iter(table_in(error, "codex_error_info")), "")
    return TurnFailure(word, text_in(error, "message"))


def entries(lines: Iterable[bytes]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Type and payload of each entry."""
    for entry in records.objects(lines):
        yield text_in(entry, "type"), {**table_in(entry, "payload"), "at": text_in(entry, "timestamp")}


def _text(message: dict[str, Any]) -> str:
    return "\n".join(text_in(part, "text") for part in objects_in(message.get("content")))


def acts(transcript: str) -> tuple[Act, ...]:
    """What was done, in its order; sub-agents have files of their own. Raises OSError."""
    told = entries(records.lines_with(transcript, *_TOLD_IN))
    return tuple(act for kind, payload in told for act in _acts(kind, payload))


def _acts(kind: str, payload: dict[str, Any]) -> Iterator[Act]:
    at, item = payload["at"], table_in(payload, "item")
    if kind == "token_usage_record":
        usage = table_in(payload, "usage")
        cached, written = records.number(usage, "cached_input_tokens"), records.number(usage, "output_tokens")
        yield Act(at, tokens=Tokens(max(0, records.number(usage, "input_tokens") - cached), cached, written))
    elif item.get("type") == "FileChange" and item.get("status") == "completed":
        yield from (Act(at, edited=path) for path in table_in(item, "changes"))
    elif item.get("type") == "CommandExecution" and isinstance(item.get("command"), list):
        yield Act(at, command=_line([str(word) for word in item["command"]]))


def _line(words: list[str]) -> str:
    """What was given to its shell."""
    return words[-1] if words[1:2] == ["-lc"] and len(words) == 3 else shlex.join(words)


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
