"""Verdicts as text: facts for the agent, one line for the user. Pure; the words come from a catalogue."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from untilgreen.core import markers, progress
from untilgreen.core.model.loop import Loop
from untilgreen.core.model.snapshot import Item, Snapshot

LIMIT = 9_000  # characters to the agent; a host passes on a megabyte uncut
_LINE = 400

Words = Mapping[str, str]


class Delta(NamedTuple):
    """Failing items against the round before; without one everything is `still`."""

    regressed: tuple[Item, ...]
    broken: tuple[Item, ...]
    still: tuple[Item, ...]
    fixed: int


def delta(before: Snapshot | None, now: Snapshot) -> Delta:
    """What is new, newly broken, still failing, and how many are gone.

    An item is only called a regression, or fixed, where its check ran and its stage was known: what a
    broken check did not see, a syntax error hid, or the state had no room for, is perhaps there all the same.
    """
    if before is None:
        return Delta((), (), tuple(sorted(now.items, key=_rank)), 0)
    old, seen = {item.id for item in before.items}, {item.id for item in now.items}
    new = [item for item in now.items if item.id not in old]
    whole = len(before.items) >= sum(before.failing_by_check.values())
    broken = tuple(i for i in new if i.kind == "check" and before.outcomes.get(i.check) != "broken")
    regressed = tuple(i for i in new if whole and i.kind != "check" and _told(i, before))
    named = {i.id for i in (*broken, *regressed)}
    still = sorted((i for i in now.items if i.id not in named), key=_rank)
    fixed = sum(1 for i in before.items if whole and i.id not in seen and (i.kind == "check" or _told(i, now)))
    return Delta(regressed, broken, tuple(still), fixed)


def _rank(item: Item) -> bool:
    return item.kind != "check"  # broken checks first, for they hide the rest


def _told(item: Item, snapshot: Snapshot) -> bool:
    """Whether this snapshot would have shown the item, had it been there."""
    return snapshot.outcomes.get(item.check) in ("clean", "found") and snapshot.scores.get(item.stage) is not None


def counts(snapshot: Snapshot) -> str:
    """`5 error(s), 12 warning(s), 0 security issue(s)`: the middle of the feedback line."""
    return (
        f"{snapshot.error_count} error(s), {snapshot.warning_count} warning(s), "
        f"{snapshot.security_issues} security issue(s)"
    )


def not_run(snapshot: Snapshot, words: Words) -> list[str]:
    """What a round did not see of the tests, in a line; none where all ran."""
    if not snapshot.not_run:
        return []
    others = sum(snapshot.not_run.values())
    return [words["not_run"].format(n=f"{snapshot.tests_run + others:,}") if others else words["not_run_files"]]


def gone(loop: Loop, snapshot: Snapshot) -> int | None:
    """Percent of the failing items of each check's first result that are gone; None: nothing to compare.

    Nothing is comparable while a stage is unknown: 64 findings behind a syntax error are not gone, and neither is what
    did not run.
    """
    if None in snapshot.scores.values() or snapshot.not_run:
        return None
    firsts: dict[str, int] = {}
    for one in (loop.initial, *loop.snapshots, snapshot):
        for name, number in (one.failing_by_check if one else {}).items():
            firsts.setdefault(name, number)
    first = sum(number for name, number in firsts.items() if name in snapshot.outcomes)
    return progress.percent(first, sum(snapshot.failing_by_check.values()) + snapshot.weakened)


def next_step(snapshot: Snapshot, words: Words, loop: Loop, weakened: tuple[str, ...]) -> str:
    """The one thing to do next: broken checks first, for they hide the rest."""
    items = snapshot.items
    for item in items:
        if item.kind == "check":
            return words["next_check"].format(name=item.check)
    for kind in ("error", "security", "warning", "test", "custom"):
        found = [item for item in items if item.kind == kind]
        if found and kind == "custom":
            return words["next_custom"].format(name=found[0].check)
        if found:
            plural = {"error": "errors", "security": "security", "warning": "warnings", "test": "tests"}[kind]
            return words[f"next_{plural}"].format(n=len(found))
    if weakened and loop.settings.strict:
        return words["next_weakened"].format(what=", ".join(weakened))
    return words["next_declare"]


def headline(loop: Loop, snapshot: Snapshot, words: Words, weakened: tuple[str, ...] = ()) -> str:
    """Seed 004's line; `loop` is already in the round that begins. Never translated."""
    done = gone(loop, snapshot)
    return (
        f"Ralph Loop: CONTINUE | Iteration: {loop.iteration}/{loop.settings.max_iterations} | "
        f"Current: {counts(snapshot)} | "
        f"Progress: {'n/a' if done is None else f'{done}% improvement'} | "
        f"Next: {next_step(snapshot, words, loop, weakened)}"
    )


def auto_headline(snapshot: Snapshot, words: Words) -> str:
    """The line of a project judged without a loop."""
    return (
        f"Ralph Loop: AUTO-CONTINUE | {words['auto']} | {words['auto_errors'].format(n=snapshot.error_count)} | "
        f"{words['auto_security'].format(n=snapshot.security_issues)} | Next: {words['auto_next']}"
    )


def body(before: Snapshot | None, now: Snapshot, words: Words, extra: Iterable[str] = (), room: int = LIMIT) -> str:
    """What is left, ranked: regressions, newly broken, still failing, fixed; cut with an exact count."""
    d = delta(before, now)
    tail = [line for line in extra if line]
    if d.fixed:
        tail.insert(0, words["fixed"].format(n=d.fixed))
    tail += not_run(now, words)
    tail += [words["unknown"].format(stage=s) for s, score in now.scores.items() if score is None]
    tail = [cleaned(line) for line in tail]
    sections = (
        (words["regressed"], d.regressed),
        (words["newly_broken"], d.broken),
        (words["still"] if before is not None else words["failing"], d.still),
    )
    lines = _listed(sections, words, room - sum(len(line) + 1 for line in tail))
    return "\n".join((*lines, *tail))


def _listed(sections: Iterable[tuple[str, tuple[Item, ...]]], words: Words, room: int) -> list[str]:
    """Titles and items until the room is used up; then exactly how many were left out."""
    blocks = [(title, items) for title, items in sections if items]
    left = sum(len(items) for _, items in blocks)
    reserve = len(words["more"]) + 12
    lines: list[str] = []
    for title, items in blocks:
        if room - len(title) - 1 < reserve:
            break
        lines.append(title)
        room -= len(title) + 1
        for item in items:
            text = _indent(item.text)
            if room - len(text) - 1 < reserve:
                text = _shortened(text, words)
            if room - len(text) - 1 < reserve:
                return [*lines, words["more"].format(n=left)]
            lines.append(text)
            room -= len(text) + 1
            left -= 1
    return [*lines, words["more"].format(n=left)] if left else lines


def _shortened(text: str, words: Words) -> str:
    """The first line of an item that has no room for all of them, so that those after it are still told."""
    first, *rest = text.split("\n")
    return "\n".join([first, f"    {words['more_lines'].format(n=len(rest))}"]) if rest else first


def _indent(text: str) -> str:
    first, *rest = cleaned(text).split("\n")
    return "\n".join([f"  {first[:_LINE]}", *(f"    {line[:_LINE]}" for line in rest)])


def cleaned(text: str) -> str:
    """Text of others, safe to print: no control characters, no escape sequences, no marker of ours."""
    return markers.strip(text)


def continue_text(loop: Loop, words: Words, weakened: tuple[str, ...] = ()) -> str:
    """The whole feedback of a Continue, at most LIMIT characters."""
    now = loop.snapshots[-1]
    before = loop.snapshots[-2] if len(loop.snapshots) > 1 else None
    extra = [words["weakened"].format(what=", ".join(weakened)) if weakened else ""]
    if loop.no_progress_count and loop.completion_criteria.stagnation_limit:
        limit = loop.completion_criteria.stagnation_limit
        extra.append(words["no_progress"].format(n=loop.no_progress_count, limit=limit))
    if loop.promise_only:
        extra.append(words["promise"])
    elif not now.items and loop.settings.marker == "require" and not weakened:
        extra.append(words["green_undeclared"])
    task = " ".join(loop.task_description.split())
    if task:
        extra.append(words["task"].format(task=task[:200] + ("..." if len(task) > 200 else "")))
    line = cleaned(headline(loop, now, words, weakened)).replace("\n", " ")[: _LINE * 3]
    text = f"{line}\n{body(before, now, words, extra, LIMIT - len(line) - 1)}".rstrip()
    return text[:LIMIT]
