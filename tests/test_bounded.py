"""What is kept of very much that is left: the first items of each check, and of the others who they are. No number and
no comparison of rounds is another by that."""

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from untilgreen.core import document
from untilgreen.core.model.snapshot import Item, Snapshot
from untilgreen.core.words import report
from untilgreen.state import catalogue

KINDS = {"ruff": ("error", "static"), "mypy": ("error", "static"), "pytest": ("test", "tests")}


def snapshot(numbers: dict[str, set[int]]) -> Snapshot:
    """What checks say of which so many items fail."""
    items = [
        Item(
            f"{check}-{number:014x}", *KINDS[check], check, f"a.py:{number}: it is wrong", "a.py", number, f"R{number}"
        )
        for check in numbers
        for number in sorted(numbers[check])
    ]
    left = {check: len(those) for check, those in numbers.items()}
    outcomes = {check: "found" if those else "clean" for check, those in numbers.items()}
    return Snapshot(
        1, "", items=tuple(items), failing_by_check=left, outcomes=outcomes, scores={"static": 1, "tests": 1}
    )


def kept(one: Snapshot) -> Snapshot:
    """The snapshot as the state gives it back."""
    return document.load(Snapshot, json.loads(json.dumps(document.dump(one.bounded()))))


def some(most: int) -> st.SearchStrategy[set[int]]:
    """Numbers of findings, few or many more than are kept in full."""
    return st.tuples(st.integers(0, most), st.integers(0, 30), st.sets(st.integers(0, most), max_size=5)).map(
        lambda drawn: {*range(drawn[1], drawn[0]), *drawn[2]}
    )


ROUND = st.fixed_dictionaries({"ruff": some(700), "mypy": some(250), "pytest": some(1_100)})


@given(ROUND, ROUND)
@settings(max_examples=15, deadline=None)
def test_what_is_kept_of_a_round_tells_the_same_of_the_next_one(
    then: dict[str, set[int]], now: dict[str, set[int]]
) -> None:
    before, after = snapshot(then), snapshot(now)
    old, newest = kept(before), kept(after)
    assert kept(newest) == newest, "what was kept is kept as it is"
    assert {item.id for item in old.every} == {item.id for item in before.items}
    for compared in (after, newest):
        assert report.new_ones(old, compared) == report.new_ones(before, after)
        assert {item.id for item in report.gone(old, compared)} == {item.id for item in report.gone(before, after)}
    words = catalogue.english()
    for new, cures in ((None, True), (old, False)):
        assert report.body(new, newest, words, cures=cures) == report.body(new, after, words, cures=cures)


def test_twenty_thousand_findings_are_few_bytes_and_all_are_counted() -> None:
    many = snapshot({"ruff": {*range(20_000)}})
    one = kept(many)
    assert (len(one.items), len(one.every)) == (200, 20_000)
    assert len(json.dumps(document.dump(one))) < 600_000
    shown = report.body(None, one, catalogue.english()).splitlines()
    assert shown[-1] == f"... and {20_000 - len(shown) + 1} more"
