"""A completion hook that is a command of the user's own: what it is told, how it is run, what it answered."""

import json
import math
import os
from collections.abc import Callable
from typing import Any

from untilgreen.checkers.checker import unfinished
from untilgreen.checks.run import processes, report_folder
from untilgreen.core import document, secrets
from untilgreen.core.model.completion import CompletionContext, Decision, ToolSummary
from untilgreen.core.model.loop import Loop
from untilgreen.core.model.settings import HookSetting
from untilgreen.core.verdict import completion
from untilgreen.loops.stop import judge
from untilgreen.loops.stop.payload import message_of
from untilgreen.loops.stop.stop_policy import Stop
from untilgreen.project import trust
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
    if not trust.trusted(loop.project, env):
        return completion.broken("not trusted any more (`untilgreen trust`)")
    program = judge.commands_own(hook.command[0], loop.project, loop.checks.asked, env) or hook.command[0]
    with report_folder.made(env) as folder:
        path = os.path.join(folder, "stop.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(document.dump(told), file)
        job = processes.Job(hook.name, (program, *hook.command[1:]), loop.project, math.inf, stdin=path)
        done = processes.run((job,), processes.environment(env, loop.settings.env_remove), until, idle)[hook.name]
    if (why := unfinished(done)) or len(done.stdout) > _LONGEST:
        return completion.broken(why or "it printed more than an answer")
    return completion.read(done.code or 0, judge.newest(done.stdout), done.stdout, done.stderr)
