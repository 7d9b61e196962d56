"""Is the loop getting closer? Scores compare stage by stage; text length never counts.

The rules and why: one snapshot per counted stop, a stage that is unknown is worse than any
number (a syntax error took 64 findings to 5: that is no progress), a round that only trades
failing items for others counts, but not for ever.
"""

from collections.abc import Mapping

from untilgreen.core.model.check import STAGES
from untilgreen.core.model.loop import Loop
from untilgreen.core.model.snapshot import Snapshot

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
    learned = len(known) > len(loop.history.known)
    lateral = (
        not better
        # what is not known yet is nobody's fault: no best, and no reason to give up either
        and (_closer(loop, now) if now.not_run else _is_pending(now) or key(now.scores) == key(loop.rounds.best))
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
            seen=(*loop.rounds.seen, now.failing)[-_REMEMBERED:],
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


def _is_pending(now: Snapshot) -> bool:
    return "pending" in now.outcomes.values()


def _closer(loop: Loop, now: Snapshot) -> bool:
    """Whether a round in which only what failed last ran is no worse than the same tests in the round before, with
    the other stages no worse than they ever were."""
    last = key(loop.history.snapshots[-1].scores) if loop.history.snapshots else key({})
    seen, least = key(now.scores), min(last[:_TESTS], key(loop.rounds.best)[:_TESTS])
    return (seen[:_TESTS], seen[_TESTS]) <= (least, last[_TESTS])  # whoever comes behind is not asked while tests fail


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
    """How much of what failed at first is gone, in whole percent; never 100 while something is left.

    None when nothing failed at first, or nothing was measured.
    """
    if not initial:
        return None
    return max(0, (initial - now) * 100 // initial)
