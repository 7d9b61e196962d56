"""The verdict, step by step and in its order: each case holds everything that later steps look at, too."""

import pytest

import tables
from loops import new_loop
from untilgreen.core.model.check import Check
from untilgreen.core.model.event import Event, Session, Task
from untilgreen.core.model.groups import Against
from untilgreen.core.model.loop import Allow, Continue, Loop, Release, Verdict
from untilgreen.core.model.outcome import Broken, Clean, Diagnostic, Found, Outcome
from untilgreen.core.model.settings import Criteria
from untilgreen.core.model.snapshot import Snapshot
from untilgreen.core.verdict import measure, policy
from untilgreen.core.verdict.markers import Marker
from untilgreen.state import catalogue

RUFF = Check("ruff", "ruff", ".", "static", "/bin/ruff")
DONE, STUCK = Marker("complete"), Marker("blocked", "no network")
TEST_RUN = Task("t1", "shell", "pytest -q")
# the user spoke while the agent was at work
SPOKEN = Session(prompts=3, turn=2, turn_id="p2", tree="before")
NOQA = (Against("suppressed", "noqa"),)
QUIET = Session(prompts=1, turn=1, turn_id="p1", tree="before")


def loop(**changes: object) -> Loop:
    """A loop in round 2 of 10 whose own prompt was the first."""
    usual = {"iteration": 2, "own_prompt": 1, "prompts_seen": 1, "tree_at_start": "before", "tree": "before"}
    return new_loop(Criteria(zero_errors=True), "mend it", **usual | {"marker": "trust"} | changes)


def stop(**changes: object) -> Event:
    """A stop in the turn of the loop's own prompt."""
    return Event("stop", "a-host", session="s", prompt_id="p1")._replace(**changes)  # type: ignore[arg-type]


def finding(rule: str = "F401") -> Diagnostic:
    return Diagnostic("ruff", "app.py", 1, rule, "error", "unused")


def snapshot(outcome: Outcome, iteration: int = 2) -> Snapshot:
    return measure.snapshot(((RUFF, outcome),), measure.Standard(Criteria(zero_errors=True)), iteration, "t1")


def evidence(outcome: Outcome, tree: str = "after", **changes: object) -> policy.Evidence:
    brought = policy.Evidence(
        snapshot(outcome), not isinstance(outcome, Broken), tree=tree, english=catalogue.english()
    )
    return brought._replace(**changes)  # type: ignore[arg-type]


def told(verdict: Verdict | None) -> str:
    """The verdict in a few words."""
    if verdict is None:
        return "check"
    if isinstance(verdict, Allow):
        return f"allow: {verdict.reason}" + (" (user told)" if verdict.notice else "")
    if isinstance(verdict, Continue):
        return f"continue with round {verdict.loop.rounds.iteration}"
    return f"release: {verdict.loop.end.stop_reason}: {verdict.loop.end.completion_reason}"


ADMITTED = {
    # the event, the session, the marker, and the verdict; each line takes the last one's reason away
    "2 a sub-agent": (
        stop(agent_id="a", permission_mode="plan", tasks=(TEST_RUN,)),
        SPOKEN,
        STUCK,
        "allow: a sub-agent's stop",
    ),
    "2 plan mode": (stop(permission_mode="plan", tasks=(TEST_RUN,)), SPOKEN, STUCK, "allow: plan mode"),
    "3 blocked": (stop(tasks=(TEST_RUN,)), SPOKEN, STUCK, "release: blocked: no network"),
    "4 declared": (stop(tasks=(TEST_RUN,)), SPOKEN, DONE, "release: complete: Declared done"),
    "5 the user spoke": (stop(tasks=(TEST_RUN,)), SPOKEN, None, "allow: the user has spoken (user told)"),
    "5 the user is answered": (
        stop(prompt_id="p2", tasks=(TEST_RUN,)),
        SPOKEN._replace(prompts=2),
        None,
        "allow: the turn answers the user and changed nothing (user told)",
    ),
    "6 waiting": (stop(tasks=(TEST_RUN,)), QUIET, None, "allow: waiting for pytest -q (user told)"),
    "the checks run": (stop(), QUIET, None, "check"),
}


@pytest.mark.parametrize(("event", "session", "marker", "verdict"), ADMITTED.values(), ids=ADMITTED.keys())
def test_the_first_step_that_matches_before_the_checks(
    event: Event, session: Session, marker: Marker | None, verdict: str
) -> None:
    admitted = policy.admit(loop(), session, event, marker, tree="before", now="t1")
    assert told(admitted.verdict) == verdict


@pytest.mark.parametrize("mode", ["verify", "require"])
def test_a_completion_marker_ends_a_loop_unchecked_only_where_it_is_trusted(mode: str) -> None:
    assert policy.admit(loop(marker=mode), QUIET, stop(), DONE, tree="after", now="t1").verdict is None


@pytest.mark.parametrize("mode", ["trust", "verify", "require"])
def test_blocked_counts_in_every_mode(mode: str) -> None:
    verdict = policy.admit(loop(marker=mode), QUIET, stop(), STUCK, tree="after", now="t1").verdict
    assert told(verdict) == "release: blocked: no network"


def test_blocked_without_a_reason_says_so() -> None:
    verdict = policy.admit(loop(), QUIET, stop(), Marker("blocked"), tree="after", now="t1").verdict
    assert told(verdict) == "release: blocked: no reason given"


def test_what_was_declared_while_red_is_no_success() -> None:
    red, green = snapshot(Found((finding(),))), snapshot(Clean())
    for shots, status in (((), "success"), ((green,), "success"), ((red,), "stopped"), ((red, green), "success")):
        verdict = policy.admit(loop(snapshots=shots), QUIET, stop(), DONE, tree="after", now="t1").verdict
        assert isinstance(verdict, Release)
        over, end = verdict.loop, verdict.loop.end
        assert (over.active, over.status, end.final_status, end.verified) == (False, status, "COMPLETE", False)


def test_the_same_task_is_waited_for_twice() -> None:
    waiting, said = loop(), []
    for _ in range(3):
        waiting, verdict = policy.admit(waiting, QUIET, stop(tasks=(TEST_RUN,)), None, tree="after", now="t1")
        said.append(told(verdict))
    assert said == ["allow: waiting for pytest -q (user told)"] * 2 + ["check"]
    assert (waiting.rounds.iteration, waiting.history.snapshots) == (2, ())


def test_a_dev_server_is_no_reason_to_let_go() -> None:
    server = Task("t2", "shell", "npm run dev")
    assert policy.admit(loop(), QUIET, stop(tasks=(server,)), None, tree="after", now="t1").verdict is None


def test_the_user_goes_first_once_for_each_prompt() -> None:
    first = policy.admit(loop(), SPOKEN, stop(), None, tree="after", now="t1")
    assert told(first.verdict) == "allow: the user has spoken (user told)"
    assert policy.admit(first.loop, SPOKEN, stop(), None, tree="later", now="t1").verdict is None
    again = policy.admit(first.loop, SPOKEN._replace(prompts=4), stop(), None, tree="later", now="t1")
    assert told(again.verdict) == "allow: the user has spoken (user told)"


def test_an_answer_that_changed_something_is_judged() -> None:
    answering = Session(prompts=2, turn=2, turn_id="p2", tree="before")
    event = stop(prompt_id="p2")
    assert policy.admit(loop(), answering, event, None, tree="after", now="t1").verdict is None
    unchanged = policy.admit(loop(), answering, event, None, tree="before", now="t1").verdict
    assert told(unchanged) == "allow: the turn answers the user and changed nothing (user told)"


def test_the_loops_own_prompt_is_no_users_turn() -> None:
    own = Session(prompts=2, turn=2, turn_id="p2", tree="before")
    event = stop(prompt_id="p2")
    started_by_it = loop(own_prompt=2)
    started_before_it = loop(own_prompt=-1, prompts_at_start=1)
    for one in (started_by_it, started_before_it):
        admitted = policy.admit(one, own, event, None, tree="before", now="t1")
        assert (admitted.verdict, admitted.loop.turns.own_prompt) == (None, 2)


def test_without_prompt_ids_only_a_prompt_during_a_held_turn_goes_first() -> None:
    session = Session(prompts=2, turn=2, tree="start of turn")
    held, free = stop(prompt_id="", turn_goes_on=True), stop(prompt_id="")
    assert told(policy.admit(loop(), session, held, None, tree="after", now="t1").verdict).startswith("allow: the user")
    assert policy.admit(loop(), session, free, None, tree="after", now="t1").verdict is None


SUCCESS = "release: complete: All conditions satisfied"
RED, GREEN = Found((finding(),)), Clean()
HIDING = Found((finding()._replace(severity="warning", hides=True),))
LAST = {"iteration": 10}
LATE = {"max_minutes": 1.0, "elapsed_seconds": 60.0}
BEFORE = measure.snapshot(((RUFF, RED),), measure.Standard(Criteria(zero_errors=True)), 1, "t0")
WORSE = BEFORE._replace(scores={"static": 2}, failing="two of them")
IDLE = {
    "snapshots": (BEFORE,),
    "seen": (BEFORE.failing,) * 3,
    "best": BEFORE.scores,
    "known": ("static",),
    "no_progress_count": 2,
}
JUDGED = {
    "9 nothing changed since the start": (
        loop(**LAST, **LATE),
        evidence(GREEN, tree="before"),
        None,
        "allow: green, and nothing has changed since the start (user told)",
    ),
    "9 green on the last round, late and stuck": (loop(**LAST, **LATE, **IDLE), evidence(GREEN), None, SUCCESS),
    "10 iterations": (
        loop(**LAST, **LATE, **IDLE),
        evidence(RED),
        None,
        "release: max-iterations: Max iterations reached (10)",
    ),
    "10 wall time": (
        loop(**LATE, **IDLE),
        evidence(RED),
        None,
        "release: max-wall-time: Max wall time reached (1 min)",
    ),
    "10 a round that took too long": (
        loop(iteration_minutes=30.0, round_seconds=2460.0),
        evidence(RED),
        None,
        "release: max-wall-time: Round 2 took 41 min (limit 30)",
    ),
    "10 a round in its time": (
        loop(iteration_minutes=30.0, round_seconds=1799.0),
        evidence(RED),
        None,
        "continue with round 3",
    ),
    "10 one more for the best round so far": (
        loop(**LAST, adaptive=True, snapshots=(WORSE,), best=WORSE.scores, seen=(WORSE.failing,)),
        evidence(RED),
        None,
        "continue with round 11",
    ),
    "10 none for a round as good as the best": (
        loop(**LAST, adaptive=True, snapshots=(BEFORE,), best=BEFORE.scores, seen=("other",)),
        evidence(RED),
        None,
        "release: max-iterations: Max iterations reached (10)",
    ),
    "10 none beyond twice the rounds": (
        loop(**LAST, adaptive=True, extended=5, snapshots=(WORSE,), best=WORSE.scores, seen=(WORSE.failing,)),
        evidence(RED),
        None,
        "release: max-iterations: Max iterations reached (10)",
    ),
    "11 stagnation": (loop(**IDLE), evidence(RED), None, "release: stagnant: No improvement in 3 iterations"),
    "12 continue": (loop(), evidence(RED), None, "continue with round 3"),
    "green, but": (
        loop(),
        evidence(GREEN, weakened=NOQA, left_out=(Against("missing", "mypy"),)),
        None,
        "release: complete: Green, but 1 new noqa, mypy is not installed",
    ),
    "green, but strict": (loop(strict=True), evidence(GREEN, weakened=NOQA), None, "continue with round 3"),
    "green, strict": (loop(strict=True), evidence(GREEN), None, SUCCESS),
    "broken is not green": (loop(), evidence(Broken("crashed")), None, "continue with round 3"),
    "nothing ran": (loop(), evidence(GREEN, ran=False), None, "continue with round 3"),
    "findings that may be hidden": (loop(), evidence(HIDING), None, "continue with round 3"),
    "green again as it was at the start": (loop(snapshots=(BEFORE,)), evidence(GREEN, tree="before"), None, SUCCESS),
    "required and not said": (loop(marker="require"), evidence(GREEN), None, "continue with round 3"),
    "required and said": (loop(marker="require"), evidence(GREEN), DONE, SUCCESS),
    "required and said, nothing changed": (loop(marker="require"), evidence(GREEN, tree="before"), DONE, SUCCESS),
    "required and said while red": (loop(marker="require"), evidence(RED), DONE, "continue with round 3"),
    "verify needs no word": (loop(marker="verify"), evidence(GREEN), None, SUCCESS),
    "verify hears no word": (loop(marker="verify"), evidence(RED), DONE, "continue with round 3"),
    "a promise not given": (loop(promise_only=True, marker="require"), evidence(GREEN), None, "continue with round 3"),
    "a promise given": (
        loop(promise_only=True, marker="require"),
        evidence(GREEN),
        DONE,
        "release: complete: Declared done",
    ),
    "a trusted promise not given": (loop(promise_only=True), evidence(GREEN), None, "continue with round 3"),
    "no limit on minutes": (
        loop(max_minutes=0.0, elapsed_seconds=1000000000.0),
        evidence(RED),
        None,
        "continue with round 3",
    ),
    "one round never goes on": (
        loop(iteration=1, max_iterations=1),
        evidence(RED),
        None,
        "release: max-iterations: Max iterations reached (1)",
    ),
}


@pytest.mark.parametrize(("judged", "brought", "marker", "verdict"), JUDGED.values(), ids=JUDGED.keys())
def test_the_first_step_that_matches_after_the_checks(
    judged: Loop, brought: policy.Evidence, marker: Marker | None, verdict: str
) -> None:
    assert told(policy.judge(judged, brought, marker, "t1")) == verdict


@pytest.mark.parametrize(
    "rules",
    [
        measure.Standard(Criteria(zero_errors=True), targets=("app.py",)),
        measure.Standard(Criteria(zero_errors=False)),
        measure.Standard(Criteria(zero_errors=False, zero_warnings=True)),
    ],
)
def test_what_hides_other_findings_is_left_to_do_whatever_counts_otherwise(rules: measure.Standard) -> None:
    hiding = Diagnostic("ruff", "other.py", 1, "invalid-syntax", "error", "expected ':'", hides=True)
    shot = measure.snapshot(((RUFF, Found((hiding,))),), rules, 2, "t1")
    assert [item.text for item in shot.items] == ["other.py:1: invalid-syntax expected ':'"]
    assert shot.scores == {"static": None}


def test_a_continue_counts_one_round_and_keeps_the_snapshot() -> None:
    verdict = policy.judge(loop(), evidence(RED), None, "t1")
    assert isinstance(verdict, Continue)
    after = verdict.loop
    assert (after.rounds.iteration, after.active, after.status) == (3, True, "running")
    assert after.clock.last_iteration_at == "t1"
    assert after.history.snapshots == (snapshot(RED),)
    assert after.history.current == snapshot(RED)


@pytest.mark.parametrize(
    ("case", "verified"),
    [
        (evidence(GREEN), True),
        (evidence(GREEN, weakened=NOQA), False),
        (evidence(GREEN, left_out=(Against("said", "x"),)), False),
    ],
)
def test_only_green_without_a_but_is_verified(case: policy.Evidence, verified: bool) -> None:
    verdict = policy.judge(loop(), case, None, "t1")
    assert isinstance(verdict, Release)
    over = verdict.loop
    assert (over.end.verified, over.status, over.end.final_status) == (verified, "success", "COMPLETE")
    assert (over.active, over.end.ended_at, over.clock.round_started) == (False, "t1", 0.0)


@pytest.mark.parametrize(
    ("reason", "final_status", "status"), tables.literal("policy", "every way to end has its words")
)
def test_every_way_to_end_has_its_words(reason: str, final_status: str, status: str) -> None:
    over = policy.over(loop(), reason, "why", "t9")
    told = (over.end.stop_reason, over.end.final_status, over.status, over.end.completion_reason)
    assert told == (reason, final_status, status, "why")
    assert (over.active, over.rounds.iteration, over.end.ended_at) == (False, 2, "t9")
