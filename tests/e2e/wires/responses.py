"""OpenAI's Responses API: Codex CLI."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from . import Block, Body, Kind, event

TITLE = '"thread_source":"thread_title"'  # in a terminal Codex asks for a title, with all tools
TURN = "x-codex-turn-metadata"
OF_AGENT = "Message Type: NEW_TASK"  # what a sub-agent is told


def kind_of(body: Body, headers: Mapping[str, str]) -> Kind:
    """Requests without tools, or for a title, are the host's own."""
    turn = next((value for name, value in headers.items() if name.lower() == TURN), "")
    if not body.get("tools") or TITLE in turn:
        return "side"
    return "subagent" if any(OF_AGENT in text for text in spoken(body)) else "main"


def spoken(body: Body) -> list[str]:
    """All but what the model said itself: messages, and what its tools answered."""
    return [
        text.strip() for item in body.get("input") or [] if item.get("role") != "assistant" for text in _texts(item)
    ]


def _texts(item: Mapping[str, Any]) -> Iterator[str]:
    content = item.get("content", item.get("output"))
    if isinstance(content, str):
        yield content
    for part in content if isinstance(content, list) else []:
        if "text" in part:
            yield str(part["text"])


def side_answer(_body: Body) -> str:
    return "ok"


def answer(body: Body, blocks: Sequence[Block], number: int) -> bytes | Iterator[bytes]:
    items = [_item(block, f"{number:04}_{at}") for at, block in enumerate(blocks)]
    usage: dict[str, object] = {"input_tokens": 100, "output_tokens": 10, "total_tokens": 110}
    usage |= {"input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0}}
    head = {"id": f"resp_{number:04}", "object": "response", "model": body.get("model", "scripted")}
    whole = head | {"status": "completed", "output": items, "usage": usage}
    return _events(head, whole) if body.get("stream") else json.dumps(whole).encode()


def error(text: str) -> dict[str, Any]:
    return {"error": {"message": text, "type": "server_error", "code": None}}


def _item(block: Block, id_: str) -> dict[str, Any]:
    done = {"status": "completed"}
    if isinstance(block, str):
        content = [{"type": "output_text", "text": block, "annotations": []}]
        return done | {"type": "message", "role": "assistant", "id": f"msg_{id_}", "content": content}
    space, _, name = block.name.rpartition(".")
    called = done | {"id": f"call_{id_}", "call_id": f"call_{id_}", "name": name}
    called |= {"namespace": space} if space else {}
    if isinstance(block.input, str):
        return called | {"type": "custom_tool_call", "input": block.input}
    return called | {"type": "function_call", "arguments": json.dumps(block.input)}


def _events(head: dict[str, Any], whole: dict[str, Any]) -> Iterator[bytes]:
    yield _named({"type": "response.created", "response": head | {"status": "in_progress", "output": []}})
    for at, item in enumerate(whole["output"]):
        opened = item | {"content": []} if item["type"] == "message" else item
        yield _named({"type": "response.output_item.added", "output_index": at, "item": opened})
        yield _named({"type": "response.output_item.done", "output_index": at, "item": item})
    yield _named({"type": "response.completed", "response": whole})


def _named(data: dict[str, Any]) -> bytes:
    return event(data, str(data["type"]))
