"""The form of a reply that most hosts understand: one JSON object on stdout, exit code 0.

`{"decision": WORD, "reason"}` makes the agent go on, or keeps a prompt from it; `{"hookSpecificOutput":
{"hookEventName", "additionalContext"}}` reaches the model, `systemMessage` the user. What a host has beside that its
`write` says itself.
"""

import json
from collections.abc import Mapping

from untilgreen.core.document import well_formed
from untilgreen.core.model.event import Event, Kind, Message, Reply
from untilgreen.core.record import Any, NamedTuple
from untilgreen.hosts.reading import fitted


class Form(NamedTuple):
    """Where text and notice go on one host."""

    #: our event -> the host's name for it, beside what reaches the model; and the name for any other
    events: Mapping[str, str]
    other: str
    #: the word that holds
    decision: str = "block"
    #: bytes of a text for the model, 0 for no limit
    most: int = 0
    #: verdicts whose text is for the user, before the notice
    to_user: tuple[str, ...] = ("release",)
    #: verdicts whose reason is all that the user sees: the notice goes into it
    joined: tuple[str, ...] = ()

    def write(self, event: Event, verdict: Kind, message: Message) -> Reply:
        """The exact answer to this event. Raises ValueError for a verdict that is none."""
        text, notice = well_formed(message.text), well_formed(message.notice)
        answer: dict[str, Any] = {}
        if verdict in self.to_user:
            notice = "\n".join(filter(None, (text, notice)))
        elif verdict == "context":
            name = self.events.get(event.name, self.other)
            answer = {"hookSpecificOutput": {"hookEventName": name, "additionalContext": self._fitted(text)}}
        elif verdict in self.joined:
            answer, notice = self._held("\n".join(filter(None, (text, notice)))), ""
        elif verdict in ("continue", "refuse", "answer"):
            answer = self._held(text)
        elif verdict != "allow":
            raise ValueError(f"no such verdict: {verdict}")
        answer |= {"systemMessage": notice} if notice else {}
        return Reply(stdout=json.dumps(answer) if answer else "")

    def _held(self, text: str) -> dict[str, Any]:
        reason = fitted(text, self.most).strip() or "not green yet" if self.most else text  # empty it would not hold
        return {"decision": self.decision, "reason": reason}

    def _fitted(self, text: str) -> str:
        return fitted(text, self.most) if self.most else text
