"""What hosts and models say to each other on the wire: a module for each API, behind one protocol."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple, Protocol

Body = dict[str, Any]
"""A request's JSON: `messages[]`, `tools[]`, `stream`, ..."""

Kind = Literal["main", "subagent", "judge", "side"]
"""Who asks: the conversation itself, one of its subagents, a host that judges, or the host for its own ends."""


class Tool(NamedTuple):
    """A tool call of the model: `Tool("Bash", {"command": "true"})`; where the host has tools that take free text, the
    text."""

    name: str
    input: Mapping[str, object] | str

    def at(self, project: str) -> "Tool":
        """The call with the project's folder where it stands for it: some hosts take whole paths only."""
        if isinstance(self.input, str):
            return self
        given = {
            key: value.replace(HERE, project) if isinstance(value, str) else value for key, value in self.input.items()
        }
        return self._replace(input=given)


HERE = "{project}"
"""Stands for the project's folder in what a tool is called with."""

Block = str | Tool
"""One block of an answer: text, or a tool call."""


class Wire(Protocol):
    """One API."""

    def kind_of(self, body: Body, headers: Mapping[str, str]) -> Kind:
        """Who asks."""

    def spoken(self, body: Body) -> list[str]:
        """Every text that the model is told: user's and system's messages, results of tools; oldest first."""

    def side_answer(self, body: Body) -> str:
        """Something harmless of the form that the host asked for."""

    def answer(self, body: Body, blocks: Sequence[Block], number: int) -> bytes | Iterator[bytes]:
        """The answer: one JSON document, or server-sent events. Ids are unique within the run by `number`."""

    def error(self, text: str) -> dict[str, Any]:
        """What a failed request is answered with."""


def told(wire: Wire, body: Body, before: Body | None) -> str:
    """The texts of a request that the request before it did not have, one below the other.

    A text that was there once and is there twice now is new once.
    """
    known = Counter(wire.spoken(before)) if before else Counter()
    new = []
    for text in wire.spoken(body):
        if known[text]:
            known[text] -= 1
        else:
            new.append(text)
    return "\n".join(new)


def event(data: object, name: str = "") -> bytes:
    """One server-sent event."""
    text = data if isinstance(data, str) else json.dumps(data)
    return (f"event: {name}\n" if name else "").encode() + f"data: {text}\n\n".encode()


def of(path: str) -> Wire | None:
    """The API that is served at this path, None for one that is not."""
    from . import chat, gemini, messages, responses

    endings: tuple[tuple[str, Wire], ...] = (
        ("/v1/messages", messages),
        ("/chat/completions", chat),
        ("/responses", responses),
        ("enerateContent", gemini),
    )
    return next((wire for ending, wire in endings if path.endswith(ending)), None)
