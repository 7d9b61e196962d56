"""`-p --output-format json` closes with one document (recorded with 2.1.330)."""

from typing import Any

from untilgreen.hosts.closing import Closing, result
from untilgreen.hosts.reading import objects_in, text_in
from untilgreen.hosts.records import number

_USED_UP = "error_max_turns"  # its user's own limit (--max-turns)
_TOKENS = ("inputTokens", "outputTokens", "cacheCreationInputTokens", "cacheReadInputTokens")
_MOST = 1e6  # USD


def read(stdout: str) -> Closing | None:
    """`{"type": "result", "subtype", "result", "is_error", "api_error_status", "modelUsage", "total_cost_usd"}`."""
    found = result(stdout)
    if found is None:
        return None
    text, failed = text_in(found, "result"), bool(found.get("is_error"))
    return Closing(
        text=text,
        error=text if failed else "",
        failed=failed,
        status=number(found, "api_error_status"),
        used_up=found.get("subtype") == _USED_UP,
        tokens=_tokens(found),
        cost=_cost(found),
    )


def _tokens(found: dict[str, Any]) -> int:
    """All that its models used, sub-agents' among them."""
    models = found.get("modelUsage")
    each = objects_in(list(models.values())) if isinstance(models, dict) else []
    return sum(number(one, name) for one in each for name in _TOKENS)


def _cost(found: dict[str, Any]) -> float | None:
    cost = found.get("total_cost_usd")
    return float(cost) if type(cost) in (int, float) and 0 <= cost < _MOST else None  # type: ignore[operator,arg-type]
