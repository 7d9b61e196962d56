"""The agent's last message from the host's transcript, for hosts that do not send it; and what ended its last turn.

The file is written asynchronously: at the start of 196 of 271 recorded Stop hooks it did not hold the message
yet. So it is read only where the payload has no such key, and it may well say nothing.
"""

from collections.abc import Iterable, Iterator
from typing import Any

from untilgreen.core.document import well_formed
from untilgreen.core.model.event import TurnFailure
from untilgreen.hosts import records


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
