"""What an agent said that was started for a round: its last message, or why there is none."""

import json
import re
from typing import Any, NamedTuple

from untilgreen.core.document import well_formed
from untilgreen.core.foreign import plain, safe
from untilgreen.core.model.event import TurnFailure
from untilgreen.core.model.outcome import Output

LIMIT, OVERLOADED = "rate_limit", "overloaded"
_LONGEST = 200_000  # characters of a message, its end; and of its errors
_LIMIT_WORDS = (
    r"(?i)\brate.?limit|usage limit|\bhit your (?:\w+ )?limit|(?<!context )limit reached|too many requests"
    r"|\b429\b"
)
_OVERLOADED_WORDS = r"(?i)\boverloaded|\b5(?:00|02|03|04|29)\b|internal server error|service unavailable|bad gateway"
_USED_UP = "error_max_turns"  # its user's own limit (--max-turns): it worked, and what it left is judged
_TOKENS = ("inputTokens", "outputTokens", "cacheCreationInputTokens", "cacheReadInputTokens")
_MOST = 1e6  # USD
_STATUS = {401: "authentication_failed", 403: "authentication_failed", 429: LIMIT}


class AgentSaid(NamedTuple):
    """The agent's last message; `failure` where it was not the model's. `late`: its time was up. `tokens` and `cost`
    (USD): what the host says that its models used, 0 and None where it does not."""

    text: str = ""
    failure: TurnFailure | None = None
    late: bool = False
    tokens: int = 0
    cost: float | None = None


def read(output: Output, *, in_json: bool) -> AgentSaid:
    """The answer of a process. `in_json`: it closes with a document of Claude Code's form."""
    found = _result(output.stdout) if in_json else None
    said = found.get("result") if found else None if in_json else output.stdout
    text = plain(said).strip()[-_LONGEST:] if isinstance(said, str) else ""
    if output.late or (found or {}).get("subtype") == _USED_UP:
        return AgentSaid(text, late=True, tokens=_tokens(found), cost=_cost(found))
    if output.code == 0 and not (found or {}).get("is_error") and (found is not None or not in_json):
        return AgentSaid(text, tokens=_tokens(found), cost=_cost(found))
    return AgentSaid(text, _failure(output, found, text))


def _tokens(found: dict[str, Any] | None) -> int:
    """All that its models used, sub-agents' among them."""
    models = (found or {}).get("modelUsage")
    each = (one for one in models.values() if isinstance(one, dict)) if isinstance(models, dict) else ()
    counts = (one.get(name) for one in each for name in _TOKENS)
    return sum(min(number, 10**12) for number in counts if type(number) is int and number > 0)


def _cost(found: dict[str, Any] | None) -> float | None:
    cost = (found or {}).get("total_cost_usd")
    return float(cost) if type(cost) in (int, float) and 0 <= cost < _MOST else None  # type: ignore[operator,arg-type]


def _failure(output: Output, found: dict[str, Any] | None, text: str) -> TurnFailure:
    told = plain(output.stderr).strip()[-_LONGEST:]
    said = text if found else "\n".join(filter(None, (told, text)))
    ended = output.why or ("it answered without a result" if output.code == 0 else _ended(output.code))
    status = (found or {}).get("api_error_status")
    kind = _STATUS.get(status, OVERLOADED if status >= 500 else "agent") if isinstance(status, int) else ""
    if not kind and re.search(_LIMIT_WORDS, said):
        kind = LIMIT
    elif not kind and re.search(_OVERLOADED_WORDS, said):
        kind = OVERLOADED
    return TurnFailure(kind or "agent", safe(": ".join(filter(None, ("" if found else ended, said)))))


def _ended(code: int | None) -> str:
    return f"signal {-code}" if code is not None and code < 0 else f"exit code {code}"


def _result(stdout: str) -> dict[str, Any] | None:
    """The closing document: the last line that is one, or the last part of a list of them."""
    for line in reversed(stdout.splitlines()):
        try:
            found = json.loads(line) if line.strip() else None
        except (ValueError, RecursionError):
            continue
        for one in reversed(found if isinstance(found, list) else [found]):
            if isinstance(one, dict) and one.get("type") == "result":
                return {key: well_formed(value) if isinstance(value, str) else value for key, value in one.items()}
    return None
