"""A completion hook that is a command of the user's own: what it is told, how it is run, what it answered."""

import json
import time

from untilgreen.checkers.checker import unfinished
from untilgreen.checks import asking
from untilgreen.checks.run import processes
from untilgreen.core import document, secrets
from untilgreen.core.model.loop import Loop, Release
from untilgreen.core.model.settings import HookSetting
from untilgreen.core.record import Any
from untilgreen.core.verdict import completion, measure, policy
from untilgreen.core.verdict.completion import CompletionContext, Decision, ToolSummary
from untilgreen.loops.stop import completing
from untilgreen.loops.stop.payload import message_of
from untilgreen.loops.stop.steps import StopStep
from untilgreen.loops.stop.stop_policy import Stop
from untilgreen.loops.stop.verdict import judged
from untilgreen.state import clock, documents, memory

_LONGEST = 1_000_000  # characters of an answer


def run(stop: Stop, step: StopStep, until: float) -> Stop:
    """Ask the hook of this name, and do as it says."""
    hook = next(one for one in stop.loop.settings.hooks if one.name == step.name)
    completing.shown(stop, f"hook:{hook.name}", completion.STAGE)
    decision = _asked(hook, stop, min(until, time.monotonic() + hook.share * stop.deadline))
    if stop.unwanted():
        return completing.stepped_aside(completing.noted(stop, step, Decision("skip")))
    stop = completing.noted(stop, step, decision, f"hook {hook.name}")
    if decision.action == "continue":
        item = completion.held(hook.name, decision)
        snapshot = measure.added(stop.evidence.snapshot, completion.STAGE, item.check, (item,))
        return judged(stop._replace(evidence=stop.evidence._replace(snapshot=snapshot)))
    return _let_go(stop, hook.name, decision) if decision.action == "stop" else stop


def _let_go(stop: Stop, name: str, decision: Decision) -> Stop:
    """The end that a hook makes. Where the loop is complete by itself, and the hook says no more than that, it is so
    with a but: the rest was not asked."""
    if stop.own is not None and decision.stop_reason == "complete":
        return completing.complete(stop, f"hook {name} let it go")
    now, loop = clock.iso(time.time()), stop.loop
    loop = policy.counted(loop, stop.evidence, now) if stop.own is not None else loop
    reason = decision.stop_reason.replace("_", "-")
    said = completion.one_line(decision.stop_message)
    if reason == "complete":
        over, usual = policy.declared(loop, now), "said that it is done"
    else:
        known = reason if reason in policy.FINAL else "blocked"
        over, usual = policy.over(loop, known, "", now), "let it go"
    text = f"hook {name}: {said}" if said else f"hook {name} {usual}"
    return stop._replace(verdict=Release(over.put(over.end._replace(ended_by=name, completion_reason=text)), 10))


def _context(stop: Stop) -> CompletionContext:
    """What the hooks are told, without what is secret in it."""
    loop, call = stop.loop, stop.call
    message = message_of(call.event, call.place).encode("utf-8", "replace")[-completion.LAST :]
    done = memory.observed(call.place, loop.loop_id, loop.rounds.iteration)
    tools = tuple(_summary(loop, one) for one in done if isinstance(one.get("name"), str))
    state, text = secrets.in_document([documents.of_loop(loop), message.decode("utf-8", "ignore")])
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
    found = asking.find(hook.command[0], loop.project, loop.checks.asked, env) or hook.command[0]
    environment = processes.environment(env, loop.settings.env_remove)
    program = asking.Program((found, *hook.command[1:]), loop.project, environment)
    told = json.dumps(document.dump(_context(stop)))
    [done] = asking.ask(loop.project, program, [told], env, until, stop.unwanted)
    if (why := unfinished(done)) or len(done.stdout) > _LONGEST:
        return completion.broken(why or "it printed more than an answer")
    return completion.read(done.code or 0, asking.newest(done.stdout), done.stdout, done.stderr)
