"""Progress and stagnation: what counts as getting closer."""

import itertools

import pytest

import tables
from loops import new_loop, with_fields
from untilgreen.core.model.check import Check
from untilgreen.core.model.loop import Loop
from untilgreen.core.model.outcome import Clean, Diagnostic, Found
from untilgreen.core.model.settings import Criteria
from untilgreen.core.model.snapshot import Snapshot
from untilgreen.core.verdict import measure, progress

Round = tuple[dict[str, int | None], str]


def loop(limit: int = 3, *, promise_only: bool = False) -> Loop:
    return new_loop(Criteria(zero_errors=True, stagnation_limit=limit), promise_only=promise_only)


def after(rounds: list[Round], limit: int = 3) -> Loop:
    """A loop after these rounds: each the scores and the name of the failing set."""
    one = loop(limit)
    for number, (scores, failing) in enumerate(rounds, 1):
        one = progress.advance(one, Snapshot(number, "t", scores=scores, failing=failing), f"tree {number}")
    return one


def s(static: int | None, failing: str = "") -> Round:
    """A round with one stage; its failing set is named after the number if nothing else is said."""
    return {"static": static}, failing or f"{static}"


# the rounds, and for each whether it improved
IMPROVED = {
    "the first counted stop always does": ([s(9)], [True]),
    "fewer": ([s(9), s(8)], [True, True]),
    "the same": ([s(9), s(9)], [True, False]),
    "more": ([s(9), s(10)], [True, False]),
    "back to the best is no new best": ([s(9), s(12), s(9)], [True, False, False]),
    "fewer than the last but not than the best": ([s(5), s(9), s(7)], [True, False, False]),
    "others, as many": ([s(5, "a"), s(5, "b")], [True, True]),
    "others, seen before": ([s(5, "a"), s(5, "b"), s(5, "a")], [True, True, False]),
    "a stage gets unknown": ([s(64), s(None)], [True, False]),
    "a stage gets unknown and comes back as it was": ([s(64), s(None), s(64)], [True, False, False]),
    "a stage is known for the first time": ([s(None), s(64)], [True, True]),
    "another stage is known for the first time": (
        [({"static": 2}, "a"), ({"static": 2, "tests": 40}, "b")],
        [True, True],
    ),
    "a stage is known for the first time while another got worse": (
        [({"static": 2, "tests": None}, "a"), ({"static": 3, "tests": 40}, "b")],
        [True, True],
    ),
    "an early stage beats a late one": (
        [({"static": 2, "tests": 1}, "a"), ({"static": 1, "tests": 9}, "b")],
        [True, True],
    ),
    "a late stage does not make up for an early one": (
        [({"static": 1, "tests": 9}, "a"), ({"static": 2, "tests": 0}, "b")],
        [True, False],
    ),
    "a late stage counts where the early ones are equal": (
        [({"static": 1, "tests": 9}, "a"), ({"static": 1, "tests": 8}, "b")],
        [True, True],
    ),
    "a late stage that vanishes": ([({"static": 1, "tests": 9}, "a"), ({"static": 1}, "b")], [True, False]),
}


# the same where what failed last ran alone: in the rounds with a star
PARTIAL = tables.literal("progress", "partial")


def partial(text: str, limit: int = 3) -> list[Loop]:
    """The loop after each of these rounds, `static/tests`, the failing set by what is behind the slash."""
    one, loops = loop(limit), []
    for number, word in enumerate(text.split(), 1):
        static, _, rest = word.partition("/")
        scores = {"static": None if static == "-" else int(static), "tests": int(rest.strip("ab*"))}
        missed = {"pytest": 9} if "*" in rest else {}
        now = Snapshot(number, "t", scores=scores, failing=word.strip("*"), not_run=missed)
        one = with_fields(progress.advance(one, now, ""), snapshots=(*one.history.snapshots, now))
        loops.append(one)
    return loops


@pytest.mark.parametrize(("rounds", "improved"), PARTIAL.values(), ids=PARTIAL.keys())
def test_a_round_that_did_not_see_all_tests_improves_against_the_same_tests(rounds: str, improved: list[bool]) -> None:
    loops = partial(rounds)
    assert [one.rounds.no_progress_count == 0 for one in loops] == improved
    for before, after_it in itertools.pairwise(loops):
        assert not after_it.history.snapshots[-1].not_run or after_it.rounds.best == before.rounds.best, (
            "it is never a best"
        )


def test_rounds_that_did_not_see_all_tests_improve_at_most_twice_the_limit_without_a_best() -> None:
    # two are mended and two others break, again and again: only whole runs show it
    one, counted = loop(1), []
    for number, (tests, not_run) in enumerate([(5, {}), (4, {"pytest": 9}), (3, {"pytest": 9})] * 2):
        now = Snapshot(number, "t", scores={"tests": tests}, failing=f"{number}", not_run=not_run)
        one = with_fields(progress.advance(one, now, ""), snapshots=(*one.history.snapshots, now))
        counted.append(one.rounds.no_progress_count)
    assert counted == [0, 0, 0, 1, 2, 3]


@pytest.mark.parametrize(("rounds", "improved"), IMPROVED.values(), ids=IMPROVED.keys())
def test_a_round_improves(rounds: list[Round], improved: list[bool]) -> None:
    counts = [after(rounds[: n + 1]).rounds.no_progress_count for n in range(len(rounds))]
    assert [count == 0 for count in counts] == improved


def test_lateral_moves_count_at_most_twice_the_limit() -> None:
    rounds = [s(5, f"set {n}") for n in range(20)]
    counts = [after(rounds[: n + 1]).rounds.no_progress_count for n in range(20)]
    assert counts == [0] * 7 + list(range(1, 14))


def test_a_new_best_makes_room_for_lateral_moves_again() -> None:
    rounds = [s(5, f"set {n}") for n in range(8)] + [s(4, f"other {n}") for n in range(8)]
    counts = [after(rounds[: n + 1]).rounds.no_progress_count for n in range(16)]
    assert counts == [0] * 7 + [1] + [0] * 7 + [1]


def test_the_best_is_kept_while_it_gets_worse() -> None:
    assert after([s(5), s(3), s(9)]).rounds.best == {"static": 3}


STUCK = {
    "nothing changes": ([s(5)] * 4, 3, "No improvement in 3 iterations"),
    "not yet": ([s(5)] * 3, 3, ""),
    "at once": ([s(5)] * 2, 1, "No improvement in 1 iterations"),
    "switched off": ([s(5)] * 40, 0, ""),
    "two sets in turn": (
        [s(5, "a"), s(4, "b"), s(5, "a"), s(4, "b")],
        9,
        "No improvement: the same failing sets come back in turn",
    ),
    "three sets in turn": (
        [s(5, "a"), s(4, "b"), s(3, "c")] * 2,
        9,
        "No improvement: the same failing sets come back in turn",
    ),
    "two sets in turn, switched off": ([s(5, "a"), s(4, "b")] * 9, 0, ""),
    "the same set is no cycle": ([s(5, "a")] * 6, 9, ""),
    "almost": ([s(5, "a"), s(4, "b"), s(5, "a"), s(4, "c")], 9, ""),
    "the empty set is no cycle": ([({"static": 0}, ""), s(1, "a")] * 4, 99, ""),
    "green and never declared": ([({"static": 0}, "")] * 4, 3, "Green, never declared"),
    "a syntax error at the end is not green": (
        [({"static": 0}, "")] + [s(None, "a")] * 3,
        3,
        "No improvement in 3 iterations",
    ),
}


@pytest.mark.parametrize(("rounds", "limit", "reason"), STUCK.values(), ids=STUCK.keys())
def test_a_loop_is_stuck(rounds: list[Round], limit: int, reason: str) -> None:
    assert progress.stagnation(after(rounds, limit)) == reason


def test_a_promise_loop_improves_when_the_work_tree_changed() -> None:
    one = loop(promise_only=True)
    counts = []
    for number, tree in enumerate(["a", "b", "b", "a", "b", "a", "a", "a", "a"], 1):
        one = progress.advance(one, Snapshot(number, "t"), tree)
        counts.append(one.rounds.no_progress_count)
    assert counts == [0, 0, 1, 0, 0, 0, 1, 2, 3]
    assert progress.stagnation(one) == "No improvement in 3 iterations"


@pytest.mark.parametrize(
    ("initial", "now", "percent"), tables.literal("progress", "percent is whole and a hundred only")
)
def test_percent_is_whole_and_a_hundred_only_when_nothing_is_left(
    initial: int | None, now: int, percent: int | None
) -> None:
    assert progress.percent(initial, now) == percent


def test_a_finding_that_became_a_suppression_is_no_lateral_move() -> None:
    one = loop()
    for number, weakened in enumerate((0, 1, 2), 1):
        now = Snapshot(number, "t", scores={"static": 5}, failing=f"set {number}", weakened=weakened)
        one = with_fields(progress.advance(one, now, ""), snapshots=(*one.history.snapshots, now))
    assert one.rounds.no_progress_count == 2


@pytest.mark.parametrize(
    ("stages", "extra", "expected"), tables.literal("progress", "what was weakened counts in whichever")
)
def test_what_was_weakened_counts_in_whichever_stage_there_is(
    stages: tuple[str, ...], extra: dict[str, int], expected: dict[str, int]
) -> None:
    results = tuple((Check(stage, "custom", ".", stage, "x"), Clean()) for stage in stages)
    snapshot = measure.snapshot(results, measure.Standard(Criteria(zero_errors=True)), 1, "t", extra)
    assert (snapshot.scores, snapshot.weakened) == (expected, sum(extra.values()))


def test_a_risk_that_several_checkers_know_is_told_by_the_one_that_the_project_chose() -> None:
    def risk(check: str, line: int, severity: str = "security") -> Diagnostic:
        return Diagnostic(check, "a.py", line, f"{check}-rule", severity, "unsafe")

    results = tuple(
        (Check(name, name, ".", "static", "x", meets=("zero_security",)), Found(found))
        for name, found in (
            ("ruff", (risk("ruff", 1), risk("ruff", 2), risk("ruff", 2, "error"))),
            ("bandit", (risk("bandit", 1), risk("bandit", 0))),
            ("ast-grep", (risk("ast-grep", 1), risk("ast-grep", 2), risk("ast-grep", 3))),
        )
    )
    snapshot = measure.snapshot(results, measure.Standard(Criteria(zero_errors=True, zero_security=True)), 1, "t")
    assert [item.text.split(" ")[0:2] for item in snapshot.items] == [
        ["a.py:2:", "ruff-rule"],
        ["a.py:2:", "ruff-rule"],
        ["a.py:1:", "bandit-rule"],
        ["a.py:", "bandit-rule"],
        ["a.py:3:", "ast-grep-rule"],
    ]
    assert (snapshot.security_issues, snapshot.error_count) == (4, 1)
    assert snapshot.outcomes == {"ruff": "found", "bandit": "found", "ast-grep": "found"}


@pytest.mark.parametrize(("rounds", "best"), tables.literal("progress", "the best round is the earliest"))
def test_the_best_round_is_the_earliest_with_the_best_score_that_is_known(
    rounds: list[dict[str, int | None]], best: int
) -> None:
    snapshots = tuple(
        Snapshot(number, "t", scores=scores, not_run={"pytest": 9} if "a part" in scores else {})
        for number, scores in enumerate(rounds, 1)
    )
    assert progress.best_round(new_loop(Criteria(), snapshots=snapshots)) == best
