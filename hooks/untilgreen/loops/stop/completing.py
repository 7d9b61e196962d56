"""Who is asked beside the loop itself: the user's completion hooks, and a review of the diff. Few loops have either."""

import json
import time

from untilgreen.checkers.checker import unfinished
from untilgreen.checks import asking
from untilgreen.checks.run import processes
from untilgreen.core import document, secrets
from untilgreen.core.model.check import WHOLE, Check
from untilgreen.core.model.groups import Against
from untilgreen.core.model.loop import Allow, Continue, Loop, Release, dump_loop
from untilgreen.core.model.settings import HookSetting
from untilgreen.core.model.snapshot import Item
from untilgreen.core.record import Any
from untilgreen.core.verdict import completion, measure, policy
from untilgreen.core.verdict.completion import CompletionContext, Decision, ToolSummary
from untilgreen.core.words import brief, judgement
from untilgreen.loops.stop import judge
from untilgreen.loops.stop.in_loop import judged
from untilgreen.loops.stop.payload import message_of
from untilgreen.loops.stop.steps import Stop, StopStep
from untilgreen.loops.stop.trace import GONE
from untilgreen.state import catalogue, clock, journal, memory, store, under_way

_LONGEST = 1_000_000  # characters of a hook's answer
_READ = 200_000  # characters of what a review printed


def ask_hook(stop: Stop, step: StopStep, until: float) -> Stop:
    hook = next(one for one in stop.loop.settings.hooks if one.name == step.name)
    _show(stop, f"hook:{hook.name}", completion.STAGE)
    decision = _asked(hook, stop, min(until, time.monotonic() + hook.share * stop.deadline))
    if stop.unwanted():
        return _step_aside(stop, step)
    stop = _noted(stop, step, decision, f"hook {hook.name}")
    if decision.action == "continue":
        return judged(_with(stop, completion.STAGE, completion.held(hook.name, decision)))
    return _let_go(stop, hook.name, decision) if decision.action == "stop" else stop


def review_diff(stop: Stop, step: StopStep, until: float) -> Stop:
    """What a review of the diff finds holds, as often as it may, and is told after that."""
    _show(stop, judgement.REVIEW, judgement.REVIEW)
    said = _reviewed(stop, min(until, time.monotonic() + stop.loop.settings.review.seconds))
    if stop.unwanted():
        return _step_aside(stop, step)
    if isinstance(said, str):
        return _noted(stop, step, completion.broken(said), judgement.REVIEW)
    outcomes = stop.evidence.snapshot.outcomes
    items = judgement.review_items(
        said, judgement.REVIEW if judgement.REVIEW not in outcomes else f"{judgement.REVIEW} of the diff"
    )
    told = f"{len(items)} finding{'' if len(items) == 1 else 's'}"
    if items and stop.loop.reviews >= stop.loop.settings.review.most:
        stop = _noted(stop, step, Decision("skip", told))
        return stop._replace(let_by=(*stop.let_by, Against("reviewed", number=len(items))))
    # that nothing was found is worth something where the checks did their work
    if items or {"clean", "found"}.intersection(outcomes.values()):
        if stop.loop.settings.hooks:  # none of them objects any more
            snapshot = stop.evidence.snapshot
            snapshot = snapshot._replace(scores=snapshot.scores | {completion.STAGE: 0})
            stop = stop._replace(evidence=stop.evidence._replace(snapshot=snapshot))
        stop = _with(stop, judgement.REVIEW, *items)
    stop = _noted(stop, step, Decision("continue", told) if items else Decision("skip"))
    stop = judged(stop) if items else stop
    if items and isinstance(stop.verdict, Continue):
        loop = stop.verdict.loop
        return stop._replace(verdict=stop.verdict._replace(loop=loop._replace(reviews=loop.reviews + 1)))
    return stop


def conclude(stop: Stop, _step: StopStep, _until: float) -> Stop:
    """Complete, where nobody objected; who was asked is told and kept. The end of a promise loop names no buts."""
    stop = stop if stop.verdict else _complete(stop)
    loop, evidence = stop.loop, stop.evidence
    others = [one for one in (*stop.skipped, *stop.let_by) if loop.asked.promise_only or one not in evidence.but]
    said = brief.tell_against(catalogue.words(loop.settings), others)
    when, round_now, hooks = clock.iso(time.time()), loop.rounds.iteration, tuple(stop.trace.hooks)
    journal.append(stop.call.place, "completion", when, loop_id=loop.loop_id, iteration=round_now, hooks=hooks)
    return stop._replace(evidence=evidence._replace(told=(*evidence.told, *said)))


def _show(stop: Stop, name: str, stage: str) -> None:
    """Tell those who watch that this one is asked now."""
    under_way.Notes(stop.call.place, {}).turned(Check(name, name, ".", stage, ""), WHOLE)


def _noted(stop: Stop, step: StopStep, decision: Decision, what: str = "") -> Stop:
    """The stop that knows what one of them answered. `what`: its name where it is told that it did not do its work."""
    stop.trace.answered(step.name, step.priority, decision)
    skipped = (Against("broken", decision.broken, check=what),) if decision.broken else ()
    return stop._replace(skipped=(*stop.skipped, *skipped))


def _step_aside(stop: Stop, step: StopStep) -> Stop:
    """The user spoke while one was asked, or the loop is no more what it was."""
    stop, call = _noted(stop, step, Decision("skip")), stop.call
    loop, users = policy.users_turn(stop.loop, store.read_session(call.place), call.event, stop.tree)
    return stop._replace(loop=loop, verdict=Allow(users, policy.STILL_RUNNING, 5) if users else Allow(GONE, step=8))


def _with(stop: Stop, stage: str, *items: Item) -> Stop:
    name = items[0].check if items else judgement.REVIEW
    snapshot = measure.added(stop.evidence.snapshot, stage, name, items)
    return stop._replace(evidence=stop.evidence._replace(snapshot=snapshot))


def _complete(stop: Stop, *unsteady: Against) -> Stop:
    """The stop of a loop that is complete, judged with what the hooks and the review say of that."""
    evidence = stop.evidence
    left_out = (*evidence.left_out, *stop.skipped)
    unsteady = (*evidence.unsteady, *stop.let_by, *unsteady)
    return judged(stop._replace(evidence=evidence._replace(left_out=left_out, unsteady=unsteady)))


def _let_go(stop: Stop, name: str, decision: Decision) -> Stop:
    """The end that a hook makes. Where the loop is complete by itself, and the hook says no more than that, it is so
    with a but: the rest was not asked."""
    if stop.own is not None and decision.stop_reason == "complete":
        return _complete(stop, Against("let_go", check=name))
    now, loop = clock.iso(time.time()), stop.loop
    loop = policy.counted(loop, stop.evidence, now) if stop.own is not None else loop
    reason, said = decision.stop_reason.replace("_", "-"), completion.one_line(decision.stop_message)
    if reason == "complete":
        over, usual = policy.declared(loop, now), "said that it is done"
    else:
        over, usual = policy.over(loop, reason if reason in policy.FINAL else "blocked", "", now), "let it go"
    text = f"hook {name}: {said}" if said else f"hook {name} {usual}"
    return stop._replace(verdict=Release(over.put(over.end._replace(ended_by=name, completion_reason=text)), 10))


def _context(stop: Stop) -> CompletionContext:
    """What the hooks are told, without what is secret in it."""
    loop, call = stop.loop, stop.call
    message = message_of(call.event, call.place).encode("utf-8", "replace")[-completion.LAST :]
    done = memory.observed(call.place, loop.loop_id, loop.rounds.iteration)
    tools = tuple(_summary(loop, one) for one in done if isinstance(one.get("name"), str))
    state, text = secrets.in_document([dump_loop(loop), message.decode("utf-8", "ignore")])
    return CompletionContext(loop.loop_id, text, tools, state, loop.rounds.iteration, loop.started_at)


def _summary(loop: Loop, one: dict[str, Any]) -> ToolSummary:
    """A call of a tool by its line in the history, with what is known of it as evidence or as an error."""
    name, called, command = one["name"], str(one.get("id") or ""), str(one.get("command") or "")
    run = next((run for run in reversed(loop.observed.evidence) if called and run.tool_use_id == called), None)
    about = name, command or str(one.get("file") or "")
    failed = (
        error.message for error in loop.observed.tool_errors if not one["ok"] and (error.tool, error.about) == about
    )
    said = run.error if run and run.error else next(failed, "")
    return ToolSummary(name, called, command, run.success if run else one["ok"], error=said)


def _asked(hook: HookSetting, stop: Stop, until: float) -> Decision:
    """Its answer. Raises processes.Interrupted, trust.Unread, OSError."""
    loop, env = stop.loop, stop.call.env
    environment = processes.environment(env, loop.settings.tools.env_remove)
    program = asking.Program(asking.words(hook.command, loop, env), loop.project, environment)
    told = json.dumps(document.dump(_context(stop)))
    [done] = asking.ask(loop.project, program, [told], env, until, stop.unwanted)
    if (why := unfinished(done)) or len(done.stdout) > _LONGEST:
        return completion.broken(why or "it printed more than an answer")
    return completion.read(done.code or 0, asking.newest(done.stdout), done.stdout, done.stderr)


def _reviewed(stop: Stop, until: float) -> tuple[judgement.Remark, ...] | str:
    """What it found, or why there is nothing to read. Raises as `asking.ask`."""
    loop, own, env = stop.loop, stop.loop.settings.review, stop.call.env
    diff = judge.diff_of(stop, loop.start.start_ref, until)
    if not diff.strip():
        return ()
    shown = judge.beside(stop, diff)
    prompt = judgement.prompt(judgement.REVIEW_OK, shown, judge.fence(shown))
    if own.command:
        program = judge.commands_own(asking.words(own.command, loop, env), loop.project, env)
    elif called := judge.hosts_own(loop.project, env):
        program = judge.headless(called, judgement.SCHEMA[judgement.REVIEW_OK], env)
    else:
        return f"{judge.host()} is not installed"
    program = program._replace(seconds=own.seconds)
    [output] = asking.ask(loop.project, program, [prompt], env, until, stop.unwanted)
    if why := unfinished(output):
        return why
    printed = f"{output.stdout[:_READ].strip()}\n{output.stderr[:_READ].strip()}"
    found = judge.opened(output.stdout, judgement.REVIEW_OK)
    return judgement.read_review(output.code or 0, found, printed, by_code=bool(own.command))
