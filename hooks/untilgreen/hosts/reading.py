"""What the adapters share when they read a payload: tolerant of all that is missing, null or of another type."""

from collections.abc import Mapping

from untilgreen.core.document import well_formed
from untilgreen.core.model.event import Edit, Event, ToolUse
from untilgreen.core.record import Any


def text_in(record: dict[str, Any], key: str) -> str:
    """The text under this key, "" where there is none."""
    value = record.get(key)
    return well_formed(value) if isinstance(value, str) else ""


def objects_in(value: object) -> list[dict[str, Any]]:
    """The objects of a list, none where there is no list."""
    return [record for record in value if isinstance(record, dict)] if isinstance(value, list) else []


def table_in(record: dict[str, Any], key: str) -> dict[str, Any]:
    """The object under this key, an empty one where there is none."""
    value = record.get(key)
    return value if isinstance(value, dict) else {}


def fitted(text: str, most: int) -> str:
    """The text in at most `most` bytes of UTF-8: whole lines, as many as there is room for, of one that is too long
    its beginning. For hosts that would cut it anywhere."""
    data = text.encode()
    if len(data) <= most:
        return text
    cut = data[:most].decode(errors="ignore")
    return cut.rpartition("\n")[0] or cut


def event_of(
    payload: dict[str, Any],
    host: str,
    events: Mapping[str, str],
    default_event: str,
    edits: tuple[Edit, ...] = (),
    used: ToolUse | None = None,
) -> Event:
    """What a payload in the form that Claude Code began says, but for what is the host's own.

    `events`: its name of an event -> ours; `edits`, `used`: what a tool wrote, and its call that is over.
    """
    host_event = payload.get("hook_event_name")
    other = "edit" if edits else "tool" if used else "other"
    name = events.get(host_event, other) if isinstance(host_event, str) else default_event
    # A sub-agent that is not named must not pass for the main agent.
    unnamed = "sub-agent" if host_event == "SubagentStop" else ""
    return Event(
        name=name,
        host=host,
        session=text_in(payload, "session_id"),
        cwd=text_in(payload, "cwd"),
        prompt_id=text_in(payload, "prompt_id"),
        prompt=text_in(payload, "prompt"),
        message=text_in(payload, "last_assistant_message") if "last_assistant_message" in payload else None,
        transcript=text_in(payload, "transcript_path"),
        agent_id=text_in(payload, "agent_id") or unnamed,
        permission_mode=text_in(payload, "permission_mode"),
        source=text_in(payload, {"session-start": "source", "session-end": "reason"}.get(name, "")),
        turn_goes_on=payload.get("stop_hook_active") is True,
        edits=edits,
        used=used,
    )


def is_over(payload: dict[str, Any], event: str, default_event: str) -> bool:
    """Whether a payload tells that a tool did its work: by the host's name of that event, or typed by somebody."""
    named = payload.get("hook_event_name")
    return named == event or (default_event == "edit" and not isinstance(named, str))
