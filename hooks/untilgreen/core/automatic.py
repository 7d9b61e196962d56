"""Where nobody began a loop: which findings hold a session that edits files, and for how long. Pure."""

from collections import Counter
from collections.abc import Iterable, Sequence

from untilgreen.core import measure, progress
from untilgreen.core.identity import identify, of_set
from untilgreen.core.model import Continue, Diagnostic, Loop, Release, Snapshot
from untilgreen.core.policy import over

_REMEMBERED = 5_000  # findings that were let go
ROUNDS = 5  # of one prompt


def new_turn(loop: Loop, prompt: str) -> Loop:
    """The first stop of a prompt: its own rounds, nothing measured yet, nothing asked by a loop that was before."""
    return Loop(
        schema_version=loop.schema_version,
        loop_id=loop.loop_id,
        active=False,
        session_id=loop.session_id,
        started_at=loop.started_at,
        updated_at=loop.updated_at,
        iteration=1,
        max_iterations=ROUNDS,
        task_description="",
        target_files=(),
        completion_criteria=measure.UNASKED._replace(stagnation_limit=loop.settings.stagnation_limit),
        mode="auto",
        status="waiting",
        marker=loop.settings.marker,
        last_iteration_at=loop.last_iteration_at,
        current=loop.current,
        evidence=loop.evidence,
        project=loop.project,
        prompts_seen=loop.prompts_seen,
        turn_id=prompt,
        waited=loop.waited,
        settings=loop.settings,
        edited=loop.edited,
        unjudged=loop.unjudged,
        let_go=loop.let_go,
        auto_off=loop.auto_off,
    )


def more_than(
    now: Sequence[Diagnostic], before: Sequence[Diagnostic], released: Sequence[Diagnostic] = ()
) -> tuple[Diagnostic, ...]:
    """Of what a check finds in a file now, as many of each rule as there are more than `before`.

    What was there before is not among them: who moves an old finding about is not told that it is new. Nor is what
    was there when the session was let go (`released`).
    """
    known, gone = ({key for key, _ in identify(found)} for found in (before, released))
    room = Counter(one.rule for one in now) - Counter(one.rule for one in before)
    chosen = set()
    for key, one in sorted(identify(now), key=lambda one: one[0] in gone):
        if key not in known and room[one.rule] > 0:
            room[one.rule] -= 1
            if key not in gone:
                chosen.add(id(one))
    return tuple(one for one in now if id(one) in chosen)


def counting(found: Iterable[Diagnostic]) -> tuple[tuple[str, Diagnostic], ...]:
    """The errors and security findings, each with its identity."""
    return identify(one for one in found if one.severity in ("error", "security"))


def holding(
    counted: Sequence[tuple[str, Diagnostic]], new: Sequence[Diagnostic], let_go: Iterable[str]
) -> tuple[tuple[str, Diagnostic], ...]:
    """Of what counts, that which is new and was not let go before. `new`: the same objects, in the order of the answer.

    The identity is the one among all that counts: the second of two equal findings must not be taken for the first
    when it is the only one that holds.
    """
    forgiven = frozenset(let_go)
    keys = {id(one): key for key, one in counted if key not in forgiven}
    return tuple((keys[id(one)], one) for one in new if id(one) in keys)


def named(snapshot: Snapshot, ids: Sequence[str]) -> Snapshot:
    """The snapshot with these identities of its items, in their order."""
    items = tuple(item._replace(id=key) for item, key in zip(snapshot.items, ids, strict=True))
    return snapshot._replace(items=items, failing=of_set(ids))


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
        return Release(over(counted, "complete", reason, now, verified=False), 9)
    if loop.iteration >= loop.max_iterations:
        return Release(over(counted, "max-iterations", f"Max iterations reached ({loop.max_iterations})", now), 10)
    stuck = progress.stagnation(counted)
    if stuck:
        return Release(over(counted, "stagnant", stuck, now), 11)
    begun = counted._replace(active=True, status="running", iteration=loop.iteration + 1, last_iteration_at=now)
    # it may have ended in this very prompt, and something was written since
    return Continue(
        begun._replace(stop_reason=None, final_status=None, completion_reason=None, verified=None, ended_at=None)
    )


def remembered(loop: Loop) -> tuple[str, ...]:
    """What never holds again once this loop is let go: what was, and what its newest snapshot holds."""
    newest = loop.snapshots[-1].items if loop.snapshots else ()
    return tuple(dict.fromkeys((*loop.let_go, *(item.id for item in newest))))[-_REMEMBERED:]
