"""A loop that is over, as it is begun again: its task, its history and its baseline, with fresh limits. Pure."""

from untilgreen.core.model.groups import End, Rest
from untilgreen.core.model.loop import Loop
from untilgreen.core.verdict import limits

# a loop that got there is done, and one that its user cancelled stays cancelled
_FINAL = (None, "complete", "cancelled")


def is_resumable(loop: Loop) -> bool:
    """Whether it is over in a way that it can be opened again."""
    return not loop.active and loop.end.stop_reason not in _FINAL


def reopened(loop: Loop, now: str) -> Loop:
    """The loop in the round after its last counted one. Rounds go on being numbered, so that each keeps its way back;
    the limits are what it was given at its start, once more."""
    rounds, minutes = given = limits.given(loop)
    counted = loop.history.snapshots[-1].iteration if loop.history.snapshots else 0
    settings = loop.settings._replace(
        max_iterations=counted + int(rounds),
        max_minutes=minutes and round(loop.clock.elapsed_seconds / 60 + minutes, 3),
    )
    return loop.put(
        loop.rounds._replace(
            iteration=counted + 1, best={}, seen=(), no_progress_count=0, lateral_count=0, attempt_limits=given
        ),
        loop.history._replace(known=(), proof=None),
        loop.spent._replace(round_seconds=0.0, extended=0, spending=limits.fresh(loop, now)),
        loop.turns._replace(turn_id="", answered=0, answered_tree=""),
        loop.clock._replace(round_started=0.0),
        Rest(),
        End(),
    )._replace(active=True, status="running", reviews=0, settings=settings, updated_at=now)
