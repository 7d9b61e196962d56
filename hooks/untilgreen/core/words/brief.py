"""A loop in a few words, for a line that is redrawn every few seconds. Words of others come out printable."""

from collections.abc import Mapping, Sequence

from untilgreen.core.foreign import strip
from untilgreen.core.model.check import WHOLE, Turn
from untilgreen.core.model.loop import Loop
from untilgreen.core.words import left

_ROOM = 80  # characters of a reason
_RUNNING = 3  # checks that are named while they run
_SIGNS = {"clean": "✓", "found": "✗", "broken": "✗"}
_PLAIN = 100.0  # seconds that are told as seconds
LONGEST = 1e11  # seconds; nothing lasts that long, and no moment is that far from the epoch


def running(loop: Loop, seconds: float, *, checking: str, auto: bool = False, parked: str = "") -> str:
    """`untilgreen · round 3 of 10 · 5 left: pytest 3, mypy 2 · 12:40`: the round, what the last stop found to be left
    (`checking`: how far the one is that is judged now), the time.

    `auto`: nobody began a loop, and it is the stop of a prompt that is held. `parked`: until when it is.
    """
    parts = [f"untilgreen{' auto' if auto else ''}", f"round {loop.rounds.iteration} of {loop.settings.max_iterations}"]
    newest = left.newest(loop)
    if checking:
        parts.append(checking)
    elif loop.status == "paused":
        parts.append(parked or "paused")
    elif loop.rest.pending:
        parts.append(f"waiting for {clean(', '.join(loop.rest.pending))}")
    elif not loop.asked.promise_only:
        parts.append(clean(left.of(newest)) if newest else "not measured")
    return " · ".join(parts if auto else [*parts, duration(seconds)])


def checking(turns: Mapping[str, Turn], moment: float) -> str:
    """`checking · pytest 41 s of about 60 · ruff ✓ mypy ✗`: which checks run, how long, how long they took last time;
    and which have ended. `moment`: in seconds since the epoch."""
    now = [(name, one) for name, one in turns.items() if one.runs]
    told = [_so_far(clean(name), one, max(0.0, moment - one.since)) for name, one in now[:_RUNNING]]
    told += [f"{len(now) - _RUNNING} more"] if len(now) > _RUNNING else []
    ended = [f"{clean(name)} {_SIGNS[one.what]}" for name, one in turns.items() if one.what in _SIGNS]
    return " · ".join(("checking", *told, *filter(None, [" ".join(ended)])))


def _so_far(name: str, one: Turn, seconds: float) -> str:
    if one.what != WHOLE:
        return f"{name} (what failed last) {spent(seconds)}"
    if one.last < 1:
        return f"{name} {spent(seconds)}"
    if max(seconds, one.last) < _PLAIN:
        return f"{name} {seconds:.0f} s of about {one.last:.0f}"
    return f"{name} {spent(seconds)} of about {spent(one.last)}"


def listed(names: Sequence[str], most: int) -> str:
    """`a, b and 3 more`: so many of the names, and how many others there are. The names come out printable."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(map(clean, names[:most])) + more


def named(loop: Loop) -> str:
    """`loop-1763 (green, round 2 of 10, 3 left)`: which loop it is, what it asks for and how far it came."""
    asked = [name for name, on in loop.asked.completion_criteria._asdict().items() if on is True]
    newest = None if loop.asked.promise_only else left.newest(loop)
    told = [", ".join(asked) or "its completion promise"]
    told += [f"round {loop.rounds.iteration} of {loop.settings.max_iterations}"]
    told += [f"{left.number(newest)} left"] if newest else []
    return f"{clean(loop.loop_id)} ({', '.join(told)})"


def titled(loop: Loop) -> str:
    """`bugfix: Mend the cart`: what it is about, with its context preset."""
    return ": ".join(filter(None, (clean(loop.context), clean(loop.task_description or loop.description))))


def gone(how: str, named: str) -> str:
    """The line of a loop that ended without a word to its user."""
    return f"the loop of this session {how}: {named}"


def changed_by_hand(parts: Sequence[str]) -> str:
    """What somebody changed in the loop's state: it stands against its green."""
    named = " and ".join(", ".join(parts).rsplit(", ", 1))
    return f"the loop's {named} {'was' if named in ('plan', 'baseline') else 'were'} changed by hand"


def ended(loop: Loop) -> str:
    """`untilgreen · complete · verified`: how it ended, and why; "" where it did not."""
    reason = clean(loop.end.stop_reason)
    detail = "verified" if loop.end.verified else clean(loop.end.completion_reason)
    if not detail or reason in ("", "cancelled"):
        return f"untilgreen · {reason}" if reason else ""
    return f"untilgreen · {reason} · {detail[0].lower()}{detail[1:]}"


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


def spent(seconds: float) -> str:
    """Seconds as people say them: `1.2 s`, `41 s`, `2 min 14 s`, `1 h 3 min`; `?` for what cannot be a time."""
    if not 0 <= seconds < LONGEST:
        return "?"
    if seconds < 59.5:
        return f"{seconds:.1f} s" if seconds < 9.95 else f"{seconds:.0f} s"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes_left = divmod(minutes, 60)
    return f"{hours} h {minutes_left} min" if hours else f"{minutes} min {rest} s"


def clean(text: object, room: int = _ROOM) -> str:
    """Words of others as a piece of one line: no control characters, and no more than there is room for."""
    line = " ".join("".join(char if char.isprintable() else " " for char in strip(str(text or ""))).split())
    return line if len(line) <= room else line[: room - 1].rstrip() + "…"
