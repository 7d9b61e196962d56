"""A completion hook that is a command of the user's own: what it is told, how it is run, what it answered."""

import json
from collections.abc import Callable
from typing import Any

from untilgreen.checkers.checker import unfinished
from untilgreen.checks import asking
from untilgreen.checks.run import processes
from untilgreen.core import document, secrets
from untilgreen.core.model.loop import Loop
from untilgreen.core.model.settings import HookSetting
from untilgreen.core.verdict import completion
from untilgreen.core.verdict.completion import CompletionContext, Decision, ToolSummary
from untilgreen.loops.stop.payload import message_of
from untilgreen.loops.stop.stop_policy import Stop
from untilgreen.state import documents, memory

_LONGEST = 1_000_000  # characters of an answer


def context(stop: Stop) -> CompletionContext:
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


def asked(hook: HookSetting, stop: Stop, told: CompletionContext, until: float, idle: Callable[[], bool]) -> Decision:
    """Its answer. `until` and `idle` as in `processes.run`. Raises processes.Interrupted, trust.Unread, OSError."""
    loop, env = stop.loop, stop.call.env
    found = asking.find(hook.command[0], loop.project, loop.checks.asked, env) or hook.command[0]
    environment = processes.environment(env, loop.settings.env_remove)
    program = asking.Program((found, *hook.command[1:]), loop.project, environment)
    [done] = asking.ask(loop.project, program, [json.dumps(document.dump(told))], env, until, idle)
    if (why := unfinished(done)) or len(done.stdout) > _LONGEST:
        return completion.broken(why or "it printed more than an answer")
    return completion.read(done.code or 0, asking.newest(done.stdout), done.stdout, done.stderr)
