"""The rounds of a run: start the agent anew, wait for its end, judge, and again; until the loop is over, or rests."""

import json
import os
import time
from collections.abc import Iterator, Mapping
from datetime import datetime

from untilgreen import hosts
from untilgreen.checks.run import processes
from untilgreen.cli.run import steps
from untilgreen.cli.terminal import Screen, Signals
from untilgreen.cli.waiting import growing, runs_on
from untilgreen.core.model.event import Event, Place, TurnFailure
from untilgreen.core.model.loop import Loop
from untilgreen.core.record import NamedTuple
from untilgreen.core.secrets import safe
from untilgreen.core.verdict import progress
from untilgreen.core.words import brief, memory, notices
from untilgreen.loops.rest import parking
from untilgreen.loops.run import agent
from untilgreen.loops.run.agent import LIMIT, OVERLOADED, AgentSaid
from untilgreen.loops.stop import dispatch
from untilgreen.loops.stop.payload import called
from untilgreen.state import catalogue, clock, runs, store
from untilgreen.state.place import STATE
from untilgreen.state.runs import RunRecord

_LOOK = 1.0  # seconds between two looks at the loop: somebody may have cancelled it
_KEPT, _LONGEST = 20, 9_000  # messages of the agent that are kept, and characters of one
_AGAIN = (1.0, 4.0, 16.0, 64.0)  # seconds before the model is asked again that was overloaded
_MARGIN = 1.0  # seconds after the moment that a limit named


class Course(NamedTuple):
    """A run on its way. `env`: of the agent and of the checks; `lock`: what keeps others from it."""

    place: Place
    run: RunRecord
    env: Mapping[str, str]
    screen: Screen
    told: Signals
    lock: int


class Ended(NamedTuple):
    """How a run ended, or why it rests: `stop_reason` is the loop's, or a word of the run's own; `why` in words."""

    stop_reason: str
    loop: Loop | None
    text: str = ""
    why: str = ""

    @property
    def success(self) -> bool:
        return self.stop_reason == "complete" and self.loop is not None and self.loop.status == "success"


def go(course: Course) -> Ended:
    """Go on until the loop is over, or rests. Raises UserError, OSError, locks.Busy, store.Unreadable."""
    said, idle, pauses = AgentSaid(), 0, _pauses()
    while True:
        loop = parking.go_on(course.place, course.env)
        if loop is None:
            return _over(course, said)
        course, answered = _ask(course, loop, idle)
        if course.told:
            return _interrupted(course, said)
        if not runs_on(course.place, loop):
            return _over(course, said)
        if answered.failure is not None:
            if (ended := _failed(course, answered.failure, pauses)) is not None:
                return ended._replace(text=said.text)
            continue
        said, pauses = answered, _pauses()
        try:
            goes_on = _judged(course, loop, said)
        except (KeyboardInterrupt, processes.Interrupted):
            return _interrupted(course, said)
        if course.told:
            return _interrupted(course, said)
        idle = 0 if goes_on else idle + 1
        if idle > 1 and runs_on(course.place, loop):
            # nothing is judged, and another process would change nothing in that
            parking.park(course.place, course.env, parking.IDLE)
            return Ended("stopped", store.look_at(course.place.file(STATE)), said.text, parking.IDLE)


def _pauses() -> dict[str, Iterator[float]]:
    """Seconds until the next try after failures in a row, by their kind; of no other there is one."""
    return {OVERLOADED: iter(_AGAIN), LIMIT: growing(60.0, 1800.0)}


def _judged(course: Course, loop: Loop, answer: AgentSaid) -> bool:
    """Whether the agent is to go on; its user is told. What is pending is asked again until it has ended."""
    pauses = growing(5.0, 60.0)
    while not (goes_on := _judged_once(course, loop, answer)):
        now = store.look_at(course.place.file(STATE))
        if now is None or not (now.active and now.rest.pending) or not _slept(course, now, time.time() + next(pauses)):
            break
    return goes_on


def _judged_once(course: Course, loop: Loop, said: AgentSaid) -> bool:
    """The end of the agent's process is a stop of the run's own session, judged as any other. The run stands for a
    host: it hears the verdict in the words of the usual one's hooks, whoever the agent is."""
    event = Event("stop", course.run.host, course.run.session, course.place.root, message=said.text)
    event = event._replace(billed_tokens=said.tokens, billed_cost=said.cost)
    course.screen.runs("checks")
    course.told.breaks = True
    try:
        call = called(hosts.get(hosts.DEFAULT), event, course.place, course.env, {})
        reply = dispatch.of_session(call, time.time())
    finally:
        course.told.breaks = False
        course.screen.ends()
    # what is typed at a host's prompt
    told = json.loads(reply.stdout).get("systemMessage", "") if reply.stdout else ""
    course.screen.say(told.replace(f" · {catalogue.words(loop.settings)['to_end']}", ""))
    return reply.code == 2


def _failed(course: Course, failure: TurnFailure, pauses: dict[str, Iterator[float]]) -> Ended | None:
    """The agent could not work: wait until it can, None then; or leave it at that."""
    pause = next(pauses.get(failure.kind, iter(())), None)
    limited = failure.kind == LIMIT
    waits = pause is not None and (course.run.wait_limits or not limited)
    loop = parking.fail(course.place, course.env, failure, pause if waits and pause else 0.0)
    if loop is None:  # it was cancelled just now
        return _over(course, AgentSaid())
    if not waits:
        return Ended("limit" if limited else "error", loop, why=parking.reason(failure))
    end = datetime.fromisoformat(loop.rest.parked_until).timestamp() + _MARGIN
    course.screen.say(f"untilgreen: {parking.reason(failure)}")
    course.screen.say(f"untilgreen: waits until {clock.local(loop.rest.parked_until)}")
    return None if _slept(course, loop, end) else _interrupted(course, AgentSaid())


def _slept(course: Course, loop: Loop, end: float) -> bool:
    """Wait until this moment, or until the loop is over; False: somebody does not want to wait."""
    course.screen.runs("waits")
    looked = 0.0
    while time.time() < end and not course.told:
        time.sleep(0.05)
        course.screen.tick()
        if time.monotonic() - looked > _LOOK:
            looked = time.monotonic()
            if not runs_on(course.place, loop):
                break
    course.screen.ends()
    return not course.told


def _interrupted(course: Course, said: AgentSaid) -> Ended:
    parking.park(course.place, course.env, parking.INTERRUPTED)
    return _over(course, said)._replace(stop_reason=parking.INTERRUPTED, why=parking.INTERRUPTED)


def _over(course: Course, said: AgentSaid) -> Ended:
    loop = store.look_at(course.place.file(STATE))
    if loop is not None and loop.end.stop_reason == "cancelled":
        course.screen.say(notices.tell(loop, catalogue.words(loop.settings), "cancelled"))
    return Ended(loop.end.stop_reason or "error" if loop else "error", loop, said.text)


def _ask(course: Course, loop: Loop, idle: int) -> tuple[Course, AgentSaid]:
    """Start the agent for this round, and wait for its end. `idle`: how many rounds in a row changed nothing."""
    told, run, looked = course.told, course.run, [time.monotonic()]

    def unwanted() -> bool:
        course.screen.tick()
        if time.monotonic() - looked[0] < _LOOK:
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
    words, settings, run = catalogue.words(loop.settings), loop.settings, course.run
    chat = agent.chat(run, course.env)
    first = words["run_chat" if chat else "run_round"].format(round=loop.rounds.iteration, max=settings.max_iterations)
    opening = agent.opening(course.place, loop, first)
    most = settings.context.include_last_n_messages if run.last_messages < 0 else run.last_messages
    opening = opening._replace(messages=run.messages[-most:] if most else ())
    if idle and not opening.feedback:
        opening = opening._replace(feedback=words["run_idle"])
    if opening.feedback and os.path.exists(chat):
        return memory.prompt(memory.Opening("", feedback=opening.feedback))
    if run.plan:
        rules = (first, words["run_step"], *opening.rules[1:])
        opening = opening._replace(rules=rules, around=steps.read(run.plan))
    return memory.prompt(opening)
