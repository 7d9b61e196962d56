"""What the adapters share: a payload is read tolerant of all that is missing, null or of another type, and a reply is
exact."""

import json
from collections.abc import Mapping

from untilgreen.core.document import well_formed
from untilgreen.core.model.event import Edit, Event, Kind, Message, Reply, ToolUse, TurnFailure
from untilgreen.core.record import Any, NamedTuple

# a host's name of an event -> ours
EVENTS = {
    **dict.fromkeys(("Stop", "SubagentStop", "AfterAgent"), "stop"),
    **dict.fromkeys(("UserPromptSubmit", "BeforeAgent"), "prompt"),
    "SessionStart": "session-start",
    "SessionEnd": "session-end",
    "StopFailure": "failure",
    "Interrupt": "interrupt",
    "TaskCompleted": "task",
    "TeammateIdle": "idle",
}
_NAMES = {"prompt": "UserPromptSubmit", "session-start": "SessionStart", "edit": "PostToolUse"}
END = 30_000  # characters of what a tool printed: summaries come last
# the file that a tool edits, and what any tool is called on: the most telling key first
_PATHS = ("file_path", "notebook_path", "path", "filePath")
ABOUT = (*_PATHS, "dir_path", "url", "pattern", "query", "skill", "subagent_type", "agent_type", "description")


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
    """The text in at most `most` bytes of UTF-8 (0: no limit): whole lines, as many as there is room for, of one that
    is too long its beginning. For hosts that would cut it anywhere."""
    data = text.encode()
    if len(data) <= (most or len(data)):
        return text
    cut = data[:most].decode(errors="ignore")
    return cut.rpartition("\n")[0] or cut


def event_of(
    payload: dict[str, Any],
    host: str,
    default_event: str,
    edits: tuple[Edit, ...] = (),
    used: ToolUse | None = None,
) -> Event:
    """What a payload in the form that Claude Code began says, but for what is the host's own.

    `edits`, `used`: what a tool wrote, and its call that is over.
    """
    host_event = payload.get("hook_event_name")
    other = "edit" if edits else "tool" if used else "other"
    name = EVENTS.get(host_event, other) if isinstance(host_event, str) else default_event
    # A sub-agent that is not named must not pass for the main agent.
    unnamed = "sub-agent" if host_event == "SubagentStop" else ""
    message = text_in(payload, "last_assistant_message") if "last_assistant_message" in payload else None
    failed = text_in(payload, "error_details") or message or ""
    return Event(
        name=name,
        host=host,
        session=text_in(payload, "session_id"),
        cwd=text_in(payload, "cwd"),
        prompt_id=text_in(payload, "prompt_id"),
        prompt=text_in(payload, "prompt"),
        message=message,
        transcript=text_in(payload, "transcript_path"),
        agent_id=text_in(payload, "agent_id") or unnamed,
        permission_mode=text_in(payload, "permission_mode"),
        source=text_in(payload, {"session-start": "source", "session-end": "reason"}.get(name, "")),
        turn_goes_on=payload.get("stop_hook_active") is True,
        edits=edits,
        used=used,
        failure=TurnFailure(text_in(payload, "error"), failed) if name == "failure" else None,
    )


def is_over(payload: dict[str, Any], event: str, default_event: str) -> bool:
    """Whether a payload tells that a tool did its work: by the host's name of that event, or typed by somebody."""
    named = payload.get("hook_event_name")
    return named == event or (default_event == "edit" and not isinstance(named, str))


def path_of(payload: dict[str, Any]) -> str:
    """The file that a tool was called on, "" where it names none."""
    return next(filter(None, (text_in(table_in(payload, "tool_input"), key) for key in _PATHS)), "")


def tool_use(
    payload: dict[str, Any],
    edits: tuple[str, ...],
    *,
    ok: bool = True,
    shells: tuple[str, ...] = (),
    about: tuple[str, ...] = ABOUT,
) -> ToolUse:
    """The call of a tool, as far as what it was asked tells. `edits`: the tools that write files, `shells`: those that
    run commands (none named: any that has one), `about`: what tells what another was called on."""
    asked, took, name = table_in(payload, "tool_input"), payload.get("duration_ms"), text_in(payload, "tool_name")
    seconds = took / 1_000 if isinstance(took, int | float) and type(took) is not bool and took > 0 else 0.0
    command = text_in(asked, "command") if name in shells or not shells else ""
    path = path_of(payload) if name in edits else ""
    on = "" if command or path else next(filter(None, (text_in(asked, key) for key in about)), "")
    return ToolUse(name, ok, command, path, seconds, text_in(payload, "tool_use_id"), about=on)


class Form(NamedTuple):
    """The form of a reply that most hosts understand: one JSON object on stdout, exit code 0.

    `{"decision": WORD, "reason"}` makes the agent go on, or keeps a prompt from it; `{"hookSpecificOutput":
    {"hookEventName", "additionalContext"}}` reaches the model, `systemMessage` the user. What a host has beside
    that its `write` says itself.
    """

    #: the host's name for an event that reaches the model, and by our name of some; "": it is told none
    other: str = ""
    events: Mapping[str, str] = _NAMES
    by_code: bool = False  #: what holds is exit code 2, with the text on stderr
    decision: str = "block"  #: the word that holds
    most: int = 0  #: bytes of a text for the model, 0 for no limit
    to_user: tuple[str, ...] = ("release",)  #: verdicts whose text is for the user, before the notice
    joined: tuple[str, ...] = ()  #: verdicts whose reason is all that the user sees: the notice goes into it

    def write(self, event: Event, verdict: Kind, message: Message) -> Reply:
        """The exact answer to this event. Raises ValueError for a verdict that is none."""
        text, notice = well_formed(message.text), well_formed(message.notice)
        answer: dict[str, Any] = {}
        if verdict in self.to_user:
            notice = "\n".join(filter(None, (text, notice)))
        elif verdict == "context":
            name = {"hookEventName": self.events.get(event.name, self.other)} if self.other else {}
            answer = {"hookSpecificOutput": name | {"additionalContext": fitted(text, self.most)}}
        elif verdict in self.joined:
            answer, notice = self._held("\n".join(filter(None, (text, notice)))), ""
        elif verdict in ("continue", "refuse", "answer"):
            answer = {} if self.by_code else self._held(text)
        elif verdict != "allow":
            raise ValueError(f"no such verdict: {verdict}")
        held = self.by_code and verdict in ("continue", "refuse", "answer")
        answer |= {"systemMessage": notice} if notice else {}
        return Reply(2 if held else 0, json.dumps(answer) if answer else "", text if held else "")

    def _held(self, text: str) -> dict[str, Any]:
        reason = (fitted(text, self.most).strip() or "not green yet") if self.most else text  # empty it would not hold
        return {"decision": self.decision, "reason": reason}
