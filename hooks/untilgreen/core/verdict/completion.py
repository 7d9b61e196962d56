"""The completion pipeline: what an answer of a hook means. Pure.

A hook without objection skips; the first that continues or stops decides, and the rest is not asked. The loop's own
judgement is one of them, and skips where the loop is complete, so that those behind it are still asked.
"""

from untilgreen.core import secrets
from untilgreen.core.model.snapshot import Item
from untilgreen.core.record import Any, Literal, NamedTuple

STAGE = "hooks"
LAST = 65_536  # bytes of the agent's last message that hooks are told
_LINE, _MESSAGES, _LINES = 390, 2_000, 20  # characters of a reason, of what is said beside it, and lines of that
_ACTIONS = ("skip", "continue", "stop")
Action = Literal["skip", "continue", "stop"]


class ToolSummary(NamedTuple):
    tool_name: str
    tool_call_id: str
    command: str = ""  #: of a shell
    success: bool | None = None  #: None: nobody knows
    output: str = ""
    error: str = ""


class CompletionContext(NamedTuple):
    """What a hook is told of the stop."""

    task_id: str
    full_text: str  #: the agent's last message
    tool_summaries: tuple[ToolSummary, ...]
    loop_state: dict[str, Any]  #: as in `loop_state.json`
    iteration: int  #: counted from 1
    start_time: str  #: ISO 8601 in UTC


class Decision(NamedTuple):
    """The answer of a hook: "skip", no objection; "continue", the agent goes on; "stop", it is let go now."""

    action: Action
    stop_reason: str = ""
    stop_message: str = ""
    next_messages: tuple[str, ...] = ()  #: what the agent is told beside the reason
    broken: str = ""  #: why it is skipped although it said nothing: it did not do its work

    @property
    def reason(self) -> str:
        """Why it holds or lets go, in its own words; "" where it gives none."""
        return self.stop_message or self.stop_reason


class AskedHook(NamedTuple):
    """A hook that was asked at a stop, as it is told later."""

    name: str
    priority: int
    answer: str  #: an action, or "broken"
    reason: str = ""
    seconds: float = 0.0


def read(code: int, found: object, stdout: str, stderr: str) -> Decision:
    """What a command that ended answered: by an object on stdout, `found`, or by its exit code: 0 nothing, 2 a hold."""
    if code == 2:
        return Decision("continue", stop_message=_cut(stderr, _LINE + _MESSAGES))
    if code:
        return broken(f"exit code {code}", stderr)
    if not isinstance(found, dict):
        return broken("its answer is not JSON") if stdout.lstrip().startswith("{") else Decision("skip")
    action = found.get("action")
    if action not in _ACTIONS:
        return broken("its answer has no action that is skip, continue or stop")
    names = (("stop_reason", "stopReason"), ("stop_message", "stopMessage"), ("next_messages", "nextMessages"))
    reason, message, more = (found.get(camel) if found.get(name) is None else found[name] for name, camel in names)
    if not isinstance(reason or "", str) or not isinstance(message or "", str):
        return broken("its stop_reason or stop_message is no text")
    texts = [_text(one) for one in more] if isinstance(more, list) else [None] if more is not None else []
    if None in texts:
        return broken("its next_messages are no list of messages")
    told = tuple(_cut(one, _MESSAGES) for one in texts[:_LINES] if one)
    return Decision(action, _cut(reason or "", 100), _cut(message or "", _MESSAGES), told)


def _text(message: object) -> str | None:
    """The text of a message; None where it has none. Its content may be a list of parts, as hosts have it."""
    if isinstance(message, dict):
        message = message.get("content", message.get("text"))
    if isinstance(message, list):
        parts = [_text(one) for one in message]
        return None if None in parts else "\n".join(filter(None, parts))
    return message if isinstance(message, str) else None


def broken(why: str, said: str = "") -> Decision:
    """The answer of one that did not do its work. `said`: what it printed."""
    first = next((line.strip() for line in said[:_MESSAGES].split("\n") if line.strip()), "")
    return Decision("skip", broken=one_line(f"{why}: {first}" if first else why))


def one_line(text: str) -> str:
    """Text of others as one bounded line of ours."""
    return " ".join(secrets.safe(text[: 10 * _LINE]).split())[:_LINE]


def _cut(text: str, room: int) -> str:
    return secrets.safe(text[: 10 * _MESSAGES]).strip()[:room]


def held(name: str, decision: Decision) -> Item:
    """What stands against the stop: one item whose identity is the hook, whatever it says this time."""
    lines = [line for text in (decision.reason, *decision.next_messages) for line in text.split("\n") if line.strip()]
    first, *rest = lines or ["no reason given"]
    told = "\n".join((f"hook {name}: {first.strip()[:_LINE]}", *rest[: _LINES - 1]))[: _MESSAGES + _LINE]
    return Item(f"hook:{name}", "hook", STAGE, f"hook:{name}", told)
