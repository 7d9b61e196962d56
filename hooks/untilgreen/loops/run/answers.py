"""What an agent said that was started for a round: its last message, or why there is none."""

import re
from collections.abc import Callable

from untilgreen.core.foreign import plain
from untilgreen.core.model.event import TurnFailure
from untilgreen.core.model.outcome import Output
from untilgreen.core.record import NamedTuple
from untilgreen.core.secrets import safe
from untilgreen.hosts.closing import Closing

LIMIT, OVERLOADED = "rate_limit", "overloaded"
_LONGEST = 200_000  # characters of a message, its end; and of its errors
_LIMIT_WORDS = (
    r"(?i)\brate.?limit|usage limit|\bhit your (?:\w+ )?limit|(?<!context )limit reached|too many requests"
    r"|\b429\b"
)
_OVERLOADED_WORDS = r"(?i)\boverloaded|\b5(?:00|02|03|04|29)\b|internal server error|service unavailable|bad gateway"
_STATUS = {401: "authentication_failed", 403: "authentication_failed", 429: LIMIT}

Closes = Callable[[str], Closing | None]


class AgentSaid(NamedTuple):
    """The agent's last message; `failure` where it was not the model's. `late`: its time was up. `tokens` and `cost`
    (USD): what the host says that its models used, 0 and None where it does not."""

    text: str = ""
    failure: TurnFailure | None = None
    late: bool = False
    tokens: int = 0
    cost: float | None = None


def read(output: Output, closes: Closes | None) -> AgentSaid:
    """The answer of a process. `closes`: how its host tells it; None: all that it prints is the message."""
    found = closes(output.stdout) if closes else Closing(output.stdout)
    said = found or Closing()
    text = plain(said.text).strip()[-_LONGEST:]
    if output.late or said.used_up:
        return AgentSaid(text, late=True, tokens=said.tokens, cost=said.cost)
    if output.code == 0 and found is not None and not said.failed:
        return AgentSaid(text, tokens=said.tokens, cost=said.cost)
    return AgentSaid(text, _failure(output, found if closes else None, text))


def _failure(output: Output, found: Closing | None, text: str) -> TurnFailure:
    told = plain(output.stderr).strip()[-_LONGEST:]
    why = plain(found.error).strip()[-_LONGEST:] if found else ""
    said = why or (text if found and text else "\n".join(filter(None, (told, text))))
    ended = output.why or ("it answered without a result" if output.code == 0 else _ended(output.code))
    status = found.status if found else 0
    kind = _STATUS.get(status, OVERLOADED if status >= 500 else "agent") if status else ""
    if not kind and re.search(_LIMIT_WORDS, said):
        kind = LIMIT
    elif not kind and re.search(_OVERLOADED_WORDS, said):
        kind = OVERLOADED
    return TurnFailure(kind or "agent", safe(": ".join(filter(None, ("" if found and said else ended, said)))))


def _ended(code: int | None) -> str:
    return f"signal {-code}" if code is not None and code < 0 else f"exit code {code}"
