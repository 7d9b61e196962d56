"""What the checks of a loop say at a stop, and what stands against believing it."""

import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence

from untilgreen.checkers.answer import tail
from untilgreen.checks.plan.planning import CheckScope, calls_of, merged, scope_of, tools_of
from untilgreen.checks.run import checking
from untilgreen.core.model.check import Check
from untilgreen.core.model.groups import AgentRun
from untilgreen.core.model.loop import Loop
from untilgreen.core.model.outcome import Broken, Clean, Found, Names, Outcome, Output, Pending, Result
from untilgreen.core.model.snapshot import First, Suite, Text
from untilgreen.core.verdict import before, blame, measure, pending, red_first, weakened
from untilgreen.core.verdict.measure import NOTHING_RAN
from untilgreen.core.verdict.policy import Evidence
from untilgreen.core.words import brief
from untilgreen.loops.stop.steps import Stop, StopStep
from untilgreen.project.fakes import text
from untilgreen.project.tree import worktree
from untilgreen.state import clock, seal, under_way

_UNPROVEN = "no test ran, and the project chose no check"
_UNCOMPARED = "suppressions and configuration were not compared"
_READING, _LEAST = 5.0, 1.0  # seconds to read the project's text at a stop, at most and in any case


def run_checks(stop: Stop, _step: StopStep, until: float) -> Stop:
    """Run the checks: the evidence is theirs, with what the steps before them brought."""
    loop, before = stop.loop, stop.evidence
    written = stop.before.edits.written if stop.before.edits else ()
    took = {name: suite.seconds for name, suite in loop.history.suites.items() if not suite.late}
    turned = under_way.Notes(stop.call.place, took).turned
    watch = checking.Watch(until, stop.unwanted, stop.trace.checked, turned)
    listing = None if stop.trace.hooks else stop.listing  # a hook may have changed what there is
    after, found = gather(loop, stop.call.env, stop.tree, written, watch, listing)
    snapshot = found.snapshot._replace(ref=before.snapshot.ref, snapshot_path=before.snapshot.snapshot_path)
    left_out = (*found.left_out, *before.left_out, *_against(stop))
    found = found._replace(snapshot=snapshot, left_out=left_out, waited=bool(loop.rest.pending))
    return stop._replace(loop=after.put(after.history._replace(proof=None)), evidence=found)


def _against(stop: Stop) -> Iterator[str]:
    """What stands against a green of this loop, whatever its checks say."""
    if stop.loop.start.replaced_counts:
        yield f"replaced {stop.loop.start.replaced}"
    sealed = seal.read(stop.call.env, stop.call.place)
    if sealed is not None and sealed.changed:
        yield brief.changed_by_hand(sealed.changed)


def gather(
    loop: Loop,
    env: Mapping[str, str],
    tree: str,
    written: tuple[str, ...],
    watch: checking.Watch,
    listing: worktree.Listing | None = None,
) -> tuple[Loop, Evidence]:
    """Run what the loop's criteria need: the loop with its plan and first results, and what came of it. `tree`: the
    work tree's fingerprint; `written`: by the session; `listing`: of the work tree, where it is known."""
    now = clock.iso(time.time())
    files, changed = listing or (worktree.files(loop.project), worktree.changed(loop.project))
    planned, scope = _planned(loop, env, files, (*written, *changed))
    ours, word = _split(loop, planned, tree)
    results, suites, names, ends = _run(loop, scope, ours, watch)
    loop, results, waits = _settled(loop, results)
    first = measure.first_results(results, loop.start.first)
    results, by_word = _with_the_agents(planned, word, results, watch.on_outcome)
    chosen = not loop.asked.completion_criteria.green or any(check.chosen for check in planned)
    ran, results = _ran(loop, results, watch.on_outcome, expected=bool(planned or chosen))
    seen = _text(loop, files, watch.until)
    then = loop.start.text or seen
    texts, added, lost = weakened.compare(then, seen, *_tests(loop, results))
    texts += weakened.moved(loop.start.tools, tools_of(scope, planned), loop.project)
    same = weakened.comparable(then, seen) and then.config == seen.config
    old, hidden = before.hiding_nothing_new(results, loop, _untouched(loop), same)
    rules = _standard(loop, first, old)
    loop = loop.put(loop.history._replace(suites=suites))
    court, results = _court(loop, scope, results, names, rules, watch)
    snapshot = measure.snapshot(results, rules, loop.rounds.iteration, now, {"static": added, "tests": lost})
    unproven = (
        () if chosen else (_UNPROVEN if planned else weakened.UNCHECKED,)
    )  # what cannot run was looked for, at most
    uncompared = () if weakened.comparable(then, seen) else (_UNCOMPARED,)
    left_out = (*weakened.left_out(results), *(hidden if rules.new else ()), *unproven, *uncompared)
    loop = loop.put(loop.checks._replace(plan=planned), loop.start._replace(first=first, blame=court.known))
    found = Evidence(snapshot, ran, texts, left_out, tree, lost, names, ends, pending=waits)
    return loop, found._replace(unsteady=(*by_word, *blame.unsteady(court)), told=blame.told(court, new=rules.new))


def _standard(loop: Loop, first: Mapping[str, First], old: frozenset[str]) -> measure.Standard:
    asked, new = loop.asked, loop.settings.count == "new"
    passed = _passed(loop, first)
    return measure.Standard(asked.completion_criteria, asked.target_files, passed, loop.start.before, old, new)


def _split(loop: Loop, planned: tuple[Check, ...], tree: str) -> tuple[tuple[Check, ...], dict[str, AgentRun]]:
    """The checks to run, and the others: the agent's own run stands for them."""
    if loop.settings.evidence != "accept" or not loop.observed.evidence:
        return planned, {}
    from untilgreen.checks.plan import agent_runs

    word = agent_runs.standing(loop, planned, tree)
    return tuple(check for check in planned if check.name not in word), word


def _with_the_agents(
    planned: Sequence[Check],
    word: dict[str, AgentRun],
    results: tuple[Result, ...],
    on_outcome: checking.OnOutcome,
) -> tuple[tuple[Result, ...], tuple[str, ...]]:
    """The results with those of the agent's own runs, and what that says against a green."""
    if not word:
        return results, ()
    from untilgreen.checks.plan import agent_runs

    joined = agent_runs.results(planned, word, results)
    for check, outcome in joined:
        if check.name in word:
            on_outcome(check, outcome, 0.0)
    return joined, agent_runs.told(planned, word)


def _ran(
    loop: Loop, results: tuple[Result, ...], on_outcome: checking.OnOutcome, *, expected: bool
) -> tuple[bool, tuple[Result, ...]]:
    """Whether anything ran, or nothing had to; and the results, with one that says so where nothing did, and with the
    agent's own failures where they count."""
    ran = any(isinstance(result, Clean | Found | Pending) for _, result in results) or not expected
    if not ran and not any(isinstance(result, Broken) for _, result in results):
        results = (*results, (NOTHING_RAN, Broken(_nothing(results))))
        on_outcome(*results[-1], 0.0)
    if loop.asked.completion_criteria.no_tool_errors:
        from untilgreen.core.verdict import tool_errors  # few loops ask for that

        failed = tool_errors.results(loop, results)
        results += failed
        for check, outcome in failed:
            on_outcome(check, outcome, 0.0)
    return ran, results


def _settled(loop: Loop, results: tuple[Result, ...]) -> tuple[Loop, tuple[Result, ...], str]:
    """The loop that knows since when what is pending, the results without what is so for too long, and what is waited
    for, in words."""
    moment = time.time()
    results, since = pending.settled(results, loop.rest.pending, loop.settings.checks, moment)
    return loop.put(loop.rest._replace(pending=since)), results, pending.told(pending.names(results), since, moment)


def _text(loop: Loop, files: Sequence[str], until: float) -> Text:
    began = time.monotonic()
    # a check that took all the time is no reason to leave what else was done unread
    commands = loop.start.text.commands if loop.start.text else ()
    return text.read(loop.project, files, min(max(until, began + _LEAST), began + _READING), commands)


def _passed(loop: Loop, first: Mapping[str, First]) -> dict[str, First]:
    """What passed, by check: on the tree of the start where that is asked for, else at the first result."""
    return {**first, **{name: one for name, one in loop.start.base.items() if one.outcome != "broken"}}


def _run(
    loop: Loop, scope: CheckScope, planned: tuple[Check, ...], watch: checking.Watch
) -> tuple[tuple[Result, ...], dict[str, Suite], dict[str, Names], dict[str, str]]:
    """What the checks say, those of tests first of what failed last; the last whole run of each of these; the tests of
    each by name; and the end of what each printed, where a judge may be shown it."""
    seconds, names, ends = dict[str, float](), dict[str, Names](), dict[str, str]()

    def ended(check: Check, outcome: Outcome, took: float) -> None:
        seconds[check.name] = took
        watch.on_outcome(check, outcome, took)

    def named(check: Check, told: Names) -> None:
        names[check.name] = told

    def printed(check: Check, output: Output) -> None:
        if loop.for_a_judge:
            ends[check.name] = tail(output)

    first = red_first.first_goes(loop, planned)
    heard = watch._replace(on_outcome=ended, on_names=named, on_output=printed)
    results = checking.run(scope, planned, heard, first=first)
    return results, red_first.suites(results, loop.history.suites, seconds), names, ends


def _court(
    loop: Loop,
    scope: CheckScope,
    results: tuple[Result, ...],
    names: Mapping[str, Names],
    rules: measure.Standard,
    watch: checking.Watch,
) -> tuple[blame.Court, tuple[Result, ...]]:
    """Whose the failing tests are, and the results without those that do not hold."""
    if not any(check.stage == "tests" and isinstance(outcome, Found) for check, outcome in results):
        return blame.Court(known=loop.start.blame), results
    from untilgreen.loops.stop.blame import judged  # no test failed at most stops

    court = judged(loop, scope, results, names, rules, watch)
    return court, blame.holding(results, court, new=rules.new)


def _untouched(loop: Loop) -> Callable[[str], bool]:
    """Says of a file of the project whether nobody wrote, moved or replaced it since the loop began."""

    def untouched(path: str) -> bool:
        try:
            return clock.iso(os.stat(os.path.join(loop.project, path)).st_ctime) < loop.started_at
        except OSError:
            return False

    return untouched


def _planned(
    loop: Loop, env: Mapping[str, str], files: Sequence[str], touched: tuple[str, ...]
) -> tuple[tuple[Check, ...], CheckScope]:
    """The loop's plan with the roots that came since."""
    near = (*loop.asked.target_files, *touched)
    scope = scope_of(loop, env)._replace(near=near, calls=calls_of(loop.checks.plan))
    return merged(scope, files, loop.checks.plan), scope


def _nothing(results: Sequence[Result]) -> str:
    absent = weakened.left_out(results)
    return "no check could run: " + ", ".join(absent) if absent else "no check applies here; name one with --check"


def _tests(loop: Loop, results: Sequence[Result]) -> tuple[int, int]:
    """How many tests ran at first and now; what a check runs for the first time counts on both sides.

    A run that was cut short (a file that could not be collected) says nothing about lost tests, and one of what failed
    last no more than the whole one before it.
    """
    now = {check.name: _number(r, loop.history.suites.get(check.name)) for check, r in results if _whole(r)}
    now = {name: run for name, run in now.items() if run}
    first = {name: loop.start.first[name].tests_run if name in loop.start.first else run for name, run in now.items()}
    return sum(first.values()), sum(now.values())


def _whole(result: Outcome) -> bool:
    return isinstance(result, Clean) or (
        isinstance(result, Found) and not any(found.hides for found in result.diagnostics)
    )


def _number(result: Outcome, suite: Suite | None) -> int:
    if isinstance(result, Found) and result.not_run is not None:
        return suite.tests if suite else 0
    return result.tests.run if isinstance(result, Clean | Found) and result.tests else 0
