"""OpenAI's chat completions: Copilot CLI, Qwen Code, OpenCode, Pi."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from . import Block, Body, Kind, Tool, event

SIDE = re.compile(r"\[SUGGESTION MODE|Managed memory has TWO directories")  # helpers of Qwen Code that carry tools


def kind_of(body: Body, _headers: Mapping[str, str]) -> Kind:
    """Requests without tools are the host's own."""
    newest = json.dumps((body.get("messages") or [""])[-1])
    return "main" if body.get("tools") and not SIDE.search(newest) else "side"


def spoken(body: Body) -> list[str]:
    """All but what the model said itself."""
    messages = body.get("messages") or []
    return [text.strip() for m in messages if m.get("role") != "assistant" for text in _texts(m.get("content"))]


def _texts(content: object) -> Iterator[str]:
    if isinstance(content, str):
        yield content
    for block in content if isinstance(content, list) else []:
        if "text" in block:
            yield str(block["text"])


def side_answer(_body: Body) -> str:
    return "ok"


def answer(body: Body, blocks: Sequence[Block], number: int) -> bytes | Iterator[bytes]:
    head = {"id": f"chatcmpl-{number:04}", "created": 1_700_000_000, "model": body.get("model", "scripted")}
    text = "\n".join(block for block in blocks if isinstance(block, str))
    calls = [_call(block, number, at) for at, block in enumerate(b for b in blocks if isinstance(b, Tool))]
    why = "tool_calls" if calls else "stop"
    usage = {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}
    if body.get("stream"):
        return _events(head | {"object": "chat.completion.chunk"}, text, calls, why, usage)
    message = {"role": "assistant", "content": text or None} | ({"tool_calls": calls} if calls else {})
    choice = {"index": 0, "finish_reason": why, "message": message}
    return json.dumps(head | {"object": "chat.completion", "choices": [choice], "usage": usage}).encode()


def error(text: str) -> dict[str, Any]:
    return {"error": {"message": text, "type": "api_error", "code": None}}


def _call(tool: Tool, number: int, at: int) -> dict[str, Any]:
    function = {"name": tool.name, "arguments": json.dumps(tool.input)}
    return {"index": at, "id": f"call_{number:04}_{at}", "type": "function", "function": function}


def _events(
    head: dict[str, Any], text: str, calls: Sequence[dict[str, Any]], why: str, usage: dict[str, int]
) -> Iterator[bytes]:
    deltas: list[dict[str, Any]] = [{"role": "assistant", "content": text}] if text else [{"role": "assistant"}]
    deltas += [{"tool_calls": [call]} for call in calls]
    for delta in deltas:
        yield event(head | {"choices": [{"index": 0, "delta": delta, "finish_reason": None}]})
    yield event(head | {"choices": [{"index": 0, "delta": {}, "finish_reason": why}]})
    yield event(head | {"choices": [], "usage": usage})
    yield event("[DONE]")
