"""What ends a loop that is not green: rounds, time, and that it gets no closer. Pure."""

from typing import NamedTuple

from untilgreen.core import progress
from untilgreen.core.model.loop import Loop


class Limit(NamedTuple):
    """A limit that is reached: what the loop ends as, why, and which step of the verdict that is."""

    stop_reason: str
    reason: str
    step: int = 10


def reached(loop: Loop, stuck: str = "") -> Limit | None:
    """The first limit that the counted round has reached. `stuck`: why the loop is, in place of the usual reason."""
    most, minutes = loop.settings.max_iterations, loop.settings.max_minutes
    if loop.iteration >= most:
        return Limit("max-iterations", f"Max iterations reached ({most})")
    if minutes and loop.elapsed_seconds >= minutes * 60:
        return Limit("max-wall-time", f"Max wall time reached ({minutes:g} min)")
    reason = progress.stagnation(loop)
    return Limit("stagnant", stuck or reason, 11) if reason else None
