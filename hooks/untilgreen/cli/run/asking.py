"""One process of the agent's: what it is told, and how it is waited for."""

import os
import time
from collections.abc import Mapping

from untilgreen.checks.run import processes
from untilgreen.cli.run import steps
from untilgreen.cli.run.screen import Screen, Signals
from untilgreen.cli.wait import runs_on
from untilgreen.core.model.event import Place
from untilgreen.core.model.loop import Loop
from untilgreen.core.record import NamedTuple
from untilgreen.core.secrets import safe
from untilgreen.core.verdict import progress
from untilgreen.core.words import brief, memory
from untilgreen.loops.run import agent
from untilgreen.loops.run.agent import AgentSaid
from untilgreen.state import catalogue, runs
from untilgreen.state.runs import RunRecord

LOOK = 1.0  # seconds between two looks at the loop: somebody may have cancelled it
_KEPT, _LONGEST = 20, 9_000  # messages of the agent that are kept, and characters of one


class Course(NamedTuple):
    """A run on its way. `env`: of the agent and of the checks; `lock`: what keeps others from it."""

    place: Place
    run: RunRecord
    env: Mapping[str, str]
    screen: Screen
    told: Signals
    lock: int


def ask(course: Course, loop: Loop, idle: int) -> tuple[Course, AgentSaid]:
    """Start the agent for this round, and wait for its end. `idle`: how many rounds in a row changed nothing."""
    told, run, looked = course.told, course.run, [time.monotonic()]

    def unwanted() -> bool:
        course.screen.tick()
        if time.monotonic() - looked[0] < LOOK:
            return bool(told)
        looked[0] = time.monotonic()
        return bool(told) or not runs_on(course.place, loop)

    def begun(pid: int) -> None:
        told.child = pid
        runs.save(course.env, run._replace(child=pid, child_since=agent.created(pid)))

    words, most = catalogue.words(loop.settings), loop.settings.max_iterations
    round_ = words["round"].format(round=loop.rounds.iteration, max=most)
    what = f"{round_} · {brief.clean(os.path.basename(run.argv[0]))}"
    minutes, of_round = loop.settings.max_minutes, progress.seconds_left(loop)
    left = [minutes * 60 - loop.clock.elapsed_seconds] if minutes else []
    left += [] if of_round is None else [of_round]
    seconds = max(1.0, min(left)) if left else 0.0  # 0: as long as it likes
    course.screen.say(what)
    course.screen.runs(what)
    try:
        said = agent.ask(run, _prompt(course, loop, idle), course.env, seconds, unwanted, begun)
    except processes.Interrupted:
        told.times += 1
        said = AgentSaid()
    finally:
        course.screen.ends()
        told.child = 0
    if said.text and not said.failure:
        run = run._replace(messages=(*run.messages, safe(said.text[:_LONGEST]))[-_KEPT:])
    runs.save(course.env, run)
    return course._replace(run=run), said


def _prompt(course: Course, loop: Loop, idle: int) -> str:
    """What the agent is told."""
    words, settings, run = catalogue.words(loop.settings), loop.settings, course.run
    first = words["run_round"].format(round=loop.rounds.iteration, max=settings.max_iterations)
    opening = agent.opening(course.place, loop, first)
    most = settings.context.include_last_n_messages if run.last_messages < 0 else run.last_messages
    opening = opening._replace(messages=run.messages[-most:] if most else ())
    if idle and not opening.feedback:
        opening = opening._replace(feedback=words["run_idle"])
    if run.plan:
        rules = (first, words["run_step"], *opening.rules[1:])
        opening = opening._replace(rules=rules, around=steps.read(run.plan))
    return memory.prompt(opening)
