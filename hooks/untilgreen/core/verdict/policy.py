"""May the agent stop? Two pure functions: `admit` before any check, `judge` after them.

The steps and their order are the contract; completion is judged before limits, so that a loop that
gets green in its last round is a success, and limits before stagnation.
"""

from collections.abc import Mapping

from untilgreen.core.model.event import Event, Session
from untilgreen.core.model.groups import Buts, End, Proof
from untilgreen.core.model.loop import Allow, Continue, Loop, Release, Verdict
from untilgreen.core.model.outcome import Names
from untilgreen.core.model.snapshot import Snapshot, Spending
from untilgreen.core.record import NamedTuple
from untilgreen.core.verdict import progress
from untilgreen.core.verdict.markers import Marker
from untilgreen.core.words import brief
from untilgreen.core.words.brief import Words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from untilgreen.core.trees import Tree
else:
    Tree = object  # few stops read one

FINAL = {
    "complete": ("COMPLETE", "success"),
    "blocked": ("BLOCKED", "stopped"),
    "stagnant": ("STOPPED", "failed"),
    "max-iterations": ("STOPPED", "failed"),
    "max-wall-time": ("STOPPED", "failed"),
    "budget": ("STOPPED", "failed"),
    "cancelled": ("CANCELLED", "stopped"),
    "error": ("FAILED", "failed"),
}
STILL_RUNNING = "still-running"
PENDING = "pending"
CAPPED = "capped"


class Admitted(NamedTuple):
    """The loop with what this stop taught (waiting, prompts), and the verdict where there already is one."""

    loop: Loop
    verdict: Verdict | None = None


class Evidence(NamedTuple):
    """What the checks brought: the snapshot, whether anything ran, what weakens a green result
    (suppressions, configuration, tests, tools that are not there), and the work tree's fingerprint."""

    snapshot: Snapshot
    ran: bool
    weakened: Buts = ()
    left_out: Buts = ()
    tree: str = ""
    lost: int = 0  #: how many tests were lost since the start, by number
    names: Mapping[str, Names] = {}  #: check to the tests that it ran, by name
    theirs: tuple[str, ...] = ()  #: files that another session alone wrote
    took: Mapping[str, float] = {}  #: check to the seconds that it took
    ends: Mapping[str, str] = {}  #: check to the end of what it printed, where a judge may be asked
    proof: Proof | None = None  #: what running tests on another tree showed, None where that was not done
    #: tests that do not say the same twice, a judge that was named and alone, which is no work of the agent's: a but,
    #: for which `strict` does not hold
    unsteady: Buts = ()
    told: tuple[str, ...] = ()  #: what is told at this stop alone
    pending: str = ""  #: what has not ended yet, and since when, in words; "" where everything has
    waited: bool = False  #: a check was pending at an earlier stop
    spending: Spending | None = None  #: what was used until now, None where nobody looked
    english: Words = {}  #: the words in which the state keeps why a loop ended
    trees: tuple[Tree, Tree] | None = None  #: the start's and that of now, as it lies there; None: nobody read them yet
    ignored: tuple[str, ...] | None = None  #: what git ignores, as `worktree.ignored`; None as above

    @property
    def against(self) -> Buts:
        """What `strict` holds for."""
        if self.proof is None:
            return (*self.weakened, *self.left_out)
        from untilgreen.core.verdict import proof  # few stops come to one

        return (*self.weakened, *proof.but(self.proof), *self.left_out)

    @property
    def but(self) -> Buts:
        """Everything that keeps a green result from being a verified one."""
        return (*self.against, *self.unsteady)


def green_reason(but: Buts, english: Words) -> str:
    """Why a green loop ends, as its state keeps it."""
    return f"Green, but {brief.but(english, but)}" if but else "All conditions satisfied"


def over(loop: Loop, stop_reason: str, reason: str, now: str, verified: bool | None = None, but: Buts = ()) -> Loop:
    final_status, status = FINAL[stop_reason]
    end = End(reason, final_status, stop_reason, verified, but, ended_at=now, ended_by=loop.end.ended_by)
    return loop.put(end, loop.clock._replace(round_started=0.0))._replace(active=False, status=status, updated_at=now)


def admit(loop: Loop, session: Session, event: Event, marker: Marker | None, *, tree: str, now: str) -> Admitted:
    """Steps 2 to 7 of the verdict, for a running loop; no verdict means: run the checks."""
    reason = not_ours(event)
    if reason:
        return Admitted(loop, Allow(reason, step=2))
    if loop.rest.paused:
        return Admitted(loop, Allow("the loop is paused", step=5))
    ended = ended_by(loop, marker, now)
    if ended is not None:
        return Admitted(loop, ended)
    loop, users = users_turn(loop, session, event, tree)
    if users:
        return Admitted(loop, Allow(users, STILL_RUNNING, 5))
    return waiting_for(loop, event)


def ended_by(loop: Loop, marker: Marker | None, now: str) -> Release | None:
    """Steps 3 and 4: the end that the agent's marker makes by itself, unchecked."""
    if marker is not None and marker.kind == "blocked":
        return Release(over(loop, "blocked", marker.reason or "no reason given", now), 3)
    return Release(declared(loop, now), 4) if marker is not None and loop.settings.markers.marker == "trust" else None


def waiting_for(loop: Loop, event: Event) -> Admitted:
    """Step 6: something in the background will wake the agent, and the loop remembers that it waited for it."""
    if not event.tasks:
        return Admitted(loop)
    from untilgreen.core.verdict import waiting  # its expressions take longer to compile than all the rest

    awaited = waiting.awaited(event.tasks, loop.rest.waited)
    if awaited is None:
        return Admitted(loop)
    counts, what = awaited
    return Admitted(loop.put(loop.rest._replace(waited=counts)), Allow(f"waiting for {what}", STILL_RUNNING, 6))


def not_ours(event: Event) -> str:
    """Why this stop is never judged, whatever loop runs (a sub-agent, plan mode); "" where it may be."""
    if event.agent_id:
        return "a sub-agent's stop"
    return "plan mode" if event.permission_mode == "plan" else ""


def declared(loop: Loop, now: str) -> Loop:
    """The end of a loop whose agent declared it done, unchecked: a success only if nothing is known to be red."""
    done = over(loop, "complete", "Declared done", now, verified=False)
    return done.put(done.end._replace(declared=True))._replace(status="stopped" if known_red(loop) else done.status)


def known_red(loop: Loop) -> Snapshot | None:
    """The newest snapshot if something failed in it."""
    newest = loop.history.newest or loop.start.initial
    return newest if newest is not None and (newest.items or newest.failing) else None


def users_turn(loop: Loop, session: Session, event: Event, tree: str) -> tuple[Loop, str]:
    """Step 5. The loop with its own prompt settled, and why the user goes first ("": he does not). Recorded with a real
    host: a text typed while a turn is held is announced at once, with the prompt id of the running turn; once the stop
    is allowed it gets a turn of its own, whose id nothing announced."""
    own = loop.turns.own_prompt
    if own < 0:
        own = loop.turns.prompts_at_start + 1 if session.prompts > loop.turns.prompts_at_start else session.turn
        loop = loop.put(loop.turns._replace(own_prompt=own))
    if session.wish == "go on" and session.prompts > own:  # this turn is the loop's
        return loop.put(loop.turns._replace(answered=session.prompts, answered_tree="")), ""
    # no turn at all: the agent began the loop itself, in a turn whose prompt was not noted
    numbered = event.prompt_id != "" and (session.turn_id != "" or session.turn == 0)
    if numbered:
        spoke = session.prompts > max(session.turn, loop.turns.answered)
    else:
        # a host without prompt ids: only a prompt that came while the turn was held is surely of this turn
        spoke = event.turn_goes_on and session.prompts > max(loop.turns.prompts_seen, loop.turns.answered)
    if spoke:
        return loop.put(loop.turns._replace(answered=session.prompts, answered_tree=tree)), "the user has spoken"
    if numbered and event.prompt_id != session.turn_id:
        queued = event.prompt_id != session.notified and loop.turns.answered == session.prompts > session.turn
        since = loop.turns.answered_tree if queued else ""
    else:
        since = session.tree if session.turn > own else ""
    return loop, "the turn answers the user and changed nothing" if since and since == tree else ""


def judge(loop: Loop, evidence: Evidence, marker: Marker | None, now: str) -> Verdict:
    """Steps 9 to 12, on the loop as it was read again after the checks. `loop.elapsed_seconds` is up to date."""
    met = is_met(evidence)
    said_done = marker is not None and loop.settings.markers.marker == "require"
    untouched = is_untouched(loop, evidence)
    if met and untouched and not said_done and not loop.asked.promise_only:
        return Allow("green, and nothing has changed since the start", STILL_RUNNING, 9)
    if evidence.pending and evidence.ran and not evidence.snapshot.items and not evidence.snapshot.not_run:
        return Allow(f"waiting for {evidence.pending}", PENDING, 9)
    after = counted(loop, evidence, now)
    if loop.asked.promise_only and said_done and not evidence.snapshot.items:  # of a promise loop only hooks have some
        return Release(declared(after, now), 9)
    if met and not loop.asked.promise_only and (said_done or loop.settings.markers.marker != "require"):
        but = evidence.but
        if not (evidence.against and is_strict(loop)):
            return Release(over(after, "complete", green_reason(but, evidence.english), now, not but, but), 9)
    # held by --strict alone: what stands against the green is the reason, not a missing declaration
    weak = evidence.but if met and is_strict(loop) and evidence.against else ()
    return limited(after, now, green_reason(weak, evidence.english), weak) or next_round(after, now)


def honoured(verdict: Verdict, loop: Loop, event: Event) -> Verdict:
    """The verdict as far as the host honours it: a hold beyond those of one turn would be none, and its round would be
    counted for nothing. The loop goes on with its user's next word."""
    if not isinstance(verdict, Continue):
        return verdict
    holds = loop.turns.turn_holds if event.turn_goes_on else 0
    if event.most_holds and holds >= event.most_holds:
        return Allow("the host lets no more stops of this turn be held", CAPPED, 12)
    return Continue(verdict.loop.put(verdict.loop.turns._replace(turn_holds=holds + 1)))


def limited(loop: Loop, now: str, stuck: str = "", but: Buts = ()) -> Release | None:
    """Steps 10 and 11: the round is counted, and was the last one. `stuck`: why it is, where a but is what holds it."""
    limit = progress.limit_reached(loop)
    if limit is None or limit.stop_reason != "stagnant" or not but:
        return Release(over(loop, limit.stop_reason, limit.reason, now), limit.step) if limit else None
    return Release(over(loop, limit.stop_reason, stuck, now, but=but), limit.step)


def next_round(loop: Loop, now: str) -> Continue:
    """Step 12, and the loop in its next round, be it one more than was asked for."""
    if loop.rounds.iteration >= loop.settings.max_iterations:
        settings = loop.settings._replace(max_iterations=loop.settings.max_iterations + 1)
        loop = loop.put(loop.spent._replace(extended=loop.spent.extended + 1))._replace(settings=settings)
    after = loop.put(
        loop.rounds._replace(iteration=loop.rounds.iteration + 1),
        loop.clock._replace(last_iteration_at=now),
        loop.spent._replace(round_seconds=0.0),
    )._replace(updated_at=now)
    return Continue(after)


def is_strict(loop: Loop) -> bool:
    """A but is no end of this loop: by --strict, or as a test of the start fails as it was, and what passed must still
    pass."""
    if loop.settings.strict or not loop.asked.completion_criteria.preserve or loop.history.proof is None:
        return loop.settings.strict
    from untilgreen.core.verdict import proof

    return proof.lost(loop.history.proof) > 0


def is_untouched(loop: Loop, evidence: Evidence) -> bool:
    """Nothing has changed since the start, no stop was counted, and none waited for what goes on elsewhere. Where the
    start named a judge, it is not asked of the tree alone."""
    unchanged = evidence.tree == loop.history.tree_at_start and not loop.history.snapshots and not evidence.waited
    return unchanged and not loop.asked.completion_criteria.judge


def is_met(evidence: Evidence) -> bool:
    """Every criterion that checks can answer; a promise loop has none, its marker decides."""
    snapshot = evidence.snapshot
    return evidence.ran and not snapshot.items and not snapshot.not_run and None not in snapshot.scores.values()


def counted(loop: Loop, evidence: Evidence, now: str) -> Loop:
    after = progress.advance(loop, evidence.snapshot, evidence.tree)
    history = after.history._replace(snapshots=(*loop.history.snapshots, evidence.snapshot), current=evidence.snapshot)
    spent = after.spent._replace(spending=evidence.spending or after.spent.spending)
    return after.put(history, spent)._replace(updated_at=now)
