"""Several goes at one task: an attempt that is stuck is undone down to the best round, where the next one begins with
fresh limits. Pure."""

from collections.abc import Sequence

from untilgreen.core import foreign
from untilgreen.core.model.groups import Attempt, End, Rounds
from untilgreen.core.model.loop import Continue, Loop
from untilgreen.core.model.snapshot import Snapshot
from untilgreen.core.verdict import limits, policy, progress
from untilgreen.core.words import brief, left, notices, report
from untilgreen.core.words.lines import Words

_TOLD = 12  # files in one text
_ROOM = 2_000  # characters of what an attempt ended with


def best(loop: Loop) -> Snapshot | None:
    """The best round so far; None where no round is, or its tree was not kept."""
    number = progress.best_round(loop)
    return next((one for one in loop.history.snapshots if one.iteration == number and one.ref), None)


def goes_on(loop: Loop) -> bool:
    """Whether a loop that is just over goes on with another attempt."""
    more = len(loop.rounds.attempts) + 1 < loop.settings.attempts
    return loop.end.stop_reason == "stagnant" and more and best(loop) is not None


def is_undone(loop: Loop) -> bool:
    """Whether the work tree of a loop that is over is to be that of its best round: there were several attempts."""
    return bool(loop.rounds.attempts) and loop.end.stop_reason in (
        "stagnant",
        "max-iterations",
        "max-wall-time",
        "budget",
    )


def next_one(ended: Loop, changed: Sequence[str], now: str) -> Continue:
    """The loop in the first round of its next attempt. `ended`: the loop as it would be over; `changed` as in
    `Attempt`."""
    round_ = best(ended)
    rounds, minutes = given = limits.given(ended)
    tried = Attempt(
        ended.rounds.iteration,
        ended.end.completion_reason or "",
        round_.iteration if round_ else 0,
        left.number(round_) if round_ else 0,
        tuple(changed),
    )
    settings = ended.settings._replace(
        max_iterations=ended.rounds.iteration + int(rounds),
        max_minutes=minutes and round(ended.clock.elapsed_seconds / 60 + minutes, 3),
    )
    loop = ended.put(
        Rounds(ended.rounds.iteration, attempts=(*ended.rounds.attempts, tried), attempt_limits=given),
        ended.history._replace(known=(), proof=None),
        ended.spent._replace(extended=0),
        End(),
    )._replace(active=True, status="running", settings=settings)
    return policy.next_round(loop, now)


def told(loop: Loop, words: Words) -> str:
    """What the agent is told when an attempt begins: what was tried, and what it ended with."""
    tried = loop.rounds.attempts[-1]
    said = words["attempt_stuck"].format(
        changed=f" ({brief.listed(tried.changed, _TOLD)})" if tried.changed else "",
        history=_numbers(loop, words),
        **_places(loop),
    )
    below = (report.body(None, loop.history.snapshots[-1], words, room=_ROOM), *report.marker_lines(loop, words))
    return "\n".join((foreign.one_line(said), *below, *report.task_lines(loop, words)))


def shown(loop: Loop, words: Words) -> str:
    """The line for the user."""
    return f"{words['attempt_over'].format(**_places(loop))} · {words['to_end']}"


def _places(loop: Loop) -> dict[str, int]:
    """What lines say of the newest attempt."""
    tried, which = loop.rounds.attempts[-1], len(loop.rounds.attempts)
    numbers = {"until": tried.until, "best": tried.best, "left": tried.left}
    return numbers | {"which": which, "most": loop.settings.attempts, "next": which + 1}


def summary(loop: Loop) -> list[str]:
    """What became of each attempt that was undone, a line each, for its user."""
    return [
        foreign.one_line(
            f"attempt {which}: stuck after round {tried.until}, back at round {tried.best}, {tried.left} left"
            + (f"; undone: {brief.listed(tried.changed, _TOLD)}" if tried.changed else "")
        )
        for which, tried in enumerate(loop.rounds.attempts, 1)
    ]


def left_over(loop: Loop, words: Words) -> str:
    """The line for the user where the best attempt is what is left; "" where that is no other tree than the last."""
    round_ = best(loop)
    if round_ is None or round_.ref == loop.history.snapshots[-1].ref:
        return ""
    what = left.told(round_, words)
    return words["best_attempt"].format(n=len(loop.rounds.attempts) + 1, round=round_.iteration, left=what)


def with_best_last(loop: Loop) -> Loop:
    """The loop as if the round whose work tree is put back had been its last one."""
    round_ = best(loop) if is_undone(loop) else None
    if round_ is None:
        return loop
    return loop.put(
        loop.history._replace(
            snapshots=tuple(one for one in loop.history.snapshots if one.iteration <= round_.iteration)
        )
    )


def _numbers(loop: Loop, words: Words) -> str:
    since = loop.rounds.attempts[-2].until if len(loop.rounds.attempts) > 1 else 0
    rounds = [one for one in loop.history.snapshots if one.iteration > since]
    return notices.history(loop.put(loop.history._replace(snapshots=tuple(rounds))), words)
