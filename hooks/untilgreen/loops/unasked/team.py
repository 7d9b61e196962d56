"""A teammate calls its task done, or wants to rest, while its lead's loop runs (Claude Code's agent teams).

It is judged by the loop's own criteria, as far as its own files go: what static checks find in a file that it wrote
keeps it at work: five times a task at most, and never again by what it was once let go with. Tests and broken checks
hold nobody but the lead, whose own stop judges everything; no round of the loop is spent. Which files are a teammate's
the journal tells: each edit is noted there with the agent's id.
"""

import json
import time
from collections.abc import Collection

from untilgreen import checkers
from untilgreen.checks.plan import planning
from untilgreen.checks.run import checking
from untilgreen.checks.run.portions import Look
from untilgreen.core import document
from untilgreen.core.model.event import Message, Place, Reply
from untilgreen.core.model.loop import Loop
from untilgreen.core.model.outcome import Clean, Found, Result
from untilgreen.core.model.snapshot import Snapshot
from untilgreen.core.record import NamedTuple
from untilgreen.core.verdict import measure
from untilgreen.core.words import brief, notices, report
from untilgreen.loops.stop.payload import Call, notice, speak
from untilgreen.loops.unasked.new_findings import concerned
from untilgreen.project.tree import worktree
from untilgreen.state import catalogue, clock, journal, locks, log, noted, sessions, store
from untilgreen.state.place import STATE

_FILE = "team.json"
_LOCK = 10.0  # seconds that it waits for the state
_MOST = 5  # holds of one task
_REMEMBERED = 1_000  # findings that a teammate was let go with


class Mate(NamedTuple):
    """A teammate, and how it was judged last."""

    event: str = ""  #: "task" (it called its task done) or "idle" (it wanted to rest)
    tree: str = ""  #: the work tree's fingerprint then
    failing: tuple[str, ...] = ()  #: the findings that held it then, by identity; none: it was let go
    held: dict[str, int] = {}  #: task ("" where it was none) to how often it was held since it was last let go
    let_go: tuple[str, ...] = ()  #: the identities of findings that never hold it again


class Team(NamedTuple):
    """The teammates under one loop, by the host's id for the agent."""

    loop_id: str = ""
    mates: dict[str, Mate] = {}


def answer(call: Call) -> Reply:
    """What a teammate is told. Raises trust.Unread."""
    event, loop = call.event, _running(call)
    if loop is None or not (event.agent_id and event.teammate) or event.permission_mode == "plan":
        return Reply()  # the lead's own task, or a sub-agent's, too: the lead's stop is judged
    listed = worktree.files(loop.project)
    written = _written(call, loop, listed)
    if not written:
        return Reply()
    tree = noted.fingerprint(loop.project, call.place.base)
    mate = _team(call.place, loop).mates.get(event.agent_id, Mate())
    # let go with this very tree, or its task was just judged with it and it wants to rest (the host asks for both in
    # one go): nobody is told the same twice
    if mate.tree == tree != "" and (not mate.failing or (mate.event, event.name) == ("task", "idle")):
        _kept(call, loop, mate._replace(event=event.name))
        return Reply()
    until = time.monotonic() + float(call.options.get("deadline") or loop.settings.deadline)
    found = _found(call, loop, listed, written, until)
    items = tuple(item for item in found.items if item.id not in mate.let_go)
    counts = {name: sum(item.check == name for item in items) for name in found.failing_by_check}
    found = found._replace(items=items, failing_by_check=counts)
    mate, holds = _judged(mate, event.name, event.task, tree, tuple(item.id for item in items))
    now = _running(call)
    if now is None or now.loop_id != loop.loop_id:
        return Reply()  # it is over by now
    if not _kept(call, loop, mate):
        return notice("the state could not be saved; the teammate was not judged", call)
    return _said(call, loop, found, holds)


def _judged(mate: Mate, event: str, task: str, tree: str, failing: tuple[str, ...]) -> tuple[Mate, int]:
    """The teammate from now on, and how often it was held by now; 0: it is let go."""
    holds, held = mate.held.get(task, 0) + 1, dict(mate.held)
    mate = mate._replace(event=event, tree=tree, failing=failing)
    if failing and holds <= _MOST:
        return mate._replace(held=held | {task: holds}), holds
    held.pop(task, None)
    let_go = tuple(dict.fromkeys((*mate.let_go, *failing)))[-_REMEMBERED:]
    return mate._replace(failing=(), held=held, let_go=let_go), 0


def _running(call: Call) -> Loop | None:
    """The lead's loop, if it runs and holds; what cannot be read stays where it is, and the lead's stop says so."""
    try:
        loop = store.look_at(call.place.file(STATE))
    except store.Unreadable:
        return None
    if loop is None or not loop.active or loop.rest.paused:
        return None
    ours = store.is_ours(loop, call.place, call.event.session)
    return loop if ours else None


def _written(call: Call, loop: Loop, listed: Collection[str]) -> tuple[str, ...]:
    """The files that the teammate wrote in this loop and that are there, of those that the project keeps."""
    agent, paths, known = call.event.agent_id, dict[str, None](), frozenset(listed)
    try:
        lines = journal.lines(call.place, observed=True)
    except OSError as error:
        log.write(call.place.base, f"what a teammate wrote is not known: {error}")
        return ()
    for line in (line for line in lines if agent.encode() in line):
        try:
            entry = json.loads(line)
        except ValueError:
            continue
        mine = isinstance(entry, dict) and (entry.get("agent_id"), entry.get("loop_id")) == (agent, loop.loop_id)
        if mine and entry.get("ok"):
            paths[str(entry.get("file"))] = None
    return tuple(path for path in paths if path in known)


def _found(call: Call, loop: Loop, listed: tuple[str, ...], written: tuple[str, ...], until: float) -> Snapshot:
    """What the loop's static checks find in these files, and nothing else, by its criteria."""
    scope = planning.scope_of(loop, call.env)
    scope = scope._replace(near=(*loop.asked.target_files, *written), calls=planning.calls_of(loop.checks.plan))
    planned = [
        check
        for check in planning.merged(scope, listed, loop.checks.plan)
        if check.checker != "custom" and checkers.get(check.checker).files.edit and concerned(check, written)
    ]
    looks = {c.name: Look(concerned(c, written)) for c in planned if checkers.get(c.checker).files.by_file}
    results = list[Result]()
    for check, outcome in checking.run(scope, planned, checking.Watch(until), looks):
        if isinstance(outcome, Clean):
            results.append((check, outcome))
        elif isinstance(outcome, Found):
            theirs = tuple(one for one in outcome.diagnostics if one.file in written)
            results.append((check, outcome._replace(diagnostics=theirs) if theirs else Clean()))
    asked, new = loop.asked, loop.settings.count == "new"
    rules = measure.Standard(
        asked.completion_criteria, asked.target_files, loop.start.first, loop.start.before, new=new
    )
    return measure.snapshot(tuple(results), rules, loop.rounds.iteration, clock.iso(time.time()))


def _said(call: Call, loop: Loop, found: Snapshot, holds: int) -> Reply:
    """The answer, which is in the journal, too."""
    event, words = call.event, catalogue.words(loop.settings)
    journal.append(
        call.place,
        "teammate",
        clock.iso(time.time()),
        loop_id=loop.loop_id,
        iteration=loop.rounds.iteration,
        teammate=event.teammate,
        agent_id=event.agent_id,
        task=event.task,
        verdict="continue" if holds else "allow",
        left=brief.count_left(found),
        holds=holds,
    )
    if not found.items:
        return Reply()
    user = notices.of_teammate(event.teammate, found, words, holds, _MOST)
    if not holds:
        return speak(call, "allow", Message(notice=user))
    line = report.headline("held_teammate", found, words)
    return speak(call, "continue", Message(report.below(line, None, found, words, (words["then"],)), user))


def _team(place: Place, loop: Loop) -> Team:
    """The loop's teammates; nobody, where the file is another loop's, or none of ours: it is only advice."""
    known = store.read_record(Team, place.file(_FILE)) or Team()
    return known if known.loop_id == loop.loop_id else Team(loop.loop_id)


def _kept(call: Call, loop: Loop, mate: Mate) -> bool:
    """Keep what is known of the teammate: whether that was done. What cannot count must not hold."""
    try:
        with sessions.locked(call.place, _LOCK):
            known = _team(call.place, loop)
            known = known._replace(mates=known.mates | {call.event.agent_id: mate})
            store.write_text(call.place.file(_FILE), json.dumps(document.dump(known)), durable=False)
    except (OSError, locks.Busy) as error:
        log.write(call.place.base, f"a teammate was not judged: {error}")
        return False
    return True
