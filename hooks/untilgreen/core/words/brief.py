"""What every text is made with: the words of a catalogue, plurals, names, times, and how much is left. Pure.

Words of others come out printable, and in one line."""

from collections.abc import Iterable, Mapping, Sequence

from untilgreen.core.foreign import strip
from untilgreen.core.model.check import WHOLE, Turn
from untilgreen.core.model.groups import Against
from untilgreen.core.model.loop import Loop
from untilgreen.core.model.snapshot import Snapshot
from untilgreen.core.record import NamedTuple

LIMIT = 9_000  # characters to the agent; a host passes on a megabyte uncut
Words = Mapping[str, str]
RALPH = "continue"  # a catalogue that has this word speaks in lines of its own
CONTINUATION = "continuation"  # one that has this begins with a text of its own
PROMISE = "completion_promise"  # one that has this tells its markers in lines of its own
LONGEST = 1e11  # seconds; nothing lasts that long, and no moment is that far from the epoch
_ROOM = 80  # characters of a reason
_RUNNING = 3  # checks that are named while they run
_SIGNS = {"clean": "✓", "found": "✗", "broken": "✗"}


class Share(NamedTuple):
    """What is left of one check."""

    name: str  #: the check's; `check:NAME` where the check itself is what must be fixed
    failing: int
    ran: int = 0  #: the tests that it ran; 0: it runs none, or nobody knows whether these were all
    broken: bool = False


def counted(words: Words, key: str, n: int, **values: object) -> str:
    """A text about a number: catalogues part the form for one from the form for more by two bars."""
    return words[key].split("||")[0 if n == 1 else -1].format(n=n, **values)


def sentence(text: str, words: Words) -> str:
    return words["sentence"].format(text=text)


def tell_against(words: Words, ones: Iterable[Against], *, code: bool = False) -> tuple[str, ...]:
    """What stands against a green, a text each. `code`: with suppressions as code."""
    told = (one._replace(detail=f"`{one.detail}`") if code and one.kind == "suppressed" else one for one in ones)
    named = ((o, {"detail": o.detail, "check": o.check, "place": o.place}) for o in told)
    return tuple(
        counted(
            words, f"against_{o.kind}", o.number, program=o.detail.removeprefix('sh -c "').partition(" ")[0], **values
        )
        for o, values in named
    )


def but(words: Words, ones: Iterable[Against], *, code: bool = False) -> str:
    """The same in one text."""
    return ", ".join(tell_against(words, ones, code=code))


def count_left(snapshot: Snapshot) -> int:
    """How many items of the loop's criteria fail: the one number that every text tells."""
    return sum(snapshot.failing_by_check.values())


def shares(snapshot: Snapshot) -> tuple[Share, ...]:
    """The checks that they are of: tests, then the others in the order in which the items are told."""
    parts = []
    items = sorted(snapshot.items, key=lambda item: item.kind != "test")
    for name in dict.fromkeys((*(item.check for item in items), *snapshot.failing_by_check)):
        failing = snapshot.failing_by_check.get(name)
        if failing and snapshot.outcomes.get(name) == "broken":
            parts.append(Share(f"check:{name}", failing, broken=True))
        elif failing:
            whole = snapshot.scores.get("tests") is not None and name not in snapshot.not_run
            parts.append(Share(name, failing, snapshot.ran.get(name, 0) if whole else 0))
    return tuple(parts)


def list_left(snapshot: Snapshot) -> str:
    """`pytest 1, mypy 1, check:ruff 1`."""
    return ", ".join(f"{part.name} {part.failing}" for part in shares(snapshot))


def describe_left(snapshot: Snapshot) -> str:
    """`3 left: pytest 1, mypy 1, ruff 1`; `0 left`."""
    return f"{count_left(snapshot)} left" + (f": {list_left(snapshot)}" if count_left(snapshot) else "")


def tell_left(snapshot: Snapshot, words: Words, key: str = "left", **values: object) -> str:
    """The same in the words of a catalogue."""
    n = count_left(snapshot)
    return words[key if n else "count_left"].format(n=n, parts=list_left(snapshot), **values)


def without_broken(snapshot: Snapshot) -> Snapshot:
    """The snapshot with what checks found alone: a broken check says nothing."""
    failing = {name: n for name, n in snapshot.failing_by_check.items() if snapshot.outcomes.get(name) != "broken"}
    items = tuple(item for item in snapshot.items if item.kind != "check")
    return snapshot._replace(items=items, failing_by_check=failing)


def newest_snapshot(loop: Loop) -> Snapshot | None:
    """The snapshot that says how much is left: that of the last counted stop, or of the start."""
    return loop.history.newest or loop.start.initial


def running(loop: Loop, seconds: float, *, checking: str, auto: bool = False, parked: str = "") -> str:
    """`untilgreen · round 3 of 10 · 5 left: pytest 3, mypy 2 · 12:40`, for a line that is redrawn all the time.
    `checking`: how far the stop is that is judged now; `auto`: nobody began a loop, and the stop of a prompt is held;
    `parked`: until when it is."""
    parts = [f"untilgreen{' auto' if auto else ''}", f"round {loop.rounds.iteration} of {loop.settings.max_iterations}"]
    newest = newest_snapshot(loop)
    if checking:
        parts.append(checking)
    elif loop.status == "paused":
        parts.append(parked or "paused")
    elif loop.rest.pending:
        parts.append(f"waiting for {clean(', '.join(loop.rest.pending))}")
    elif not loop.asked.promise_only:
        parts.append(clean(describe_left(newest)) if newest else "not measured")
    return " · ".join(parts if auto else [*parts, duration(seconds)])


def checking(turns: Mapping[str, Turn], moment: float) -> str:
    """`checking · pytest 41 s · last time 60 s · ruff ✓ mypy ✗`: which checks run, how long, how long they took
    last time; and which have ended. `moment`: in seconds since the epoch."""
    ended = [f"{clean(name)} {_SIGNS[one.what]}" for name, one in turns.items() if one.what in _SIGNS]
    return " · ".join(filter(None, ("checking", still_run(turns, moment), " ".join(ended))))


def still_run(turns: Mapping[str, Turn], moment: float) -> str:
    """`mypy 9 s, pytest 41 s · last time 60 s`: the part of it that runs."""
    now = [(name, one) for name, one in turns.items() if one.runs]
    told = [_so_far(clean(name), one, max(0.0, moment - one.since)) for name, one in now[:_RUNNING]]
    return ", ".join([*told, f"{len(now) - _RUNNING} more"] if len(now) > _RUNNING else told)


def _so_far(name: str, one: Turn, seconds: float) -> str:
    if one.what != WHOLE:
        return f"{name} (what failed last) {spent(seconds)}"
    return f"{name} {spent(seconds)}" + (f" · last time {spent(one.last)}" if one.last >= 1 else "")


def listed(names: Sequence[str], most: int) -> str:
    """`a, b and 3 more`: so many of the names, printable, and how many others there are."""
    return ", ".join(map(clean, names[:most])) + (f" and {len(names) - most} more" if len(names) > most else "")


def named(loop: Loop) -> str:
    """`loop-1763 (round 2 of 10, 3 left)`: which loop it is, and how far it came."""
    newest = None if loop.asked.promise_only else newest_snapshot(loop)
    told = [f"round {loop.rounds.iteration} of {loop.settings.max_iterations}"]
    told += [f"{count_left(newest)} left"] if newest else []
    return f"{clean(loop.loop_id)} ({', '.join(told)})"


def titled(loop: Loop) -> str:
    """`bugfix: Fix the cart`: what it is about, with its context preset."""
    return ": ".join(filter(None, (clean(loop.context), clean(loop.task_description or loop.description))))


def gone(how: str, named: str) -> str:
    """The line of a loop that ended without a word to its user."""
    return f"the loop of this session {how}: {named}"


UNSEALED = "the loop's seal is missing"


def changed_by_hand(parts: Sequence[str]) -> str:
    """What somebody changed in the loop's state: it stands against its green."""
    named = " and ".join(", ".join(parts).rsplit(", ", 1))
    return f"the loop's {named} {'was' if named in ('plan', 'baseline', 'seal') else 'were'} changed by hand"


def ended(loop: Loop) -> str:
    """`untilgreen · complete · verified`: how it ended, and why; "" where it did not."""
    reason = clean(loop.end.stop_reason)
    detail = "verified" if loop.end.verified else clean(loop.end.completion_reason)
    if not detail or reason in ("", "cancelled"):
        return f"untilgreen · {reason}" if reason else ""
    return f"untilgreen · {reason} · {detail[0].lower()}{detail[1:]}"


def plural(number: int, what: str) -> str:
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
    parts = (hours, "h"), (minutes_left, "min"), (0 if hours else rest, "s")
    return " ".join(f"{n} {unit}" for n, unit in parts if n)


def clean(text: object, room: int = _ROOM) -> str:
    """Words of others as a piece of one line: no control characters, and no more than there is room for."""
    line = " ".join("".join(char if char.isprintable() else " " for char in strip(str(text or ""))).split())
    return line if len(line) <= room else line[: room - 1].rstrip() + "…"
