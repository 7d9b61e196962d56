"""What the checks of a loop say at a stop, and what stands against believing it."""

import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence

from untilgreen.checkers.answer import tail
from untilgreen.checks.plan.planning import CheckScope, calls_of, merged, scope_of, tools_of
from untilgreen.checks.run import checking
from untilgreen.core.model.check import Absent, Check
from untilgreen.core.model.groups import Against, AgentRun, Buts
from untilgreen.core.model.loop import Loop
from untilgreen.core.model.outcome import Broken, Clean, Found, Names, Outcome, Output, Pending, Result
from untilgreen.core.model.snapshot import First, Snapshot, Suite, Text
from untilgreen.core.record import NamedTuple
from untilgreen.core.verdict import baseline, measure, progress, rounds
from untilgreen.core.verdict.measure import NOTHING_RAN
from untilgreen.core.verdict.policy import Evidence, counted, is_strict
from untilgreen.core.words import brief, notices
from untilgreen.loops.stop import as_before
from untilgreen.loops.stop.steps import Stop, StopStep
from untilgreen.project.fakes import text
from untilgreen.project.tree import worktree
from untilgreen.state import catalogue, clock, seal, under_way
from untilgreen.state.place import HINTS, is_folder, other_keys

TYPE_CHECKING = False
if TYPE_CHECKING:  # most sessions are alone
    from untilgreen.loops.stop.neighbours import Apart

_READING, _LEAST = 5.0, 1.0  # seconds to read the project's text at a stop, at most and in any case
_KILLS = ("codex",)  # these kill a stop that their user breaks off, and not what it started (0.169.0)


class _Now(NamedTuple):
    """What the checks and the project's text say at this stop."""

    results: tuple[Result, ...]
    first: dict[str, First]  #: check to its first result
    text: Text
    others: "Apart | None"  #: whose they are, where other sessions have been here


def run_checks(stop: Stop, _step: StopStep, until: float) -> Stop:
    """Run what the loop's criteria need: the evidence is theirs, with what the steps before them brought. What was not
    waited for, or was clean before, is run where nothing red holds after all; the latter also where a limit ends it."""
    found, partial, known = _looked(stop, until, _hints(stop))
    lets_go = known and progress.limit_reached(counted(found.loop, found.evidence, ""))
    if lets_go or ((partial or known) and not found.evidence.snapshot.items):
        stop.trace.checks.clear()
        found, *_ = _looked(stop, until, None)
    return found


def _hints(stop: Stop) -> rounds.Hints:
    if not is_folder(os.path.join(stop.call.place.base, HINTS)):
        return rounds.Hints()
    from untilgreen.loops.observed import affected  # no test ever ran in many projects

    return affected.at_stop(stop.call.place, stop.loop)


def _planned(stop: Stop) -> tuple[Sequence[str], CheckScope, tuple[Check, ...]]:
    """The project's files, and what is to run now."""
    loop = stop.loop
    listed = None if stop.trace.hooks else stop.listing  # a hook may have changed what there is
    files, changed = listed or (worktree.files(loop.project), worktree.changed(loop.project))
    written = stop.before.edits.written if stop.before.edits else ()
    near, calls = (*loop.asked.target_files, *written, *changed), calls_of(loop.checks.plan)
    scope = scope_of(loop, stop.call.env)._replace(near=near, calls=calls, files=frozenset(files))
    return files, scope, merged(scope, files, loop.checks.plan)


def _looked(stop: Stop, until: float, hints: rounds.Hints | None) -> tuple[Stop, bool, bool]:
    """The stop with what its checks say; whether not all of one was waited for, and whether one stands from the last
    stop. `hints` None: all of them run, and to their ends."""
    loop, brought, began = stop.loop, stop.evidence, clock.iso(time.time())
    files, scope, planned = _planned(stop)
    watch = _watch(stop, until, lambda outcome: hints is not None and rounds.stands(stop.loop, outcome))
    word, around = _own_runs(stop, planned), as_before.around(stop, planned, files)
    known = {} if hints is None else as_before.standing(stop, [one for one in planned if one.name not in word], around)
    results, ran = _run(loop, scope, [one for one in planned if one.name not in {*word, *known}], watch, hints)
    results = as_before.joined(stop, planned, results, known, ran.took) if known else results
    loop, against_start = _knowing_start(stop, ran.took, until)
    moment = time.time()
    results, since = rounds.settled(results, loop.rest.pending, loop.settings.checks, moment)
    suites = rounds.suites(results, loop.history.suites, ran.took)
    results, planned, brought = _set_aside(stop, scope, results, planned, watch, suites)
    waits = rounds.tell_pending(rounds.pending_names(results), since, moment)
    found = brought._replace(snapshot=Snapshot(0, began), names=ran.names, ends=ran.ends, took=ran.took, pending=waits)
    found = found._replace(waited=bool(stop.loop.rest.pending))
    others = _apart(stop, scope, results, ran.took, watch)
    results = others.results if others else results
    first = measure.first_results(results, loop.start.first, whole=loop.asked.completion_criteria.preserve)
    if word:
        from untilgreen.checks.plan import agent_runs

        results = agent_runs.results(planned, word, results)
        found = found._replace(unsteady=agent_runs.told(planned, word))
        for check, outcome in (one for one in results if one[0].name in word):
            watch.on_outcome(check, outcome, 0.0)
    history = loop.history._replace(suites=rounds.suites(results, suites, ran.took), proof=None)
    loop = loop.put(loop.rest._replace(pending=since), loop.checks._replace(plan=planned), history)
    now = _Now(results, first, _read_text(loop, files, until, others.before if others else {}), others)
    loop, found = _weigh(loop, scope, now, found, watch)
    kept = brought.snapshot
    snapshot = found.snapshot._replace(ref=kept.ref, snapshot_path=kept.snapshot_path, around=around)
    left_out = (*found.left_out, *brought.left_out, *against_start, *_against(stop))
    words = catalogue.words(loop.settings)
    unread = list(rounds.tell_unread(results, suites, words))
    told = (*found.told, *unread, *ran.cached, *as_before.told(known, words))
    found = found._replace(snapshot=snapshot, left_out=left_out, told=told)
    return stop._replace(loop=loop, evidence=found), bool(unread or snapshot.not_run), bool(known)


def _watch(stop: Stop, until: float, stands: Callable[[Outcome], bool]) -> checking.Watch:
    took = {name: suite.seconds for name, suite in stop.loop.history.suites.items() if not suite.late}
    notes = under_way.Notes(stop.call.place, took)
    watch = checking.Watch(until, stop.unwanted, stop.trace.checked, notes.turned, stands=stands, took=notes.took)
    kills = stop.call.event.host in _KILLS
    return watch._replace(hints=stop.call.place.base, started=notes.started if kills else watch.started)


def _own_runs(stop: Stop, planned: Sequence[Check]) -> dict[str, AgentRun]:
    """Check to the agent's own run that stands for it."""
    if not (stop.loop.settings.evidence == "accept" and stop.loop.observed.evidence):
        return {}
    from untilgreen.checks.plan import agent_runs

    return agent_runs.standing(stop.loop, planned, stop.tree)


def _set_aside(
    stop: Stop,
    scope: CheckScope,
    results: tuple[Result, ...],
    planned: tuple[Check, ...],
    watch: checking.Watch,
    suites: dict[str, Suite],
) -> tuple[tuple[Result, ...], tuple[Check, ...], Evidence]:
    """As `unable.set_aside`, with what the steps before brought and what is told. `suites`: with the runs of now."""
    if not any(isinstance(outcome, Broken) for _, outcome in results):
        return results, planned, stop.evidence
    from untilgreen.loops.stop import unable  # no check is broken at most stops

    stop = stop._replace(loop=stop.loop.put(stop.loop.history._replace(suites=suites)))
    results, planned, told = unable.set_aside(stop, scope, results, planned, watch, clock.untouched(stop.loop))
    return results, planned, stop.evidence._replace(told=(*stop.evidence.told, *told))


def _against(stop: Stop) -> Iterator[Against]:
    """What stands against a green of this loop, whatever its checks say."""
    if stop.loop.start.replaced_counts:
        yield Against("replaced", stop.loop.start.replaced)
    sealed = seal.read(stop.call.env, stop.call.place)
    if sealed is None or not sealed.parts or sealed.changed:
        yield Against("said", brief.changed_by_hand(sealed.changed) if sealed and sealed.parts else brief.UNSEALED)


def _apart(
    stop: Stop, scope: CheckScope, results: tuple[Result, ...], took: Mapping[str, float], watch: checking.Watch
) -> "Apart | None":
    """Whose the results are, where other sessions have been here."""
    if not other_keys(stop.call.place.base, stop.call.place.session):
        return None
    from untilgreen.loops.stop import neighbours

    return neighbours.apart(stop, scope, results, took, watch)


class _OfRuns(NamedTuple):
    """Beside their results, what is known of checks that ran: the seconds, the tests by name, the end of the output."""

    took: dict[str, float]
    names: dict[str, Names]
    ends: dict[str, str]  #: for a judge
    cached: list[str]  #: what is told of those that came from a cache


def _knowing_start(stop: Stop, took: Mapping[str, float], until: float) -> tuple[Loop, Buts]:
    """The loop with what its checks say of the start, where what passed there must still pass; and what that leaves to
    be said. `took`: check to the seconds that it just took."""
    loop, base = stop.loop, stop.loop.start.base
    known = base and all(one.outcome != "unknown" for one in base.values())
    if known or not loop.asked.completion_criteria.preserve:
        return loop, ()
    from untilgreen.loops.stop import proof  # few loops ask for that

    base, against = proof.look_at_start(stop, took, until)
    return loop.put(loop.start._replace(base=base)), against


def _run(
    loop: Loop, scope: CheckScope, planned: Sequence[Check], watch: checking.Watch, hints: rounds.Hints | None
) -> tuple[tuple[Result, ...], _OfRuns]:
    """The results, and what else is known of these runs."""
    ran = _OfRuns({}, {}, {}, [])

    def ended(check: Check, outcome: Outcome, took: float) -> None:
        ran.took[check.name] = took
        watch.on_outcome(check, outcome, took)

    def printed(check: Check, output: Output) -> None:
        if loop.for_a_judge:
            ran.ends[check.name] = tail(output)
        if check.checker in ("npm-test", "runner") and " cache" in output.stdout:
            from untilgreen.checkers.js import engines

            words = catalogue.words(loop.settings)["cached"]
            engine = engines.from_cache(output.stdout)
            ran.cached.extend([words.format(check=check.name, engine=engine)] if engine else [])

    heard = watch._replace(
        on_outcome=ended, on_names=lambda check, theirs: ran.names.update({check.name: theirs}), on_output=printed
    )
    results = checking.run(scope, planned, heard, first=rounds.first_goes(loop, planned, hints) if hints else {})
    return results, ran


def _read_text(loop: Loop, files: Sequence[str], until: float, instead: Mapping[str, bytes | None]) -> Text:
    began = time.monotonic()
    # a check that took all the time is no reason to leave what else was done unread
    commands = loop.start.text.commands if loop.start.text else ()
    return text.read(loop.project, files, min(max(until, began + _LEAST), began + _READING), commands, instead)


def _weigh(loop: Loop, scope: CheckScope, now: _Now, found: Evidence, watch: checking.Watch) -> tuple[Loop, Evidence]:
    """The loop and the evidence with what the results come to, and what stands against them."""
    planned, asked, results = loop.checks.plan, loop.asked.completion_criteria, now.results
    chosen = not asked.green or any(check.chosen for check in planned)
    ran = loop.asked.promise_only or not (planned or chosen) or any(_answers(result) for _, result in results)
    added = () if ran or any(isinstance(result, Broken) for _, result in results) else _nothing_ran(results)
    if asked.no_tool_errors:
        from untilgreen.core.verdict import evidence  # few loops ask for that

        added += evidence.tool_errors(loop, (*results, *added))
    for check, outcome in added:
        watch.on_outcome(check, outcome, 0.0)
    results += added
    then = loop.start.text or now.text
    texts, suppressed, lost = baseline.compare(then, now.text, *baseline.numbers_of_tests(loop, results))
    texts += baseline.moved(loop.start.tools, tools_of(scope, planned), loop.project)
    comparable = baseline.comparable(then, now.text)
    same = comparable and then.config == now.text.config
    old, hidden = baseline.hiding_nothing_new(results, loop, clock.untouched(loop), same)
    # what passed: on the tree of the start where that is asked for, else at the first result
    passed = {**now.first, **{name: one for name, one in loop.start.base.items() if one.outcome != "broken"}}
    new = loop.settings.count == "new"
    rules = measure.Standard(asked, loop.asked.target_files, passed, loop.start.before, old, new)
    known = loop.start.blame
    if any(check.stage == "tests" and isinstance(outcome, Found) for check, outcome in results):
        from untilgreen.core.verdict import blame  # no test failed at most stops
        from untilgreen.loops.stop.blame import judged

        court = judged(loop, scope, results, found, rules, watch)
        results, known = blame.holding(results, court, new=new), court.known
        found = found._replace(told=blame.told(court, new=new), unsteady=(*found.unsteady, *blame.unsteady(court)))
    extra = {"static": suppressed, "tests": lost}
    snapshot = measure.snapshot(results, rules, loop.rounds.iteration, found.snapshot.timestamp, extra)
    nothing = (*((Against("untested"),) if planned else ()), *_not_served(loop))  # what cannot run was looked for
    uncompared = () if comparable else (Against("uncompared"),)
    found = _beside(loop, now, rules, found)
    left_out = (*baseline.left_out(results), *(hidden if new else ()), *(() if chosen else nothing), *uncompared)
    found = found._replace(snapshot=snapshot, ran=ran, weakened=texts, lost=lost, left_out=left_out)
    return loop.put(loop.start._replace(first=now.first, blame=known)), found


def _not_served(loop: Loop) -> Buts:
    """What people test with and no check runs; that there was nothing at all, where nobody knows of any."""
    if any(one.kind != "not_read" for one in loop.start.unserved):
        return loop.start.unserved
    return () if loop.checks.plan else (Against("unchecked"),)


def _answers(outcome: Outcome) -> bool:
    """Whether it says something, be it that no edit makes it say more."""
    return isinstance(outcome, Clean | Found | Pending) or (isinstance(outcome, Absent) and outcome.cause == "unable")


def _beside(loop: Loop, now: _Now, rules: measure.Standard, found: Evidence) -> Evidence:
    """The evidence with what no edit of the agent's ends: checks that are only told, steps that nobody reads, where the
    loop is strict, and files that other sessions alone wrote."""
    others, red = now.others, brief.tell_against(catalogue.words(loop.settings), baseline.only_told(now.results))
    unread = notices.unread(loop) if is_strict(loop) else ()
    found = found._replace(told=(*found.told, *red), unsteady=(*found.unsteady, *unread))
    if not (others and others.whose):
        return found
    from untilgreen.core.verdict import neighbours as verdict

    left = verdict.left_of(measure.items_of(others.others, rules), others.whose)
    told = (*found.told, *verdict.told(left, catalogue.words(loop.settings)))
    return found._replace(told=told, unsteady=(*found.unsteady, *verdict.against(left)), theirs=tuple(others.whose))


def _nothing_ran(results: Sequence[Result]) -> tuple[Result, ...]:
    absent = brief.but(catalogue.english(), baseline.left_out(results))
    why = f"no check could run: {absent}" if absent else "no check applies here; name one with --check"
    return ((NOTHING_RAN, Broken(why)),)
