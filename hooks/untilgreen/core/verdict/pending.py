"""Checks whose answer is *not yet*: since when, for how long that may be, and how it is told. Pure.

A command of the user's own may ask for something that goes on elsewhere: CI, a deployment.
"""

from collections.abc import Mapping, Sequence

from untilgreen.core.foreign import strip
from untilgreen.core.model.outcome import Broken, Outcome, Pending, Result
from untilgreen.core.model.settings import CheckSetting

_USUAL = CheckSetting()


def settled(
    results: Sequence[Result], since: Mapping[str, float], checks: Mapping[str, CheckSetting], now: float
) -> tuple[tuple[Result, ...], dict[str, float]]:
    """The results, one that is pending for too long as Broken; and since when each that is not over yet has been so.
    `now` and `since` are in seconds since the epoch."""
    began = {check.name: min(since.get(check.name, now), now) for check, one in results if isinstance(one, Pending)}

    def end(name: str, one: Outcome) -> Outcome:
        most = checks.get(name, _USUAL).pending_minutes
        if not isinstance(one, Pending) or now - began[name] < most * 60:
            return one
        return Broken(f"still pending after {most:g} min", one.reason)

    return tuple((check, end(check.name, one)) for check, one in results), began


def names(results: Sequence[Result]) -> tuple[str, ...]:
    """The checks that are pending."""
    return tuple(check.name for check, one in results if isinstance(one, Pending))


def told(waiting: Sequence[str], since: Mapping[str, float], now: float) -> str:
    """`ci, 3 min; deploy, 0 min`: what is waited for, and for how long already."""
    return "; ".join(f"{strip(name)}, {int((now - since.get(name, now)) // 60)} min" for name in waiting)
