"""Where nobody began a loop: which findings hold a session that edits files, and for how long. Pure."""

from collections import Counter
from collections.abc import Iterable, Sequence

from untilgreen.core.model.groups import AskedFor, Clock, End, Rest, Rounds, Turns
from untilgreen.core.model.loop import Allow, Edits, Loop, Release, Verdict
from untilgreen.core.model.outcome import Diagnostic
from untilgreen.core.model.settings import Settings
from untilgreen.core.model.snapshot import Snapshot
from untilgreen.core.verdict import measure, policy
from untilgreen.core.verdict.identity import identify, of_set
from untilgreen.core.verdict.policy import Evidence

_REMEMBERED = 5_000  # findings that were let go
_ROUNDS = 5  # of one prompt


def new_turn(edits: Edits, settings: Settings, prompt: str, loop_id: str, now: str) -> Loop:
    """The first stop of a prompt: its own rounds, and nothing measured yet. `prompt` names it."""
    before = edits.turn
    return Loop(
        schema_version=edits.schema_version,
        loop_id=loop_id,
        active=False,
        session_id=edits.session_id,
        started_at=before.started_at if before else now,
        updated_at=now,
        task_description="",
        asked=AskedFor((), measure.UNASKED._replace(stagnation_limit=settings.stagnation_limit)),
        rounds=Rounds(1),
        status="waiting",
        project=edits.project,
        settings=with_own_limits(settings),
        clock=before.clock._replace(elapsed_seconds=0.0, round_started=0.0) if before else Clock(),
        turns=Turns(prompts_seen=before.turns.prompts_seen if before else 0, turn_id=prompt),
        rest=Rest(waited=before.rest.waited if before else {}),
    )


def with_own_limits(settings: Settings) -> Settings:
    """The settings of stops without a loop: their limit is that of one prompt."""
    none = settings.budget._replace(iteration_minutes=0, max_tokens=0, max_cost=0, usage=False, adaptive=False)
    return settings._replace(max_iterations=_ROUNDS, max_minutes=0, budget=none)


def more_than(
    now: Sequence[Diagnostic], before: Sequence[Diagnostic], released: Sequence[Diagnostic] = ()
) -> tuple[Diagnostic, ...]:
    """Of what a check finds in a file now, as many of each rule as there are more than `before`. An old finding that
    only moved is not new, nor is one that was there when the session was let go (`released`)."""
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
    """What counts, is new and was not let go before. `new`: the same objects, in the order of the answer. The identity
    is the one among all that counts: the second of two equal findings must not be taken for the first when it is the
    only one that holds."""
    forgiven = frozenset(let_go)
    keys = {id(one): key for key, one in counted if key not in forgiven}
    return tuple((keys[id(one)], one) for one in new if id(one) in keys)


def named(snapshot: Snapshot, ids: Sequence[str]) -> Snapshot:
    """The snapshot with these identities of its items, in their order."""
    items = tuple(item._replace(id=key) for item, key in zip(snapshot.items, ids, strict=True))
    return snapshot._replace(items=items, failing=of_set(ids))


def judge(turn: Loop, evidence: Evidence, now: str) -> Verdict:
    """Steps 9 to 12. Nothing to say where nothing holds and nothing did before in this prompt. A broken check (what
    stands against the evidence) never holds, but what it did not see is not called green."""
    green = not evidence.snapshot.items
    if green and not turn.active:
        return Allow("nothing holds of what the session wrote", step=9)
    after = policy.counted(turn, evidence, now)
    if green:
        but = evidence.but
        return Release(policy.over(after, "complete", policy.green_reason(but, evidence.english), now, False, but), 9)
    # it may have ended in this very prompt, and something was written since
    again = after.put(End())._replace(active=True, status="running")
    return policy.limited(after, now) or policy.next_round(again, now)


def remembered(edits: Edits, ids: Iterable[str]) -> Edits:
    """The edits, and these findings never hold again: they were there when the session was let go."""
    return edits._replace(let_go=tuple(dict.fromkeys((*edits.let_go, *ids)))[-_REMEMBERED:])
