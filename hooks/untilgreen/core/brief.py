"""A loop in a few words, for a line that is redrawn every few seconds. Words of others come out printable."""

from untilgreen.core.model.loop import Loop

_ROOM = 80  # characters of a reason
LONGEST = 1e11  # seconds; nothing lasts that long, and no moment is that far from the epoch


def running(loop: Loop, seconds: float, *, checking: bool, auto: bool = False) -> str:
    """`Ralph Loop 3/10 · 5 errors · 12:40`: the round, what is left (`checking`: it is looked at now), the time.

    `auto`: nobody began a loop, and it is the stop of a prompt that is held.
    """
    parts = [f"Ralph Loop {'auto ' if auto else ''}{loop.iteration}/{loop.settings.max_iterations}"]
    if checking:
        parts.append("checking")
    elif loop.status == "paused":
        parts.append("paused")
    elif not loop.promise_only:
        parts.append(left(loop, auto=auto))
    return " · ".join(parts if auto else [*parts, duration(seconds)])


def ended(loop: Loop) -> str:
    """`Ralph Loop complete · verified`: how it ended, and why; "" where it did not."""
    reason = clean(loop.stop_reason)
    detail = "verified" if loop.verified else clean(loop.completion_reason)
    if not detail or reason in ("", "cancelled"):
        return f"Ralph Loop {reason}" if reason else ""
    return f"Ralph Loop {reason} · {detail[0].lower()}{detail[1:]}"


def left(loop: Loop, *, auto: bool = False) -> str:
    """What is left by the newest word of the checks; without a loop (`auto`) only what holds the agent counts."""
    newest = loop.snapshots[-1] if loop.snapshots else None
    seen = newest if auto else loop.current or newest
    if seen is None:
        return "not measured"
    asked = loop.completion_criteria
    counts = (
        (seen.error_count, "error", True),
        (seen.tests_failed, "failing test", True),
        ([*seen.outcomes.values()].count("broken"), "broken check", True),
        (seen.security_issues, "security issue", auto or asked.zero_security),
        (seen.warning_count, "warning", asked.zero_warnings),
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
