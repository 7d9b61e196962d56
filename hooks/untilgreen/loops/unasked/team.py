"""A teammate calls its task done, or wants to rest, while its lead's loop runs (Claude Code's agent teams).

It is judged by the loop's own criteria, as far as its own files go: what static checks find in a file that it wrote
keeps it at work. Tests and broken checks hold nobody but the lead, whose own stop judges everything; no round of the
loop is spent. Which files are a teammate's the journal tells: each edit is noted there with the agent's id.
"""

import json
import time
from collections.abc import Collection

from untilgreen import checkers
from untilgreen.checks.plan import planning
from untilgreen.checks.run import checking
from untilgreen.checks.run.checking import Look
from untilgreen.core import document
from untilgreen.core.model.event import Message, Place, Reply
from untilgreen.core.model.loop import Loop
from untilgreen.core.model.outcome import Clean, Found, Result
from untilgreen.core.model.snapshot import Snapshot
from untilgreen.core.verdict import measure, team
from untilgreen.core.verdict.team import Mate, Team
from untilgreen.core.words import brief, notices, report
from untilgreen.loops.stop.payload import Call, notice, speak
from untilgreen.loops.unasked.new_findings import concerned
from untilgreen.project.tree import worktree
from untilgreen.state import catalogue, clock, journal, locks, log, sessions, store
from untilgreen.state.place import STATE

_FILE = "team.json"
_LOCK = 10.0  # seconds that it waits for the state


def answer(call: Call) -> Reply:
    """What a teammate is told. Raises trust.Unread."""
    event, loop = call.event, _running(call)
    if loop is None or not (event.agent_id and event.teammate) or event.permission_mode == "plan":
        return Reply()  # the lead's own task, or a sub-agent's, too: the lead's stop is judged
    listed = worktree.files(loop.project)
    written = _written(call, loop, listed)
    if not written:
        return Reply()
    tree = worktree.fingerprint(loop.project, call.place.base)
    mate = _team(call.place, loop).mates.get(event.agent_id, Mate())
    if team.is_judged(mate, event.name, tree):
        _kept(call, loop, mate._replace(event=event.name))
        return Reply()
    until = time.monotonic() + float(call.options.get("deadline") or loop.settings.deadline)
    found = team.holding(_found(call, loop, listed, written, until), mate)
    judged = team.judged(mate, event.name, event.task, tree, (item.id for item in found.items))
    now = _running(call)
    if now is None or now.loop_id != loop.loop_id:
        return Reply()  # it is over by now
    if not _kept(call, loop, judged.mate):
        return notice("the state could not be saved; the teammate was not judged", call)
    return _said(call, loop, found, judged.holds)


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
    user = notices.of_teammate(event.teammate, found, words, holds, team.MOST)
    if not holds:
        return speak(call, "allow", Message(notice=user))
    line = report.headline("held_teammate", found, words)
    return speak(call, "continue", Message(report.below(line, None, found, words, ()), user))


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
