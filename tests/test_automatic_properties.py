"""Held without a loop, whatever comes: never too often, never for what was let go, never for what was there before."""

import random
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from untilgreen.core.model.check import Check
from untilgreen.core.model.loop import SCHEMA_VERSION, Allow, Continue, Edits, Loop
from untilgreen.core.model.outcome import Clean, Diagnostic, Found
from untilgreen.core.model.settings import Settings
from untilgreen.core.model.snapshot import Snapshot
from untilgreen.core.verdict import automatic, edited, measure, policy
from untilgreen.core.verdict.identity import identify
from world import World

RUFF = Check("ruff", "ruff", ".", "static", "/bin/ruff")
NOW = "2026-01-01T00:00:00.000000Z"
PATHS = ("a.py", "b.py")


def finding(path: str, rule_: str, name: str, line: int = 1) -> Diagnostic:
    return Diagnostic("ruff", path, line, rule_, "security" if rule_ == "S1" else "error", f"about {name}", name)


def file_of(path: str, content: list[tuple[str, str]]) -> list[Diagnostic]:
    return [finding(path, rule_, name, line) for line, (rule_, name) in enumerate(content, 1)]


# what a file holds: few rules and few names, so that they meet again
contents = st.lists(st.tuples(st.sampled_from(["E1", "S1"]), st.sampled_from("uvw")), max_size=4)


class Automatic(RuleBasedStateMachine):
    """A session that edits files, stops, goes on to its next prompt and is cancelled: the pure functions alone."""

    def __init__(self) -> None:
        super().__init__()
        self.files: dict[str, list[Diagnostic]] = {path: [] for path in PATHS}
        self.originals: dict[str, list[Diagnostic]] = {}
        self.released: dict[str, list[Diagnostic]] = {}
        self.prompt = 0
        self.held = Counter[int]()
        self.let_go: set[str] = set()
        self.ended = False
        self.chosen = Settings()
        self.edits = Edits(SCHEMA_VERSION, "s", "/p")

    @initialize(first=contents, second=contents)
    def begin(self, first: list[tuple[str, str]], second: list[tuple[str, str]]) -> None:
        for path, content in zip(PATHS, (first, second), strict=True):
            self.files[path] = file_of(path, content)

    @rule(limit=st.integers(0, 4))
    def configure(self, limit: int) -> None:
        self.chosen = Settings(stagnation_limit=limit)

    @rule(path=st.sampled_from(PATHS), content=contents)
    def edit(self, path: str, content: list[tuple[str, str]]) -> None:
        self.originals.setdefault(path, self.files[path])
        self.files[path] = file_of(path, content)
        self.edits = self.edits._replace(unjudged=tuple(dict.fromkeys((*self.edits.unjudged, path))))

    @rule()
    def ask(self) -> None:
        self.prompt += 1

    @rule()
    @precondition(lambda self: self.edits.held)
    def cancel(self) -> None:
        self.edits = self.edits._replace(turn=None, off=True, unjudged=())

    @rule()
    @precondition(lambda self: self.edits.unjudged and not self.edits.off)
    def stop(self) -> None:
        prompt = str(self.prompt)
        turn = self.edits.turn
        if turn is None or turn.turns.turn_id != prompt:
            turn = automatic.new_turn(self.edits, self.chosen, prompt, "loop-1", NOW)
        new: tuple[Diagnostic, ...] = ()
        for path in self.originals:
            before = self.originals[path]
            more = automatic.more_than(self.files[path], before, self.released.get(path, ()))
            for kind, number in Counter(one.rule for one in more).items():
                excess = sum(one.rule == kind for one in self.files[path]) - sum(one.rule == kind for one in before)
                assert number <= excess, "no more of a rule than there are more than before"
            new += more
        counted = automatic.counting(one for path in PATHS for one in self.files[path])
        holds = automatic.holding(counted, new, self.edits.let_go)
        self.judge(turn, holds, [key for key, one in counted if one.file in self.originals])

    def judge(self, turn: Loop, holds: tuple[tuple[str, Diagnostic], ...], known: list[str]) -> None:
        keys = [key for key, _ in holds]
        assert self.let_go.isdisjoint(keys), "what was let go once never holds again"
        old = {key for path in self.originals for key, _ in identify(self.originals[path])}
        assert old.isdisjoint(keys), "what was there before the first edit never holds"
        found = Found(tuple(one for _, one in holds)) if holds else Clean()
        snapshot = automatic.named(measure.snapshot(((RUFF, found),), measure.Standard(measure.UNASKED), 1, NOW), keys)
        verdict = automatic.judge(turn, policy.Evidence(snapshot, ran=True), NOW)
        if isinstance(verdict, Continue):
            self.held[self.prompt] += 1
            self.edits = self.edits._replace(turn=verdict.loop)
            assert (verdict.loop.active, verdict.loop.end.stop_reason, verdict.loop.end.ended_at) == (True, None, None)
            return
        after = turn if isinstance(verdict, Allow) else verdict.loop
        assert not isinstance(verdict, Allow) or not keys, "silent only where nothing holds"
        newest = after.history.snapshots[-1].items if after.history.snapshots else ()
        edits = automatic.remembered(self.edits, (*known, *(item.id for item in newest)))
        self.edits = edits._replace(turn=after, unjudged=())
        self.let_go.update(known)
        self.released.update({path: self.files[path] for path in self.originals})

    @invariant()
    def within_limits(self) -> None:
        most = automatic.with_own_limits(self.chosen).max_iterations
        assert all(number < most for number in self.held.values()), "four times, and the fifth lets go"
        assert self.edits.turn is None or self.edits.turn.rounds.iteration <= most


Automatic.TestCase.settings = settings(max_examples=100, stateful_step_count=30, deadline=None)
TestAutomatic = Automatic.TestCase

diagnostics = st.lists(
    st.builds(
        Diagnostic,
        check=st.just("ruff"),
        file=st.sampled_from(PATHS),
        line=st.integers(0, 9),
        rule=st.sampled_from(["E1", "F1"]),
        severity=st.sampled_from(["error", "warning", "info", "security"]),
        message=st.text(max_size=5),
        source=st.sampled_from(["", "x", "y"]),
    ),
    max_size=8,
)


@given(now=diagnostics, before=diagnostics, released=diagnostics)
def test_nothing_is_new_in_a_file_that_is_as_it_was(
    now: list[Diagnostic], before: list[Diagnostic], released: list[Diagnostic]
) -> None:
    assert automatic.more_than(now, now, released) == automatic.more_than(now, before, now) == ()
    assert automatic.more_than([], before, released) == ()
    assert automatic.more_than(now, []) == tuple(now)
    assert set(automatic.more_than(now, before, released)) <= set(now)


@given(diagnostics, st.randoms(use_true_random=False))
def test_nothing_is_new_in_a_file_whose_lines_were_moved_about(now: list[Diagnostic], chance: random.Random) -> None:
    moved = [one._replace(line=one.line + 7) for one in now]
    chance.shuffle(moved)
    assert automatic.more_than(moved, now) == ()


SEVERITIES = ("error", "warning", "info", "security")


@given(st.lists(st.tuples(st.sampled_from(["ruff", "ruff@sub", "mypy"]), diagnostics, st.booleans()), max_size=6))
def test_what_is_kept_of_a_check_is_its_newest_answer_and_the_sums_fit(
    answers: list[tuple[str, list[Diagnostic], bool]],
) -> None:
    current, latest = Snapshot(1, NOW), dict[tuple[str, str], list[Diagnostic]]()
    for check, found, everything in answers:
        said = [one._replace(check=check) for one in found if everything or one.file == "a.py"]
        current = edited.refreshed(current, check, said, None if everything else ("a.py",), NOW)
        for path in PATHS if everything else ("a.py",):
            for other in ("ruff", "ruff@sub", "mypy"):
                if other == check or (not everything and other.partition("@")[0] == check.partition("@")[0]):
                    latest[other, path] = []
            latest[check, path] = [one for one in said if one.file == path]
    expected = [one for found in latest.values() for one in found]
    counts = [current.error_count, current.warning_count, current.info_count, current.security_issues]
    assert counts == [sum(one.severity == severity for one in expected) for severity in SEVERITIES]
    for detail in current.file_details:
        theirs = [one for one in expected if one.file == detail.path]
        told = [detail.error_count, detail.warning_count, detail.info_count, detail.security_issues]
        assert told == [sum(one.severity == severity for one in theirs) for severity in SEVERITIES]
    assert [detail.path for detail in current.file_details] == sorted({one.file for one in expected})


@pytest.mark.parametrize("seed", range(2))
def test_whatever_a_session_does_its_stops_keep_to_the_rules(watched: World, seed: int) -> None:
    chance = random.Random(seed)
    watched.write({"untilgreen.toml": "checks.ast-grep.enabled = false\n", "old.py": "VALUE = old_1\nOTHER = old_2\n"})
    let_go: set[str] = set()
    held, prompt = Counter[int](), 0
    for step in range(14):
        action = chance.choice(["edit", "edit", "edit", "stop", "stop", "stop", "ask"])
        if action == "ask":
            prompt += 1
            watched.prompt("next", prompt_id=f"p{prompt}")
        elif action == "edit":
            names = ["old_1", "old_2", *(f"new_{number}" for number in range(4)), f"step_{step}"]
            chosen = chance.sample(names, chance.randrange(4))
            path = chance.choice(["old.py", "one.py"])
            watched.edit(path, "".join(f"VALUE_{name} = {name}\n" for name in chosen))
        else:
            answer = watched.stop(prompt_id=f"p{prompt}")
            assert answer.code in (0, 2), answer
            there = {
                f"{path.name} {line.partition(' = ')[2]}"
                for path in watched.project.glob("*.py")
                for line in path.read_text().splitlines()
            }
            if answer.code == 0:
                let_go |= there
                continue
            held[prompt] += 1
            lines = [line.split() for line in answer.stderr.split("\n") if line.startswith("  ")]
            named = {f"{line[0].partition(':')[0]} {line[-1].strip('`')}" for line in lines}
            assert named <= there, "only what is there"
            assert not named & let_go, "never what was let go"
            assert max(held.values()) < 5
    assert held, "a walk that is never held shows nothing"
    assert not (watched.project / ".untilgreen" / "untilgreen.log").exists()
