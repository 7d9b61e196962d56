"""Google's generateContent: Gemini CLI."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from . import Block, Body, Kind, Tool, event


def kind_of(body: Body, _headers: Mapping[str, str]) -> Kind:
    """Requests without functions are the host's own."""
    return "main" if any(tool.get("functionDeclarations") for tool in body.get("tools") or []) else "side"


def spoken(body: Body) -> list[str]:
    """All but what the model said itself."""
    contents = [content for content in body.get("contents") or [] if content.get("role") != "model"]
    return [text.strip() for content in contents for part in content.get("parts") or [] for text in _texts(part)]


def _texts(part: Mapping[str, Any]) -> Iterator[str]:
    if "text" in part:
        yield str(part["text"])
    response = (part.get("functionResponse") or {}).get("response") or {}
    yield from (str(text) for text in response.values())


def side_answer(body: Body) -> str:
    """A document of the schema that was asked for, or a word."""
    schema = (body.get("generationConfig") or {}).get("responseJsonSchema") or {}
    fields = schema.get("properties") or {}
    return json.dumps({name: _sample(kind) for name, kind in fields.items()}) if fields else "ok"


def _sample(schema: Mapping[str, Any]) -> object:
    empty: dict[object, object] = {"boolean": False, "number": 0, "integer": 0, "array": [], "object": {}}
    return schema["enum"][0] if schema.get("enum") else empty.get(schema.get("type"), "user")


def answer(body: Body, blocks: Sequence[Block], number: int) -> bytes | Iterator[bytes]:
    parts = [_part(block, f"call_{number:04}_{at}") for at, block in enumerate(blocks)]
    usage = {"promptTokenCount": 100, "candidatesTokenCount": 10, "totalTokenCount": 110}
    candidate = {"content": {"role": "model", "parts": parts}, "index": 0, "finishReason": "STOP"}
    whole = {
        "candidates": [candidate],
        "usageMetadata": usage,
        "modelVersion": "scripted",
        "responseId": f"{number:04}",
    }
    return iter([event(whole)]) if body.get("stream") else json.dumps(whole).encode()


def _part(block: Block, id_: str) -> dict[str, Any]:
    if isinstance(block, Tool):
        return {"functionCall": {"id": id_, "name": block.name, "args": block.input}}
    return {"text": block}


def error(text: str) -> dict[str, Any]:
    return {"error": {"code": 400, "message": text, "status": "INVALID_ARGUMENT"}}
