"""When the model can be asked again, by what the host says of a limit.

As hosts write it: `5-hour limit reached ∙ resets 3pm`, `You've hit your limit · resets 2:10pm (Europe/Moscow)`, `resets
Apr 10, 7pm (Asia/Dhaka)`, `Your limit will reset at 9am (America/Chicago).`, `usage limit reached|1762952400`, `try
again in 2 hours 5 minutes`, `retry-after: 30`, or a moment in ISO 8601. Whatever else it says names no time.
"""

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta, tzinfo

_LONGEST = 1_000  # characters that are looked at
_FURTHEST = 31 * 86_400.0  # seconds; no limit lasts longer
_JUST = 600.0  # seconds for which a time of the day is one that has just passed, and not tomorrow's
_MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
_DAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
_SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86_400.0, "w": 604_800.0}

_EPOCH = re.compile(r"\|\s*(\d{10})(?:\d{3})?(?!\d)")
_AGAIN = r"\b(?:re-?sets?|try(?:ing)? again|retry|again|until|available|back)\b"
_ISO = re.compile(
    _AGAIN + r"\D{0,24}?(\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d)?(?:\.\d+)?) ?(Z|UTC|GMT|[+-]\d\d:?\d\d)?", re.IGNORECASE
)
_ZERO = re.compile("Z|UTC|GMT", re.IGNORECASE)
_UNIT = r"(?:ms|milliseconds?|s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?|w|weeks?)"
_SPAN = re.compile(
    _AGAIN + rf"[^.;\n]{{0,24}}?\b(?:in|after)\s+((?:(?:about|approximately|~)\s*)?\d+(?:\.\d+)?\s*{_UNIT}(?![a-z])"
    rf"(?:[\s,]*(?:and\s+)?\d+(?:\.\d+)?\s*{_UNIT}(?![a-z]))*)",
    re.IGNORECASE,
)
_PART = re.compile(rf"(\d+(?:\.\d+)?)\s*({_UNIT})(?![a-z])", re.IGNORECASE)
_HEADER = re.compile(r"\bretry[-_ ]after(?:[-_ ](ms))?[\"']?\s*[:=]?\s*[\"']?(\d+(?:\.\d+)?)(?!\d)", re.IGNORECASE)
_CLOCK = re.compile(
    _AGAIN + r"(?:\s+(?:at|on))?\s+"
    r"(?:(?:on\s+)?(?P<weekday>mon|tue|wed|thu|fri|sat|sun)[a-z]*\.?,?\s+(?:at\s+)?)?"
    r"(?:(?:on\s+)?(?P<month>jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?"
    r"\s+(?P<day>\d{1,2})(?:st|nd|rd|th)?"
    r"(?:,?\s+(?P<year>\d{4}))?,?\s+(?:at\s+)?)?"
    r"(?P<hour>\d{1,2})(?::(?P<minute>\d\d))?\s*(?P<half>[ap]\.?m\b)?\.?\s*"
    r"(?:\(?(?P<zone>UTC|GMT|[A-Za-z_]+/[\w+/-]+)\)?)?",
    re.IGNORECASE,
)


def moment(text: str, now: float) -> float | None:
    """When the limit is over, in seconds since the epoch; None where the text does not say, or it is past or far."""
    text = " ".join(text[:_LONGEST].split())
    for pattern, read in _READINGS:
        for found in pattern.finditer(text):
            try:
                at = read(found, now)
            except (KeyError, ValueError, OverflowError, OSError):  # KeyError: nobody knows that zone
                continue
            return at if now < at <= now + _FURTHEST else None
    return None


def _span(found: re.Match[str], now: float) -> float:
    parts = ((float(number), unit.lower()) for number, unit in _PART.findall(found[1]))
    return now + sum(n * _SECONDS["ms" if unit.startswith(("ms", "milli")) else unit[0]] for n, unit in parts)


def _time_of_day(found: re.Match[str], now: float) -> float:
    """The next moment that the clock shows this, in its zone, else this machine's. Raises ValueError, KeyError."""
    hour, minute = int(found["hour"]), int(found["minute"] or 0)
    half = (found["half"] or "").lower()
    if not (half or found["minute"]) or minute > 59 or not (1 <= hour <= 12 if half else hour <= 23):
        raise ValueError(found[0])
    hour = hour % 12 + (12 if half.startswith("p") else 0) if half else hour
    at = datetime.fromtimestamp(now, _zone(found["zone"])).replace(hour=hour, minute=minute, second=0, microsecond=0)
    just = now - _JUST
    if found["month"]:
        month = _MONTHS.index(found["month"].lower()) + 1
        at = at.replace(int(found["year"] or at.year), month, int(found["day"]))
        if not found["year"] and at.timestamp() < just:
            at = at.replace(at.year + 1)
    elif found["weekday"]:
        at += timedelta((_DAYS.index(found["weekday"].lower()) - at.weekday()) % 7)
        at = at if at.timestamp() >= just else at + timedelta(7)
    elif at.timestamp() < just:
        at += timedelta(1)
    moment = at.timestamp()  # hosts round to minutes and hours, and one that has just passed is now
    return now + 1.0 if just <= moment <= now else moment


def _zone(name: str | None) -> tzinfo | None:
    if not name or name.upper() in ("UTC", "GMT"):
        return UTC if name else None
    from zoneinfo import ZoneInfo

    return ZoneInfo(name)


_READINGS: tuple[tuple[re.Pattern[str], Callable[[re.Match[str], float], float]], ...] = (
    (_EPOCH, lambda found, _: float(found[1])),
    (_ISO, lambda found, _: datetime.fromisoformat(found[1] + _ZERO.sub("+00:00", found[2] or "")).timestamp()),
    (_SPAN, _span),
    (_HEADER, lambda found, now: now + float(found[2]) * (0.001 if found[1] else 1.0)),
    (_CLOCK, _time_of_day),
)
