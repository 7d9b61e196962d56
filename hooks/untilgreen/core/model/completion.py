"""What the hooks of the completion pipeline are told, and what they answer."""

from typing import Any, Literal

from untilgreen.core.record import NamedTuple

Action = Literal["skip", "continue", "stop"]


class ToolSummary(NamedTuple):
    """A call of a tool in this round."""

    tool_name: str
    tool_call_id: str
    #: of a shell
    command: str = ""
    #: None: nobody knows
    success: bool | None = None
    output: str = ""
    error: str = ""


class CompletionContext(NamedTuple):
    """What a hook is told of the stop."""

    task_id: str
    #: the agent's last message
    full_text: str
    tool_summaries: tuple[ToolSummary, ...]
    #: as in `loop_state.json`
    loop_state: dict[str, Any]
    #: counted from 1
    iteration: int
    #: ISO 8601 in UTC
    start_time: str


class Decision(NamedTuple):
    """The answer of a hook: "skip", no objection; "continue", the agent goes on; "stop", it is let go now."""

    action: Action
    stop_reason: str = ""
    stop_message: str = ""
    #: what the agent is told beside the reason
    next_messages: tuple[str, ...] = ()
    #: why it is skipped although it said nothing: it did not do its work
    broken: str = ""

    @property
    def reason(self) -> str:
        """Why it holds or lets go, in its own words; "" where it gives none."""
        return self.stop_message or self.stop_reason


class AskedHook(NamedTuple):
    """A hook that was asked at a stop, as it is told later."""

    name: str
    priority: int
    #: an action, or "broken"
    answer: str
    reason: str = ""
    seconds: float = 0.0
