"""Where nobody began a loop: which findings hold a session that edits files, and for how long. Pure."""

from collections import Counter
from collections.abc import Iterable, Sequence

from untilgreen.core import progress
from untilgreen.core.identity import identify
from untilgreen.core.model import Continue, Diagnostic, Loop, Release, Snapshot
from untilgreen.core.policy import over

_REMEMBERED = 5_000  # findings that were let go
ROUNDS = 5  # of one prompt


def new_turn(loop: Loop, prompt: str) -> Loop:
    """The first stop of a prompt: its own rounds, nothing measured yet."""
    return loop._replace(
        mode="auto",
        active=False,
        status="waiting",
        stop_reason=None,
        final_status=None,
        completion_reason=None,
        verified=None,
        ended_at=None,
        iteration=1,
        max_iterations=ROUNDS,
        snapshots=(),
        no_progress_count=0,
        lateral_count=0,
        best={},
        known=(),
        seen=(),
        initial=None,
        first={},
        waited={},
        turn_id=prompt,
    )


def more_than(now: Sequence[Diagnostic], befores: Iterable[Sequence[Diagnostic]]) -> tuple[Diagnostic, ...]:
    """Of what a check finds in a file now, as many of each rule as there are more than in any of the texts before.

    Those that none of them had come first: who moves an old finding about is not told that it is new.
    """
    allowed: Counter[str] = Counter()
    known: set[str] = set()
    for before in befores:
        allowed |= Counter(one.rule for one in before)
        known.update(key for key, _ in identify(before))
    ranked = sorted(identify(now), key=lambda one: one[0] in known)
    taken: Counter[str] = Counter()
    room = Counter(one.rule for one in now) - allowed
    chosen = []
    for _, one in ranked:
        if taken[one.rule] < room[one.rule]:
            taken[one.rule] += 1
            chosen.append(one)
    return tuple(one for one in now if any(one is other for other in chosen))


def holding(found: Sequence[Diagnostic], let_go: Iterable[str]) -> tuple[Diagnostic, ...]:
    """Errors and security findings that were not let go before."""
    forgiven = frozenset(let_go)
    counting = [one for one in found if one.severity in ("error", "security")]
    return tuple(one for key, one in identify(counting) if key not in forgiven)


def judge(loop: Loop, snapshot: Snapshot, broken: Sequence[str], now: str) -> Continue | Release | None:
    """Go on, let go, or nothing to say (None): nothing holds, and nothing did before in this prompt.

    A broken check never holds, but what it did not see is not called green.
    """
    if not snapshot.items and not loop.active:
        return None
    counted = progress.advance(loop, snapshot, "")._replace(
        snapshots=(*loop.snapshots, snapshot), current=snapshot, updated_at=now
    )
    if not snapshot.items:
        reason = f"Green, but {', '.join(broken)}" if broken else "All conditions satisfied"
        return Release(over(counted, "complete", reason, now, verified=False))
    if loop.iteration >= loop.max_iterations:
        return Release(over(counted, "max-iterations", f"Max iterations reached ({loop.max_iterations})", now))
    stuck = progress.stagnation(counted)
    if stuck:
        return Release(over(counted, "stagnant", stuck, now))
    return Continue(
        counted._replace(active=True, status="running", iteration=loop.iteration + 1, last_iteration_at=now)
    )


def remembered(loop: Loop) -> tuple[str, ...]:
    """What never holds again once this loop is let go: what was, and what its newest snapshot holds."""
    newest = loop.snapshots[-1].items if loop.snapshots else ()
    return tuple(dict.fromkeys((*loop.let_go, *(item.id for item in newest))))[-_REMEMBERED:]
