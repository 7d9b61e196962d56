"""What ends a loop that is not green: rounds, time, budgets, and that it gets no closer. Pure."""

from untilgreen.core.model.loop import Limit, Loop
from untilgreen.core.model.settings import Settings
from untilgreen.core.model.snapshot import Spending, Use
from untilgreen.core.verdict import progress


def reached(loop: Loop, stuck: str = "") -> Limit | None:
    """The first limit that the counted round has reached. `stuck`: why the loop is, in place of the usual reason."""
    most = loop.settings.max_iterations
    if loop.rounds.iteration >= most and not is_given_more(loop):
        return Limit("max-iterations", f"Max iterations reached ({most})")
    if limit := time_used(loop) or budget_used(loop):
        return limit
    reason = progress.stagnation(loop)
    return Limit("stagnant", stuck or reason, 11) if reason else None


def time_used(loop: Loop) -> Limit | None:
    """The limit of time that is reached: of all rounds, or of the one that was counted last."""
    minutes, of_round = loop.settings.max_minutes, loop.settings.budget.iteration_minutes
    if minutes and loop.clock.elapsed_seconds >= minutes * 60:
        reason = f"Max wall time reached ({minutes:g} min)"
        return Limit("max-wall-time", reason, words="time_used", values={"minutes": f"{minutes:g}"})
    if (left := seconds_left(loop)) is None or left > 0:
        return None
    took = f"{round(loop.spent.round_seconds / 60, 1):g}"
    reason = f"Round {loop.rounds.iteration} took {took} min (limit {of_round:g})"
    values = {"round": str(loop.rounds.iteration), "minutes": took, "most": f"{of_round:g}"}
    return Limit("max-wall-time", reason, words="round_time_used", values=values)


def budget_used(loop: Loop) -> Limit | None:
    """The budget that is used up, or that cannot be measured: at one stop the record may lag behind, not at two."""
    spent, asked = loop.spent.spending, loop.settings
    if spent is None or not (asked.budget.max_tokens or asked.budget.max_cost):
        return None
    from untilgreen.core.words import spending

    return spending.reached(spent, asked)


def is_measured(settings: Settings) -> bool:
    """Whether a loop with these settings wants to know what it uses."""
    return bool(settings.budget.max_tokens or settings.budget.max_cost or settings.budget.usage)


def fresh(loop: Loop, now: str) -> Spending | None:
    """What the loop used, as it begins again: its budgets are whole, and what was used in between is not its own."""
    if not is_measured(loop.settings):
        return loop.spent.spending
    spent = loop.spent.spending or Spending(now)
    return spent._replace(since=now, unread=0, before=Use(spent.tokens, spent.cost))


def seconds_left(loop: Loop) -> float | None:
    """Seconds of work that the round still has, 0 where they are used up; None where nothing limits them."""
    minutes = loop.settings.budget.iteration_minutes
    return max(0.0, minutes * 60 - loop.spent.round_seconds) if minutes else None


def is_given_more(loop: Loop) -> bool:
    """Whether the round that was counted last earns one more, beyond those that were asked for: it is better than
    any before it."""
    if not loop.settings.budget.adaptive or len(loop.history.snapshots) < 2 or loop.spent.extended >= given(loop)[0]:
        return False
    return progress.best_round(loop) == loop.history.snapshots[-1].iteration


def with_one_more(loop: Loop) -> Loop:
    """The loop with a round more than it has."""
    settings = loop.settings._replace(max_iterations=loop.settings.max_iterations + 1)
    return loop.put(loop.spent._replace(extended=loop.spent.extended + 1))._replace(settings=settings)


def given(loop: Loop) -> tuple[float, ...]:
    """The rounds and minutes that the loop, or each of its attempts, was given at its start."""
    return loop.rounds.attempt_limits or (loop.settings.max_iterations - loop.spent.extended, loop.settings.max_minutes)
