"""`untilgreen run`: the outer loop. Each round is a process of the agent's own, which knows what the files tell it."""

import os
import uuid
from collections.abc import Mapping, Sequence
from typing import Any

import click

from untilgreen import hosts
from untilgreen.cli import options
from untilgreen.cli.run import beginning, rounds, steps
from untilgreen.cli.run.beginning import Own
from untilgreen.cli.run.rounds import Course, Ended
from untilgreen.cli.terminal import Screen, heard
from untilgreen.core.errors import UserError
from untilgreen.core.foreign import plain
from untilgreen.loops.begin import starting
from untilgreen.loops.begin.options import Request, request
from untilgreen.loops.rest import parking
from untilgreen.loops.run import agent, worktrees

_STOPPED = 5
_CODES = {"blocked": 4, "cancelled": 130, parking.INTERRUPTED: 130}
_WITH_RESUME = {"--session", "--project", "--json"}


def _invoke(given: Mapping[str, Sequence[str]], free: str | None, found: dict[str, Any]) -> int:
    own, env = Own(**found), agent.outside(os.environ)
    screen = Screen(err="--json" in given)
    if own.resume:
        course = _resumed(given, free, own, env, screen)
    elif "--session" in given:
        raise UserError("--session is for --resume: a run has a session of its own", "leave it out")
    elif own.each_step:
        course = _first_step(given, free, own, env, screen)
    else:
        course = _begun(request(given, free), own, env, screen)
    with starting.state_is_used("the run rests; go on with: untilgreen run --resume"), heard() as told:
        course, ended = _to_the_end(course._replace(told=told))
    return _end(course, ended, as_json="--json" in given)


def _resumed(
    given: Mapping[str, Sequence[str]], free: str | None, own: Own, env: dict[str, str], screen: Screen
) -> Course:
    other = [flag for flag in given if flag not in _WITH_RESUME]
    if other or free or own.args or own.command or own.each_step or own.worktree:
        raise UserError(
            "--resume goes on with what the run began with", "give --session or --project at most beside it"
        )
    session, project = (given.get(flag, ("",))[-1] for flag in ("--session", "--project"))
    with starting.state_is_used("nothing was resumed"):
        return beginning.again(session, project, env, screen)


def _begun(asked: Request, own: Own, env: dict[str, str], screen: Screen, **more: Any) -> Course:
    """The first loop of a run. A work tree in which nothing could begin is taken away again."""
    run = beginning.record(asked.project, own, env)._replace(**more)
    if run.branch and run.plan:
        run = run._replace(plan=worktrees.there(run.begun_in, run.project, run.plan))
    try:
        course = beginning.begin(run, asked, env, screen)
    except UserError:
        if run.branch:
            worktrees.drop(run.begun_in, run.project, run.branch, env)
        raise
    for line in worktrees.begun(run.begun_in, run.project, run.branch) if run.branch else ():
        screen.say(line)
    if not own.command:
        screen.say(agent.permission(own.host, own.args))
    return course


def _first_step(
    given: Mapping[str, Sequence[str]], free: str | None, own: Own, env: dict[str, str], screen: Screen
) -> Course:
    plan = given.get("--task-file", ("",))[-1]
    if not plan or plan == "-" or free or "--task" in given:
        raise UserError("--each-step needs the steps, and nothing else", "give --task-file PLAN.md")
    rest = {flag: tuple(values) for flag, values in given.items() if flag != "--task-file"}
    text = steps.first(path := os.path.realpath(plan)).text
    return _begun(request(rest, text), own, env, screen, plan=path, step=text.split("\n")[0], given=rest)


def _to_the_end(course: Course) -> tuple[Course, Ended]:
    while True:
        try:
            ended = rounds.go(course)
            step = steps.tick(course.run.plan, course.run.step) if course.run.plan and ended.success else None
        finally:
            os.close(course.lock)
        if step is None or course.told:
            return course, ended
        run = course.run._replace(session=str(uuid.uuid4()), messages=(), child=0, step=step.text.split("\n")[0])
        begun = beginning.begin(run, request(run.given, step.text), course.env, course.screen)
        course = begun._replace(told=course.told)


def _end(course: Course, ended: Ended, *, as_json: bool) -> int:
    loop, run = ended.loop, course.run
    if loop is not None and loop.active:
        course.screen.say(f"untilgreen: {ended.why}; go on with: untilgreen run --resume --session {run.session}")
    for line in worktrees.told(run.begun_in, run.project, run.branch) if run.branch else ():
        course.screen.say(line)
    if as_json:
        told = {
            "success": ended.success,
            "stop_reason": ended.stop_reason,
            "iterations": loop.rounds.iteration if loop else 0,
            "final_text": plain(ended.text),
            "session_id": run.session,
            "loop_id": loop.loop_id if loop else None,
        }
        options.print_json(told)
    return 0 if ended.success else _CODES.get(ended.stop_reason, _STOPPED)


_OWN = (
    click.Option(["--host"], default=hosts.DEFAULT, metavar="NAME", help="The host that is started for each round."),
    click.Option(
        ["--command"],
        metavar="WORDS",
        help="Start this instead, without a shell; {prompt} stands for the prompt, which else comes on stdin.",
    ),
    click.Option(["--resume"], is_flag=True, help="Go on with the newest run here that can, or with --session."),
    click.Option(
        ["--wait-limits/--no-wait-limits"], default=True, help="Whether to wait until a limit of the model's is over."
    ),
    click.Option(["--worktree"], is_flag=True, help="Work in a linked work tree on a branch of its own."),
    click.Option(["--each-step"], is_flag=True, help="A loop for each unchecked `- [ ]` of --task-file."),
    click.Option(
        ["--last-messages"],
        type=click.IntRange(min=0),
        metavar="N",
        help="Tell each round the last N messages of the agent.",
    ),
)
command = options.running(_invoke, _OWN)
