"""Whatever the agent, the user and the checks do: what no loop ever does, over the pure core."""

from collections.abc import Sequence

import hypothesis.strategies as st
from hypothesis import given, settings
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

import loops
from untilgreen.core.model.check import Absent, Check
from untilgreen.core.model.event import Event, Session, Task
from untilgreen.core.model.groups import Against
from untilgreen.core.model.loop import Allow, Continue, Loop, Release, Verdict
from untilgreen.core.model.outcome import Broken, Clean, Diagnostic, Found, Outcome, Result
from untilgreen.core.model.outcome import Tests as Ran
from untilgreen.core.model.settings import Criteria
from untilgreen.core.model.snapshot import ReadSoFar, Snapshot, Spending, Used
from untilgreen.core.verdict import measure, policy, progress, rounds
from untilgreen.core.verdict.markers import Marker
from untilgreen.core.words import spending
from untilgreen.state import catalogue

RUFF = Check("ruff", "ruff", ".", "static", "/bin/ruff")
PYTEST = Check("pytest", "pytest", ".", "tests", "/bin/pytest")
SYNTAX = Diagnostic("ruff", "a.py", 1, "invalid-syntax", "error", "expected ':'", hides=True)


def findings(numbers: frozenset[int], hidden: bool = False) -> Outcome:
    """The static check with one error for each number, and a syntax error if some may be hidden behind one."""
    found = tuple(Diagnostic("ruff", "a.py", n, f"E{n}", "error", "x", f"line {n}") for n in sorted(numbers))
    found += (SYNTAX,) if hidden else ()
    return Found(found) if found else Clean()


def failures(numbers: frozenset[int], of: int = 9) -> Outcome:
    """The tests with one failure for each number."""
    found = tuple(Diagnostic("pytest", "t.py", n, f"test_{n}", "test", "x") for n in sorted(numbers))
    tests = Ran(of, len(found))
    return Found(found, tests) if found else Clean(tests)


def seen(loop: Loop, tests: Outcome) -> tuple[Loop, Outcome]:
    """What a stop sees of these tests where those that failed last run first; and the loop that remembers it."""
    go = rounds.first_goes(loop, (RUFF, PYTEST), rounds.Hints()).get("pytest")
    if go and isinstance(tests, Found):
        still = tuple(one for one in tests.diagnostics if (one.file, one.rule) in go.tests)
        ran = len(go.tests)
        tests = Found(still, Ran(ran, len(still)), not_run=go.of - ran) if still else tests
    return loop.put(loop.history._replace(suites=rounds.suites(((PYTEST, tests),), loop.history.suites, {}))), tests


NUMBERS = st.frozensets(st.integers(0, 3), max_size=3)
STATIC = st.one_of(
    st.builds(findings, NUMBERS, st.booleans()), st.just(Broken("crashed")), st.just(Absent("missing", "mypy"))
)
TESTS = st.one_of(st.builds(failures, NUMBERS), st.just(Broken("crashed")), st.just(Absent("missing", "mypy")))
MARKERS = st.sampled_from([None, None, None, Marker("complete"), Marker("blocked", "stuck")])
TREES = st.sampled_from(["start", "one", "two", "three"])
TASKS = st.lists(st.builds(Task, st.sampled_from("ab"), st.just("agent")), max_size=2).map(tuple)


def evidence(loop: Loop, static: Outcome, tests: Outcome, tree: str, weakened: bool = False) -> policy.Evidence:
    """What comes of these outcomes, by the same rules as in a stop."""
    if loop.asked.promise_only:  # nothing is checked
        return policy.Evidence(Snapshot(loop.rounds.iteration, "t"), ran=True, tree=tree)
    results: tuple[Result, ...] = ((RUFF, static), (PYTEST, tests))
    ran = any(isinstance(outcome, Clean | Found) for _, outcome in results)
    if not ran and not any(isinstance(outcome, Broken) for _, outcome in results):
        results = (*results, (measure.NOTHING_RAN, Broken("no check could run")))
    rules = measure.Standard(loop.asked.completion_criteria)
    shot = measure.snapshot(results, rules, loop.rounds.iteration, "t", {"static": int(weakened), "tests": 0})
    return policy.Evidence(
        shot, ran, (Against("suppressed", "noqa"),) if weakened else (), tree=tree, english=catalogue.english()
    )


def new_loop(**changes: object) -> Loop:
    usual: dict[str, object] = {"own_prompt": 1, "prompts_seen": 1, "tree_at_start": "start", "tree": "start"}
    return loops.new_loop(Criteria(zero_errors=True, test_pass=True), "", **usual | changes)


def after(verdict: Verdict, loop: Loop) -> Loop:
    return loop if isinstance(verdict, Allow) else verdict.loop


@st.composite
def kinds(draw: st.DrawFn) -> Loop:
    """A loop in its first round, with any settings that `start-loop` lets through."""
    promise = draw(st.booleans())
    limit = draw(st.sampled_from([0, 1, 2, 3, 3, 3]))
    return new_loop(
        max_iterations=draw(st.integers(1, 12)),
        marker=draw(st.sampled_from(["trust", "require"] if promise else ["trust", "verify", "require"])),
        promise_only=promise,
        strict=draw(st.booleans()),
        max_minutes=draw(st.sampled_from([0.0, 60.0, 60.0])),
        iteration_minutes=draw(st.sampled_from([0.0, 0.0, 20.0])),
        adaptive=draw(st.booleans()),
        completion_criteria=Criteria(zero_errors=True, test_pass=True, stagnation_limit=limit),
    )


KINDS = kinds()


class Run(RuleBasedStateMachine):
    """Loops from their start to their end: stops with any outcome, prompts at any time."""

    @initialize(kind=KINDS)
    def first(self, kind: Loop) -> None:
        self.begin(kind)

    @precondition(lambda self: not self.loop.active)
    @rule(kind=KINDS)
    def another(self, kind: Loop) -> None:
        self.begin(kind)

    def begin(self, kind: Loop) -> None:
        self.loop, self.cap = kind, kind.settings.max_iterations * (1 + kind.settings.budget.adaptive)
        self.session = Session(prompts=1, turn=1, turn_id="p1", tree="start")
        self.continues = 0
        self.laterals = 0

    @precondition(lambda self: self.loop.active)
    @rule(begins_turn=st.booleans(), tree=TREES)
    def prompt(self, begins_turn: bool, tree: str) -> None:
        number = self.session.prompts + 1
        self.session = self.session._replace(prompts=number)
        if begins_turn:
            self.session = self.session._replace(turn=number, turn_id=f"p{number}", tree=tree)

    @precondition(lambda self: self.loop.active)
    @rule(minutes=st.integers(1, 30))
    def work(self, minutes: int) -> None:
        self.loop = self.loop.worked(minutes * 60)

    @precondition(lambda self: self.loop.active)
    @rule(marker=MARKERS, tree=TREES, tasks=TASKS, static=STATIC, tests=TESTS, weakened=st.booleans())
    def stop(
        self, marker: Marker | None, tree: str, tasks: tuple[Task, ...], static: Outcome, tests: Outcome, weakened: bool
    ) -> None:
        event = Event("stop", "a-host", session="s", prompt_id=self.session.turn_id, tasks=tasks)
        before = self.loop
        admitted, verdict = policy.admit(before, self.session, event, marker, tree=tree, now="t")
        if verdict is not None:
            self.unchecked(before, admitted, verdict, marker)
            return
        admitted, tests = seen(admitted, tests)
        brought = evidence(admitted, static, tests, tree, weakened)
        verdict = policy.judge(admitted, brought, marker, "t")
        self.checked(admitted, brought, verdict, marker)

    def unchecked(self, before: Loop, admitted: Loop, verdict: Verdict, marker: Marker | None) -> None:
        assert not isinstance(verdict, Continue)
        if isinstance(verdict, Release):
            assert marker is not None
            declared = marker.kind == "complete" and before.settings.markers.marker == "trust"
            assert verdict.loop.end.stop_reason == ("complete" if declared else "blocked")
            assert verdict.loop.end.verified is not True
        else:
            # a stop that is not judged counts nothing
            assert (
                admitted.rounds.iteration,
                admitted.history.snapshots,
                admitted.rounds.seen,
                admitted.rounds.no_progress_count,
            ) == (
                before.rounds.iteration,
                before.history.snapshots,
                before.rounds.seen,
                before.rounds.no_progress_count,
            )
        self.loop = after(verdict, admitted)

    def checked(self, before: Loop, brought: policy.Evidence, verdict: Verdict, marker: Marker | None) -> None:
        shot, now = brought.snapshot, after(verdict, before)
        green = brought.ran and not shot.items
        self.loop = now
        if isinstance(verdict, Allow):
            assert green
            assert (brought.tree, before.history.snapshots) == ("start", ())
            return
        assert now.history.snapshots == (*before.history.snapshots, shot)
        if shot.not_run:
            assert (now.rounds.best, "tests" in now.history.known) == (
                before.rounds.best,
                "tests" in before.history.known,
            )
            assert now.end.stop_reason != "complete"
            assert not all(one.not_run for one in now.history.snapshots[-3:])
        if isinstance(verdict, Continue):
            self.continues += 1
            assert now.rounds.iteration == before.rounds.iteration + 1
            assert before.rounds.iteration < before.settings.max_iterations or self.earned_one_more(before, now)
            assert progress.seconds_left(before) != 0
            assert now.spent.round_seconds == 0
            assert not before.settings.max_minutes or before.clock.elapsed_seconds < before.settings.max_minutes * 60
            assert not self.is_complete(before, green, brought, marker)
            self.still_getting_closer(before, now)
            return
        assert now.rounds.iteration == before.rounds.iteration
        assert (now.end.stop_reason == "complete") == self.is_complete(before, green, brought, marker)
        # a promise is a word: nothing was checked, so nothing is verified
        verified = not brought.but and not now.asked.promise_only
        assert now.end.verified is (None if now.end.stop_reason != "complete" else verified)
        if now.end.stop_reason == "max-iterations":
            assert now.rounds.iteration == now.settings.max_iterations
        if now.end.stop_reason == "stagnant":
            limit = now.asked.completion_criteria.stagnation_limit
            assert limit > 0
            assert now.rounds.no_progress_count >= limit or progress.cycles(now.rounds.seen)

    @staticmethod
    def is_complete(loop: Loop, green: bool, brought: policy.Evidence, marker: Marker | None) -> bool:
        """What completes a loop once the checks ran, said in another way than the product says it."""
        said = marker is not None and marker.kind == "complete" and loop.settings.markers.marker == "require"
        if loop.asked.promise_only:
            return said
        known = None not in brought.snapshot.scores.values()
        held_back = loop.settings.strict and bool(brought.but)
        return green and known and not held_back and (said or loop.settings.markers.marker != "require")

    @staticmethod
    def earned_one_more(before: Loop, now: Loop) -> bool:
        """Only by a score that no round before had."""
        best = {
            progress.key(one.scores)
            for one in before.history.snapshots
            if not one.not_run and None not in one.scores.values()
        }
        newest = progress.key(now.history.snapshots[-1].scores)
        assert before.settings.budget.adaptive
        return bool(before.history.snapshots) and all(newest < one for one in best)

    def still_getting_closer(self, before: Loop, now: Loop) -> None:
        limit = now.asked.completion_criteria.stagnation_limit
        if limit:
            assert now.rounds.no_progress_count < limit
            assert now.asked.promise_only or not progress.cycles(now.rounds.seen)
        if now.asked.promise_only:
            return
        lateral = (
            now.rounds.no_progress_count == 0
            and (now.rounds.best, now.history.known) == (before.rounds.best, before.history.known)
            and before.rounds.seen
        )
        closer = (now.rounds.best, now.history.known) != (before.rounds.best, before.history.known)
        self.laterals = 0 if closer else self.laterals + bool(lateral)
        assert self.laterals <= 2 * limit

    @invariant()
    def rounds_are_counted_and_bounded(self) -> None:
        loop = getattr(self, "loop", None)
        if loop is not None:
            assert loop.rounds.iteration == self.continues + 1 <= loop.settings.max_iterations
            assert len(loop.history.snapshots) <= loop.settings.max_iterations <= self.cap
            assert loop.active == (loop.end.stop_reason is None)

    def teardown(self) -> None:
        loop = getattr(self, "loop", None)
        if loop is not None and not loop.active:
            assert loop.end.final_status in ("COMPLETE", "BLOCKED", "STOPPED")


TestRun = Run.TestCase
TestRun.settings = settings(max_examples=60, stateful_step_count=30, deadline=None)


def stops(loop: Loop, rounds: Sequence[tuple[Outcome, Outcome, str]]) -> list[Verdict]:
    """The verdicts of these rounds, up to the one that lets go; of tests what failed last runs first."""
    verdicts: list[Verdict] = []
    for static, all_tests, tree in rounds:
        loop, tests = seen(loop, all_tests)
        verdicts.append(policy.judge(loop, evidence(loop, static, tests, tree), None, "t"))
        loop = after(verdicts[-1], loop)
        if not loop.active:
            break
    return verdicts


def ending(verdicts: list[Verdict]) -> str | None:
    last = verdicts[-1]
    return last.loop.end.stop_reason if isinstance(last, Release) else None


@given(limit=st.integers(1, 9), static=NUMBERS.filter(bool), tests=NUMBERS, tree=TREES)
def test_a_loop_in_which_nothing_changes_is_continued_limit_times(
    limit: int, static: frozenset[int], tests: frozenset[int], tree: str
) -> None:
    loop = new_loop(
        max_iterations=99, completion_criteria=Criteria(zero_errors=True, test_pass=True, stagnation_limit=limit)
    )
    verdicts = stops(loop, [(findings(static), failures(tests), tree)] * 99)
    assert [type(verdict) for verdict in verdicts] == [Continue] * limit + [Release]
    assert ending(verdicts) == "stagnant"


@given(rounds=st.integers(1, 20), static=NUMBERS.filter(bool))
def test_with_stagnation_off_only_the_rounds_end_an_idle_loop(rounds: int, static: frozenset[int]) -> None:
    loop = new_loop(max_iterations=rounds, completion_criteria=Criteria(zero_errors=True, stagnation_limit=0))
    verdicts = stops(loop, [(findings(static), Absent("missing", "pytest"), "one")] * 30)
    assert [type(verdict) for verdict in verdicts] == [Continue] * (rounds - 1) + [Release]
    assert ending(verdicts) == "max-iterations"


@given(most=st.integers(1, 9), better=st.integers(0, 20))
def test_an_adaptive_loop_goes_on_while_each_round_is_the_best_and_never_beyond_twice_its_rounds(
    most: int, better: int
) -> None:
    loop = new_loop(
        max_iterations=most, adaptive=True, completion_criteria=Criteria(zero_errors=True, stagnation_limit=0)
    )
    falling = [*range(40, 40 - better, -1), *[40 - better] * 40]
    verdicts = stops(loop, [(findings(frozenset(range(n))), Absent("missing", "pytest"), f"{n}") for n in falling])
    assert ending(verdicts) == "max-iterations"
    assert len(verdicts) == max(most, min(2 * most, better + 2)) if most > 1 else 1


@given(most=st.integers(1, 99), used=st.lists(st.integers(0, 40), min_size=40, max_size=40))
def test_no_budget_is_exceeded_by_more_than_one_round(most: int, used: list[int]) -> None:
    loop = new_loop(
        max_iterations=99, max_tokens=most, completion_criteria=Criteria(zero_errors=True, stagnation_limit=0)
    )
    spent, total, silent = Spending("t"), 0, 0
    for tokens in used:
        total, silent = total + tokens, 0 if tokens else silent + 1
        spent = spending.after(spent, {"s": ReadSoFar(0, {"m": Used(total)})}, {}, loop.settings)
        brought = evidence(loop, findings(frozenset({1})), Absent("missing", "pytest"), "one")._replace(spending=spent)
        verdict = policy.judge(loop, brought, None, "t")
        assert isinstance(verdict, Release) == (total >= most or silent == 2)
        loop = after(verdict, loop)
        if not loop.active:
            assert (loop.end.stop_reason, total - tokens < most) == ("budget", True)
            return
    assert total < most


@given(
    sets=st.lists(NUMBERS.filter(bool), min_size=2, max_size=3, unique=True),
    lead=st.lists(NUMBERS.filter(bool), max_size=3),
)
def test_failing_sets_in_turn_release_at_the_latest_after_the_second_turn(
    sets: list[frozenset[int]], lead: list[frozenset[int]]
) -> None:
    loop = new_loop(max_iterations=99, completion_criteria=Criteria(zero_errors=True, stagnation_limit=50))
    turns = [(findings(one), Absent("missing", "pytest"), "one") for one in [*lead, *sets, *sets]]
    assert ending(stops(loop, turns)) == "stagnant"


@given(
    static=st.sampled_from([Broken("crashed"), Absent("missing", "mypy")]),
    tests=st.sampled_from([Broken("x"), Absent("missing", "pytest")]),
)
def test_where_nothing_works_nothing_completes(static: Outcome, tests: Outcome) -> None:
    for marker in ("trust", "verify", "require"):
        for said in (None, Marker("complete")):
            loop = new_loop(marker=marker)
            verdict = policy.judge(loop, evidence(loop, static, tests, "one"), said, "t")
            assert isinstance(verdict, Continue)


@given(before=st.lists(NUMBERS, min_size=1, max_size=4), now=NUMBERS)
def test_a_syntax_error_that_is_added_is_no_improvement(before: list[frozenset[int]], now: frozenset[int]) -> None:
    loop = new_loop(completion_criteria=Criteria(zero_errors=True, stagnation_limit=99))
    for number, one in enumerate(before):
        loop = progress.advance(
            loop, evidence(loop, findings(one), Absent("missing", "pytest"), f"{number}").snapshot, f"{number}"
        )
    worse = progress.advance(
        loop, evidence(loop, findings(now, hidden=True), Absent("missing", "pytest"), "new").snapshot, "new"
    )
    assert worse.rounds.no_progress_count == loop.rounds.no_progress_count + 1
    assert (worse.rounds.best, worse.history.known) == (loop.rounds.best, loop.history.known)


@given(rounds=st.integers(1, 12), static=NUMBERS.filter(bool))
def test_green_on_the_last_round_is_a_success(rounds: int, static: frozenset[int]) -> None:
    loop = new_loop(max_iterations=rounds, completion_criteria=Criteria(zero_errors=True, stagnation_limit=0))
    red, green = (findings(static), Absent("missing", "pytest"), "one"), (Clean(), Absent("missing", "pytest"), "two")
    assert ending(stops(loop, [red] * (rounds - 1) + [green])) == "complete"


@given(sizes=st.lists(st.integers(1, 60), min_size=2, max_size=30))
def test_ever_fewer_findings_are_never_stuck(sizes: list[int]) -> None:
    falling = sorted(set(sizes), reverse=True)
    loop = new_loop(max_iterations=99, completion_criteria=Criteria(zero_errors=True, stagnation_limit=1))
    verdicts = stops(loop, [(findings(frozenset(range(size))), Absent("missing", "pytest"), "one") for size in falling])
    assert [type(verdict) for verdict in verdicts] == [Continue] * len(falling)


@given(limit=st.integers(1, 4), order=st.permutations(range(12)), together=st.lists(st.integers(1, 3), min_size=12))
def test_ever_fewer_failing_tests_are_never_stuck_whatever_runs_first(
    limit: int, order: list[int], together: list[int]
) -> None:
    loop = new_loop(
        max_iterations=99, completion_criteria=Criteria(zero_errors=True, test_pass=True, stagnation_limit=limit)
    )
    steps = [sum(together[:number]) for number in range(12)]
    left = [frozenset(order[step:]) for step in steps if step < 12]
    rounds = [(Clean(), failures(one, 40), f"{len(one)}") for one in [*left, frozenset[int]()]]
    verdicts = stops(loop, rounds)
    assert [type(verdict) for verdict in verdicts] == [Continue] * len(left) + [Release]
    assert ending(verdicts) == "complete"


@given(
    limit=st.integers(1, 3),
    red=NUMBERS.filter(bool),
    others=st.lists(st.frozensets(st.integers(4, 8), max_size=5), min_size=80, max_size=80),
)
def test_what_breaks_and_is_mended_beside_a_red_test_is_found_and_no_loop_goes_on_for_ever(
    limit: int, red: frozenset[int], others: list[frozenset[int]]
) -> None:
    loop = new_loop(
        max_iterations=99, completion_criteria=Criteria(zero_errors=True, test_pass=True, stagnation_limit=limit)
    )
    verdicts = stops(loop, [(Clean(), failures(red | other), f"{n}") for n, other in enumerate(others)])
    assert ending(verdicts) == "stagnant"
    shots = [after(verdict, loop).history.snapshots[-1] for verdict in verdicts]
    for number, shot in enumerate(shots):
        assert shot.items, number
        if not shot.not_run:
            assert shot.tests_failed == len(red | others[number])
