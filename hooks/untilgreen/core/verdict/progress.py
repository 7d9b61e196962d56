"""Is the loop getting closer, and what ends it where it does not: rounds, time, budgets. Pure.

Scores compare stage by stage; text length never counts. A stage that is unknown is worse than any number (a syntax
error took 64 findings to 5: that is no progress). A round that only trades failing items for others counts, but not
for ever.
"""

from collections.abc import Mapping

from untilgreen.core.model.check import STAGES
from untilgreen.core.model.loop import Limit, Loop
from untilgreen.core.model.settings import Settings
from untilgreen.core.model.snapshot import Snapshot, Spending, Use

_UNKNOWN = float("inf")
_REMEMBERED = 500
_TESTS = STAGES.index("tests")


def key(scores: Mapping[str, int | None]) -> tuple[float, ...]:
    """Scores as a tuple that compares: smaller is closer to green."""
    return tuple(_UNKNOWN if (value := scores.get(stage)) is None else float(value) for stage in STAGES)


def advance(loop: Loop, now: Snapshot, tree: str) -> Loop:
    """The loop after one more counted stop: best scores, what was seen, rounds without improvement."""
    known = tuple(stage for stage in STAGES if stage in loop.history.known or now.scores.get(stage) is not None)
    first = not loop.rounds.seen
    better = first or (not now.not_run and key(now.scores) < key(loop.rounds.best))
    learned, waits = len(known) > len(loop.history.known), "pending" in now.outcomes.values()
    seen, best = key(now.scores), key(loop.rounds.best)
    if now.not_run:  # what failed last ran alone: no worse than the same tests in the round before, nor is the rest
        last = key(loop.history.newest.scores if loop.history.newest else {})
        # whoever comes behind is not asked while tests fail
        closer = (seen[:_TESTS], seen[_TESTS]) <= (min(last[:_TESTS], best[:_TESTS]), last[_TESTS])
    else:  # what is not known yet is nobody's fault: no best, and no reason to give up either
        closer = waits or seen == best
    lateral = (
        not better
        and closer
        and now.failing not in loop.rounds.seen
        # a finding that became a suppression is no lateral move, though the score is the same
        and now.weakened <= max((snapshot.weakened for snapshot in loop.history.snapshots), default=0)
        and loop.rounds.lateral_count < 2 * loop.asked.completion_criteria.stagnation_limit
    )
    if loop.asked.promise_only:
        improved = first or tree != loop.history.tree
    else:
        improved = better or learned or lateral
    return loop.put(
        loop.rounds._replace(
            best=dict(now.scores) if better else loop.rounds.best,
            # what was not waited for makes no set that could come back
            seen=loop.rounds.seen if waits and not first else (*loop.rounds.seen, now.failing)[-_REMEMBERED:],
            no_progress_count=0 if improved else loop.rounds.no_progress_count + 1,
            lateral_count=0 if better or learned else loop.rounds.lateral_count + lateral,
            given_rounds=0 if improved else loop.rounds.given_rounds,
        ),
        loop.history._replace(known=known, tree=tree),
    )


def best_round(loop: Loop) -> int:
    """The earliest round with the best score, 0 where no round has one. A round of which a stage is unknown, or in
    which only a part of the tests ran, is never the best."""
    whole = [
        one for one in loop.history.snapshots if one.scores and None not in one.scores.values() and not one.not_run
    ]
    best = min(whole, key=lambda one: key(one.scores), default=None)
    return best.iteration if best is not None and not loop.asked.promise_only else 0


def cycles(seen: tuple[str, ...]) -> bool:
    """The newest failing sets repeat: A-B-A-B or A-B-C-A-B-C. The empty set never does."""
    for length in (2, 3):
        window = seen[-2 * length :]
        repeats = len(window) == 2 * length and window[:length] == window[length:]
        if repeats and "" not in window and len(set(window)) > 1:
            return True
    return False


def stagnation(loop: Loop) -> str:
    """Why the loop is stuck, or "" when it is not (or when the limit is 0: switched off)."""
    limit = loop.asked.completion_criteria.stagnation_limit
    if limit == 0:
        return ""
    if loop.rounds.no_progress_count >= limit:
        green = not loop.asked.promise_only and not loop.rounds.seen[-1] and not any(loop.rounds.best.values())
        return "Green, never declared" if green else f"No improvement in {limit} iterations"
    if not loop.asked.promise_only and cycles(loop.rounds.seen):
        return "No improvement: the same failing sets come back in turn"
    return ""


def percent(initial: int | None, now: int) -> int | None:
    """How much of what failed at first is gone, in whole percent; never 100 while something is left. None when nothing
    failed at first, or nothing was measured."""
    if not initial:
        return None
    return max(0, (initial - now) * 100 // initial)


def limit_reached(loop: Loop) -> Limit | None:
    """The first limit that the counted round has reached."""
    most, budget, rounds = loop.settings.max_iterations, loop.settings.budget, loop.history.snapshots
    # a round that is better than any before it may earn one more, beyond those that were asked for
    may_earn = budget.adaptive and len(rounds) > 1 and loop.spent.extended < given_limits(loop)[0]
    if loop.rounds.iteration >= most and not (may_earn and best_round(loop) == rounds[-1].iteration):
        return Limit("max-iterations", f"Max iterations reached ({most})")
    if limit := time_used(loop) or budget_used(loop):
        return limit
    reason = stagnation(loop)
    return Limit("stagnant", reason, 11) if reason else None


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


def fresh_spending(loop: Loop, now: str) -> Spending | None:
    """What the loop used, as it begins again: its budgets are whole, and what was used in between is not its own."""
    if not is_measured(loop.settings):
        return loop.spent.spending
    spent = loop.spent.spending or Spending(now)
    return spent._replace(since=now, unread=0, before=Use(spent.tokens, spent.cost))


def seconds_left(loop: Loop) -> float | None:
    """Seconds of work that the round still has, 0 where they are used up; None where nothing limits them."""
    minutes = loop.settings.budget.iteration_minutes
    return max(0.0, minutes * 60 - loop.spent.round_seconds) if minutes else None


def given_limits(loop: Loop) -> tuple[float, ...]:
    """The rounds and minutes that the loop, or each of its attempts, was given at its start."""
    return loop.rounds.attempt_limits or (loop.settings.max_iterations - loop.spent.extended, loop.settings.max_minutes)
