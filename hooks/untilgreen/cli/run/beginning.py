"""How a run begins, or is taken up again: what starts the agent, whose loop it is, and that nobody else runs it."""

import os
import uuid
from collections.abc import Mapping

from untilgreen import hosts
from untilgreen.cli.run.rounds import Course
from untilgreen.cli.start import from_here
from untilgreen.cli.terminal import Screen, Signals
from untilgreen.core.errors import UserError
from untilgreen.core.record import NamedTuple
from untilgreen.core.verdict import attempts
from untilgreen.loops.begin import starting
from untilgreen.loops.begin.options import Request, resolve
from untilgreen.loops.heard import announcing
from untilgreen.loops.rest import going_on, parking, switching
from untilgreen.loops.run import agent, worktrees
from untilgreen.loops.stop import spending
from untilgreen.settings import load
from untilgreen.state import catalogue, locks, runs, store
from untilgreen.state import place as places
from untilgreen.state.place import STATE
from untilgreen.state.runs import RunRecord


class Own(NamedTuple):
    """What a run takes beside the options of a start; `args`: what follows `--`."""

    host: str
    command: str | None
    resume: bool
    wait_limits: bool
    worktree: bool
    each_step: bool
    last_messages: int | None
    args: tuple[str, ...]


def record(project: str, own: Own, env: Mapping[str, str]) -> RunRecord:
    """What is to be run, and where; nothing has begun yet. Raises UserError."""
    root = starting.root_of(project, os.environ)
    argv = agent.of_command(own.command, own.args) if own.command else agent.of_host(own.host, own.args, root, env)
    session, last = str(uuid.uuid4()), -1 if own.last_messages is None else own.last_messages
    run = RunRecord(session, root, root, hosts.GENERIC if own.command else own.host, argv, own.wait_limits, last)
    _refuse(run)
    if not own.worktree:
        return run
    branch = f"untilgreen/{session[:8]}"
    return run._replace(project=worktrees.make(root, branch, env), branch=branch)


def begin(run: RunRecord, asked: Request, env: Mapping[str, str], screen: Screen) -> Course:
    """Begin its loop, and hold it. Raises UserError, OSError."""
    root = run.project
    asked = from_here(root, asked)
    spending.refuse(resolve(load.load(root), asked, load.said(root)).settings, (run.host,))
    place, loop = starting.start(asked, root, run.session, os.environ, host=run.host)
    runs.save(env, run)
    lock = _held(run, env)
    told = announcing.summary(loop, catalogue.words(loop.settings))
    for line in (*announcing.in_a_shell(loop), f"session {run.session}", *told):
        screen.say(line)
    return Course(place, run, env, screen, Signals(), lock)


def again(session: str, project: str, env: Mapping[str, str], screen: Screen) -> Course:
    """Take up a run where it was. Raises UserError, OSError."""
    root = starting.root_of(project, os.environ)
    run = runs.read(env, session) if session else next(filter(_rests, runs.newest_first(env, root)), None)
    if run is None:
        raise UserError("no run here can go on", "untilgreen run TASK")
    lock = _held(run, env)
    run = runs.read(env, run.session) or run  # as whoever held it left it
    if agent.end_left_over(run):
        screen.say("untilgreen: the agent of the runner that was killed was still at work; it was ended")
    _refuse(run)
    place = places.of(run.project, starting.base_of(run.project, env), run.session)
    loop = store.look_at(place.file(STATE))
    if loop is None:
        raise UserError("the state of that run is gone", "untilgreen run TASK")
    if loop.active and not loop.rests:  # else the time until now would count
        parking.park(place, env, parking.KILLED)
    elif not (loop.active or (run.plan and loop.end.stop_reason == "complete")):
        before, loop = going_on.resume(place, env)
        screen.say(going_on.describe_resumed(before, loop))
    return Course(place, run, env, screen, Signals(), lock)


def _rests(run: RunRecord) -> bool:
    base = places.base_of(run.project, os.environ)
    loop = store.look_at(places.of(run.project, base, run.session).file(STATE))
    return loop is not None and (loop.active or attempts.is_resumable(loop))


def _held(run: RunRecord, env: Mapping[str, str]) -> int:
    try:
        return runs.lock(env, run.session)
    except locks.Busy:
        raise UserError(f"the run of session {run.session} is going on", "end that first, with Ctrl-C there") from None


def _refuse(run: RunRecord) -> None:
    if os.environ.get("UNTILGREEN_DISABLE") == "1":
        raise UserError("UNTILGREEN_DISABLE=1 is set: nothing would be judged", "unset it")
    starting.refuse(run.project, os.environ)
    off = switching.against(starting.place_of(run.project, run.session, os.environ), os.environ)
    if off:
        raise UserError(f"nothing would be judged: {'; '.join(off)}", "untilgreen on")
