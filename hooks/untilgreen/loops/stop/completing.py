"""The completion pipeline at the stop of a loop that has hooks or a review: the user's own commands, the loop's own
judgement and the review are asked in order of priority. Loops without either never come here."""

import math
import time
from collections.abc import Callable

from untilgreen.core.model.check import WHOLE, Check
from untilgreen.core.model.loop import Allow, Continue, Release, Verdict
from untilgreen.core.model.settings import HookSetting
from untilgreen.core.model.snapshot import Item, Snapshot
from untilgreen.core.record import NamedTuple
from untilgreen.core.verdict import completion, measure, policy
from untilgreen.core.verdict.completion import AskedHook, CompletionContext, Decision
from untilgreen.core.verdict.policy import Evidence
from untilgreen.core.words import review
from untilgreen.loops.stop import gathering, hook_commands
from untilgreen.loops.stop.stop_policy import Policy, Stop
from untilgreen.loops.stop.trace import CHECKS, GONE
from untilgreen.state import clock, journal, store, under_way


class StopHook(NamedTuple):
    """One that is asked at this stop. `seconds`: what it may take; `ask` gets those, and when they are over."""

    name: str
    priority: int
    kind: str
    seconds: float
    ready: Callable[[], bool]
    ask: Callable[[CompletionContext, float], Decision]
    until: Callable[["StopHook"], float]

    def should_run(self, _context: CompletionContext) -> bool:
        """Whether anybody still wants to know."""
        return self.ready()

    def run(self, context: CompletionContext) -> Decision:
        """Its answer, within its share of the time that is left."""
        return self.ask(context, self.until(self))


def completed(policy_of: Policy, stop: Stop, until: float) -> tuple[Stop, Verdict]:
    """The stop with what was learned, and the verdict. `until` is of the monotonic clock. Raises
    processes.Interrupted, trust.Unread, store.Unreadable, OSError."""
    pipeline = _Pipeline(policy_of, stop, until)
    hook, decision = completion.run(pipeline.hooks, hook_commands.context(stop), pipeline.answered)
    verdict = pipeline.verdict(hook, decision)
    loop, when = stop.loop, clock.iso(time.time())
    journal.append(
        stop.call.place,
        "completion",
        when,
        loop_id=loop.loop_id,
        iteration=loop.rounds.iteration,
        hooks=tuple(pipeline.asked),
    )
    return pipeline.stop, verdict


class _Pipeline:
    """The way of one stop through the pipeline. It has state: the stop, what the loop said, what the hooks did."""

    def __init__(self, policy_of: Policy, stop: Stop, until: float) -> None:
        self.stop, self._policy, self._until = stop, policy_of, until
        self.asked: list[AskedHook] = []
        self._own: Verdict | None = None
        self._gone, self._watch = False, gathering.watch(stop)
        self._skipped: list[str] = []  # those that did not do their work, and why
        self._found: tuple[Item, ...] | None = None  # by the review, None where it did not come to an end
        self._let_by: list[str] = []  # what the review found and no longer holds for
        self._since = time.monotonic()
        settings = stop.loop.settings
        deadline = float(stop.call.options.get("deadline") or settings.deadline)
        hooks = [self._hook("loop", completion.LOOP, "loop", math.inf, self._judged)]
        if settings.review.wanted:
            hooks += [self._hook(review.NAME, completion.REVIEW, "review", settings.review.seconds, self._reviewed)]
        for one in settings.hooks:
            hooks += [self._hook(one.name, one.priority, "hook", one.share * deadline, self._command(one))]
        self.hooks = completion.in_order(hooks)

    def _hook(
        self,
        name: str,
        priority: int,
        kind: str,
        seconds: float,
        ask: Callable[[CompletionContext, float], Decision],
    ) -> StopHook:
        return StopHook(name, priority, kind, seconds, lambda: not self._gone, ask, self._time)

    def _time(self, hook: StopHook) -> float:
        """When this one must have ended: those behind it have their time, or half of what is left together."""
        self._since = now = time.monotonic()
        left = max(0.0, self._until - now)
        behind = sum(one.seconds for one in self.hooks[self.hooks.index(hook) + 1 :])
        return now + min(hook.seconds, max(left - behind, left / 2))

    def _idle(self) -> bool:
        self._gone = self._gone or self._watch()
        return self._gone

    def answered(self, hook: StopHook, decision: Decision) -> None:
        """Note what a hook answered."""
        answer, said = ("broken", decision.broken) if decision.broken else (decision.action, decision.reason)
        seconds = round(time.monotonic() - self._since, 3)
        one = AskedHook(hook.name, hook.priority, answer, completion.one_line(said), seconds)
        self.asked.append(one)
        self.stop.trace.hooks.append(one._asdict())
        self.stop.trace.took("hooks")  # so that it is not the time of a step
        if decision.broken:
            what = hook.name if hook.kind == "review" else f"hook {hook.name}"
            self._skipped.append(f"{what} did not do its work: {decision.broken}")

    def _judged(self, _context: CompletionContext, until: float) -> Decision:
        """The loop's own judgement; where it is complete the others are asked, too."""
        self.stop, evidence = self._policy.checked(self.stop, until)
        self.stop.trace.passed(CHECKS)
        self._own = self._again(evidence)
        if isinstance(self._own, Continue):
            return Decision("continue")
        if isinstance(self._own, Release) and self._own.loop.end.stop_reason == "complete":
            return Decision("skip")
        reason = self._own.reason if isinstance(self._own, Allow) else self._own.loop.end.stop_reason or ""
        return Decision("stop", reason)

    def _command(self, one: HookSetting) -> Callable[[CompletionContext, float], Decision]:
        def ask(context: CompletionContext, until: float) -> Decision:
            self._shown(f"hook:{one.name}", completion.STAGE)
            decision = hook_commands.asked(one, self.stop, context, until, self._idle)
            return Decision("skip") if self._gone else decision

        return ask

    def _reviewed(self, _context: CompletionContext, until: float) -> Decision:
        from untilgreen.loops.stop import reviewing

        assert self.stop.evidence is not None
        self._shown(review.NAME, review.STAGE)
        said = reviewing.reviewed(self.stop, self.stop.evidence, until - time.monotonic(), until, self._idle)
        if self._gone:
            return Decision("skip")
        if isinstance(said, str):
            return completion.broken(said)
        taken = self.stop.evidence.snapshot.outcomes
        self._found = review.items(said, review.NAME if review.NAME not in taken else f"{review.NAME} of the diff")
        told = f"{len(self._found)} finding{'' if len(self._found) == 1 else 's'}"
        if self._found and self.stop.loop.reviews >= self.stop.loop.settings.review.most:
            self._let_by, self._found = [f"{review.NAME}: {told}"], None
            return Decision("skip", told)
        return Decision("continue", told) if self._found else Decision("skip")

    def _shown(self, name: str, stage: str) -> None:
        under_way.Notes(self.stop.call.place, {}).turned(Check(name, name, ".", stage, ""), WHOLE)

    def verdict(self, hook: StopHook | None, decision: Decision) -> Verdict:
        """What it comes to. The stop has the evidence then, and the loop as it is known now."""
        if self._gone:
            return self._stepped_aside()
        decided = self._own
        if hook is None:  # all of them let the loop be complete
            decided = self._again(self._complete())
        elif hook.kind == "hook":
            decided = self._held(hook, decision) if decision.action == "continue" else self._let_go(hook, decision)
        elif hook.kind == "review":
            decided = self._again(self._with_review(self._evidence()))
            if isinstance(decided, Continue):
                decided = decided._replace(loop=decided.loop._replace(reviews=decided.loop.reviews + 1))
        assert decided is not None
        self._tell(*self._skipped, *self._let_by)
        return decided

    def _tell(self, *said: str) -> None:
        """Say what is no but of what is decided; the end of a promise loop names no buts."""
        evidence = self._evidence()
        more = (one for one in said if self.stop.loop.asked.promise_only or one not in evidence.but)
        self.stop = self.stop._replace(evidence=evidence._replace(told=(*evidence.told, *more)))

    def _again(self, evidence: Evidence) -> Verdict:
        self.stop, verdict = self._policy.judged(self.stop._replace(evidence=evidence), evidence)
        return verdict

    def _stepped_aside(self) -> Allow:
        """The user spoke while a hook ran, or the loop is no more what it was."""
        call, loop = self.stop.call, self.stop.loop
        loop, users = policy.users_turn(loop, store.read_session(call.place), call.event, self.stop.tree)
        self.stop = self.stop._replace(loop=loop)
        return Allow(users, policy.STILL_RUNNING, 5) if users else Allow(GONE, step=8)

    def _evidence(self) -> Evidence:
        """What the checks brought; where they did not run, that nothing is known of their stages."""
        if self.stop.evidence is not None:
            return self.stop.evidence
        loop = self.stop.loop
        unknown = dict.fromkeys(one.stage for one in loop.checks.plan if not one.absent)
        snapshot = Snapshot(loop.rounds.iteration, clock.iso(time.time()), scores=unknown)
        return Evidence(snapshot, ran=False, tree=self.stop.tree)

    def _held(self, hook: StopHook, decision: Decision) -> Verdict:
        evidence = self._evidence()
        if self.stop.evidence is None:  # the tree of each counted round is kept
            self.stop, ref, path = gathering.kept(self.stop, self._until)
            evidence = evidence._replace(snapshot=evidence.snapshot._replace(ref=ref, snapshot_path=path))
        item = completion.held(hook.name, decision)
        snapshot = measure.added(evidence.snapshot, completion.STAGE, item.check, (item,))
        return self._again(evidence._replace(snapshot=snapshot))

    def _let_go(self, hook: StopHook, decision: Decision) -> Verdict:
        """The end that a hook makes. Where the loop is complete by itself, and the hook says no more than that, it is
        so with a but: the rest was not asked."""
        evidence = self.stop.evidence
        if evidence is not None and decision.stop_reason == "complete":
            evidence = self._complete()
            return self._again(evidence._replace(unsteady=(*evidence.unsteady, f"hook {hook.name} let it go")))
        now, loop = clock.iso(time.time()), self.stop.loop
        loop = policy.counted(loop, evidence, now) if evidence else loop
        self.stop = self.stop._replace(evidence=self._evidence())
        reason = decision.stop_reason.replace("_", "-")
        said = completion.one_line(decision.stop_message)
        if reason == "complete":
            over, usual = policy.declared(loop, now), "said that it is done"
        else:
            known = reason if reason in policy.FINAL else "blocked"
            over, usual = policy.over(loop, known, "", now), "let it go"
        text = f"hook {hook.name}: {said}" if said else f"hook {hook.name} {usual}"
        return Release(over.put(over.end._replace(ended_by=hook.name, completion_reason=text)), 10)

    def _complete(self) -> Evidence:
        """The evidence of a loop that is complete, with what the hooks and the review say of that."""
        evidence = self._with_review(self._evidence())
        left_out, unsteady = (*evidence.left_out, *self._skipped), (*evidence.unsteady, *self._let_by)
        return evidence._replace(left_out=left_out, unsteady=unsteady)

    def _with_review(self, evidence: Evidence) -> Evidence:
        snapshot = evidence.snapshot
        if self._found is None or not (self._found or {"clean", "found"}.intersection(snapshot.outcomes.values())):
            return evidence
        if any(one.kind == "hook" for one in self.hooks):  # none of them objects any more
            snapshot = snapshot._replace(scores=snapshot.scores | {completion.STAGE: 0})
        name = self._found[0].check if self._found else review.NAME
        return evidence._replace(snapshot=measure.added(snapshot, review.STAGE, name, self._found))
