"""A loop in a few words, from its state as it was read from JSON: for a line that is redrawn every few seconds.

Nothing is taken for granted: the file may be damaged, or of another release. Words of others come out printable.
"""

from collections.abc import Mapping
from typing import Any

_ROOM = 80  # characters of a reason
LONGEST = 1e11  # seconds; nothing lasts that long, and no moment is that far from the epoch


def running(loop: Mapping[str, Any], seconds: float, *, checking: bool, auto: bool = False) -> str:
    """`Ralph Loop 3/10 · 5 errors · 12:40`: the round, what is left (`checking`: it is looked at now), the time.

    `auto`: nobody began a loop, and it is the stop of a prompt that is held.
    """
    parts = [f"Ralph Loop {'auto ' if auto else ''}{_number(loop, 'iteration')}/{_number(loop, 'max_iterations')}"]
    if checking:
        parts.append("checking")
    elif loop.get("status") == "paused":
        parts.append("paused")
    elif not loop.get("promise_only"):
        parts.append(left(loop, auto=auto))
    return " · ".join(parts if auto else [*parts, duration(seconds)])


def ended(loop: Mapping[str, Any]) -> str:
    """`Ralph Loop complete · verified`: how it ended, and why; "" where it did not."""
    reason = clean(loop.get("stop_reason"))
    if not reason:
        return ""
    detail = "verified" if loop.get("verified") is True else clean(loop.get("completion_reason"))
    if reason == "cancelled":
        detail = ""
    return f"Ralph Loop {reason}" + (f" · {detail[0].lower()}{detail[1:]}" if detail else "")


def left(loop: Mapping[str, Any], *, auto: bool = False) -> str:
    """What is left by the newest word of the checks; without a loop (`auto`) only what holds the agent counts."""
    snapshots = loop.get("snapshots")
    newest = snapshots[-1] if isinstance(snapshots, list) and snapshots else None
    seen = newest if auto else loop.get("current") or newest
    if not isinstance(seen, dict):
        return "not measured"
    criteria = loop.get("completion_criteria")
    asked = criteria if isinstance(criteria, dict) else {}
    outcomes = seen.get("outcomes")
    broken = [name for name, end in outcomes.items() if end == "broken"] if isinstance(outcomes, dict) else []
    counts = (
        (_number(seen, "error_count"), "error", True),
        (_number(seen, "tests_failed"), "failing test", True),
        (len(broken), "broken check", True),
        (_number(seen, "security_issues"), "security issue", auto or asked.get("zero_security")),
        (_number(seen, "warning_count"), "warning", asked.get("zero_warnings")),
    )
    found = [counted(number, what) for number, what, counts_here in counts if number and counts_here]
    return ", ".join(found) or counted(0, "error")


def counted(number: int, what: str) -> str:
    """`1 error`, `5 errors`."""
    return f"{number} {what}{'' if number == 1 else 's'}"


def duration(seconds: float) -> str:
    """Minutes and seconds, `12:40`; from one hour on `1:02:03`; `?` for what cannot be a time."""
    if not 0 <= seconds < LONGEST:
        return "?"
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def clean(text: object) -> str:
    """Words of others as a piece of one line: no control characters, and no more than there is room for."""
    line = " ".join("".join(char if char.isprintable() else " " for char in str(text or "")).split())
    return line if len(line) <= _ROOM else line[: _ROOM - 3].rstrip() + "..."


def printable(text: str) -> str:
    """A line with a question mark for each character that a terminal would obey."""
    return "".join(char if char.isprintable() else "?" for char in text)


def _number(found: Mapping[str, Any], name: str) -> int:
    value = found.get(name)
    return value if type(value) is int else 0
