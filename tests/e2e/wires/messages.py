"""Anthropic's Messages API: Claude Code."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from . import Block, Body, Kind, Tool, event

ANSWER = "StructuredOutput"
"""The tool by which a host that was given a schema has its answer."""

CODING_TOOLS = {"Bash", "Read", "Write", "Edit"}
SUBAGENT_PROMPT = re.compile(r"You are an agent for Claude Code")  # before there was a header for it


def kind_of(body: Body, headers: Mapping[str, str]) -> Kind:
    """Who asks: the conversation itself, one of its subagents, a host of its own that judges, or the host for its own
    ends (a title, a summary)."""
    names = {tool.get("name") for tool in body.get("tools") or []}
    if ANSWER in names:
        answered = "tool_result" in json.dumps(body["messages"][-1])  # 2.1.150 asks once more
        return "side" if answered else "judge"
    if "ok" in _fields(body):  # a prompt that is a hook, as /goal is
        return "judge"
    if not names & CODING_TOOLS or body.get("max_tokens") == 1:
        return "side"
    lowered = {name.lower() for name in headers}
    if "x-claude-code-agent-id" in lowered or SUBAGENT_PROMPT.search("\n".join(_texts(body.get("system")))):
        return "subagent"
    return "main"


def _texts(content: object) -> Iterator[str]:
    """Every text in a message's content, tool results included."""
    if isinstance(content, str):
        yield content
    for block in content if isinstance(content, list) else []:
        if block.get("type") == "tool_result":
            yield from _texts(block.get("content"))
        elif "text" in block:
            yield str(block["text"])


def spoken(body: Body) -> list[str]:
    """Texts of the user and system messages, oldest first; a newline more at the end makes no other text."""
    messages = body.get("messages") or []
    return [text.strip() for m in messages if m.get("role") in {"user", "system"} for text in _texts(m.get("content"))]


def answer(body: Body, blocks: Sequence[Block], number: int) -> bytes | Iterator[bytes]:
    whole = _message(body, blocks, number)
    return _events(whole) if body.get("stream") else json.dumps(whole).encode()


def error(text: str) -> dict[str, Any]:
    return {"type": "error", "error": {"type": "api_error", "message": text}}


def _message(body: Body, blocks: Sequence[Block], number: int) -> dict[str, Any]:
    """The answer as one JSON document; ids are unique within the run by `number`."""
    content: list[dict[str, Any]] = []
    for at, block in enumerate(blocks):
        if isinstance(block, Tool):
            name, given = block
            content.append({"type": "tool_use", "id": f"toolu_{number:04}_{at}", "name": name, "input": given})
        else:
            content.append({"type": "text", "text": block})
    calls = any(isinstance(block, Tool) for block in blocks)
    return {
        "id": f"msg_{number:04}",
        "type": "message",
        "role": "assistant",
        "model": body.get("model", "scripted"),
        "content": content,
        "stop_reason": "tool_use" if calls else "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": 100, "output_tokens": 10},
    }


def side_answer(body: Body) -> str:
    """Something harmless of the form the host asked for: a document of its schema, or a word."""
    fields = _fields(body)
    return json.dumps({name: _sample(kind) for name, kind in fields.items()}) if fields else "ok"


def _fields(body: Body) -> Mapping[str, Any]:
    """The fields of the document that the host asked for."""
    schema = ((body.get("output_config") or {}).get("format") or {}).get("schema") or {}
    return schema.get("properties") or {}


def _sample(schema: Mapping[str, Any]) -> object:
    if schema.get("enum"):
        return schema["enum"][0]
    empty: dict[object, object] = {"boolean": False, "number": 0, "integer": 0, "array": [], "object": {}}
    return empty.get(schema.get("type"), "none")


def _events(answer: dict[str, Any]) -> Iterator[bytes]:
    """The answer as server-sent events, one `bytes` an event."""
    start = {**answer, "content": [], "stop_reason": None}
    yield _named({"type": "message_start", "message": start})
    for at, block in enumerate(answer["content"]):
        if block["type"] == "text":
            opened, delta = {**block, "text": ""}, {"type": "text_delta", "text": block["text"]}
        else:
            opened = {**block, "input": {}}
            delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
        yield _named({"type": "content_block_start", "index": at, "content_block": opened})
        yield _named({"type": "content_block_delta", "index": at, "delta": delta})
        yield _named({"type": "content_block_stop", "index": at})
    end = {"stop_reason": answer["stop_reason"], "stop_sequence": None}
    yield _named({"type": "message_delta", "delta": end, "usage": {"output_tokens": 10}})
    yield _named({"type": "message_stop"})


def _named(data: dict[str, Any]) -> bytes:
    return event(data, str(data["type"]))
