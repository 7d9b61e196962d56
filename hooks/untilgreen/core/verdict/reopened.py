"""A loop that is over, as it is begun again: its task, its history and its baseline, with fresh limits. Pure."""

from untilgreen.core.model.loop import Loop
from untilgreen.core.verdict import limits

# a loop that got there is done, and one that its user cancelled stays cancelled
_FINAL = (None, "complete", "cancelled")
# of a loop that is over, and of its progress
_FRESH = (
    *("status", "stop_reason", "final_status", "completion_reason", "verified", "declared", "ended_at"),
    *("best", "known", "seen", "no_progress_count", "lateral_count", "waited", "pending", "proof"),
    *("reviews", "ended_by"),
    *("extended", "round_seconds"),
    *("paused", "parked", "parked_until", "turn_id", "answered", "answered_tree", "told"),
)


def is_resumable(loop: Loop) -> bool:
    """Whether it is over in a way that it can be opened again."""
    return not loop.active and loop.stop_reason not in _FINAL


def reopened(loop: Loop, now: str) -> Loop:
    """The loop in the round after its last counted one. Rounds go on being numbered, so that each keeps its way back;
    the limits are what it was given at its start, once more."""
    rounds, minutes = given = limits.given(loop)
    counted = loop.snapshots[-1].iteration if loop.snapshots else 0
    settings = loop.settings._replace(
        max_iterations=counted + int(rounds),
        max_minutes=minutes and round(loop.elapsed_seconds / 60 + minutes, 3),
    )
    return loop._replace(
        **{name: Loop._field_defaults[name] for name in _FRESH},
        active=True,
        iteration=counted + 1,
        settings=settings,
        attempt_limits=given,
        spending=limits.fresh(loop, now),
        round_started=0.0,
        updated_at=now,
    )
