"""The lines of preset `jikime`: those of JikiME's Ralph Loop, word for word. Pure; loaded only where they are spoken.

What stands below the line is told in their manner: sections of items, regressions first.
"""

from collections.abc import Iterable

from untilgreen.core.foreign import one_line
from untilgreen.core.model.loop import Loop
from untilgreen.core.model.snapshot import Snapshot
from untilgreen.core.verdict import progress
from untilgreen.core.verdict.policy import known_red
from untilgreen.core.words import left, report
from untilgreen.core.words.lines import LIMIT, Words

_LINE = 1_200  # characters of a headline
_ROOM = 2_500  # characters for the user: the host shows it under the answer
_OTHERS = ("custom", "judge", "hook", "review")
_MARKER = "<jikime:done />"


def counts(snapshot: Snapshot, words: Words) -> str:
    """`5 error(s), 12 warning(s), 0 security issue(s)`: diagnostics alone."""
    return words["current"].format(
        errors=snapshot.error_count, warnings=snapshot.warning_count, security=snapshot.security_issues
    )


def gone(loop: Loop, snapshot: Snapshot) -> int | None:
    """Percent of the failing items of each check's first result that are gone; None: nothing to compare.

    Nothing is comparable while a stage is unknown: 64 findings behind a syntax error are not gone.
    """
    if None in snapshot.scores.values() or snapshot.not_run:
        return None
    firsts: dict[str, int] = {}
    for one in (loop.start.initial, *loop.history.snapshots, snapshot):
        for name, number in (one.failing_by_check if one else {}).items():
            firsts.setdefault(name, number)
    first = sum(number for name, number in firsts.items() if name in snapshot.outcomes)
    return progress.percent(first, left.number(snapshot) + snapshot.weakened)


def next_step(snapshot: Snapshot, words: Words, loop: Loop, weakened: tuple[str, ...]) -> str:
    """The one thing to do next: broken checks first, for they hide the rest."""
    items = snapshot.items
    for item in items:
        if item.kind == "check":
            return words["next_check"].format(name=item.check)
    for kind in ("error", "security", "warning", "test", *_OTHERS):
        found = [item for item in items if item.kind == kind]
        if found and kind in _OTHERS:
            return words["next_custom"].format(name=found[0].check)
        if found:
            plural = {"error": "errors", "security": "security", "warning": "warnings", "test": "tests"}[kind]
            return words[f"next_{plural}"].format(n=len(found))
    if weakened and loop.settings.strict:
        return words["next_weakened"].format(what=", ".join(weakened))
    return words["next_declare"]


def held(loop: Loop, words: Words, weakened: tuple[str, ...] = (), told: tuple[str, ...] = ()) -> str:
    """The whole feedback of a Continue, at most LIMIT characters. `loop` is already in the round that begins; `told`:
    lines of this stop alone."""
    now = loop.history.snapshots[-1]
    before = loop.history.snapshots[-2] if len(loop.history.snapshots) > 1 else None
    done = gone(loop, now)
    line = words["continue"].format(
        iteration=loop.rounds.iteration,
        max=loop.settings.max_iterations,
        current=counts(now, words),
        progress="n/a" if done is None else words["progress"].format(percent=done),
        next=next_step(now, words, loop, weakened),
    )
    extra = [*told, *([words["counts_against"].format(what=", ".join(weakened))] if weakened else [])]
    if limit := loop.asked.completion_criteria.stagnation_limit if loop.rounds.no_progress_count else 0:
        extra.append(words["no_improvement"].format(n=loop.rounds.no_progress_count, limit=limit))
    extra += [*report.marker_lines(loop, words), *report.task_lines(loop, words)]
    return _below(one_line(line)[:_LINE], before, now, words, extra)


def unasked(now: Snapshot, before: Snapshot | None, words: Words, extra: Iterable[str] = ()) -> str:
    """What a stop says that is held without a loop, or judged by hand."""
    line = words["auto_continue"].format(errors=now.error_count, security=now.security_issues, marker=_MARKER)
    return _below(line, before, now, words, extra)


def _below(line: str, before: Snapshot | None, now: Snapshot, words: Words, extra: Iterable[str]) -> str:
    return f"{line}\n{body(before, now, words, extra, LIMIT - len(line) - 1)}".rstrip()


def body(before: Snapshot | None, now: Snapshot, words: Words, extra: Iterable[str] = (), room: int = LIMIT) -> str:
    """What is left: regressions, newly broken, still failing, fixed; cut with an exact count."""
    d = report.delta(before, now)
    new = [item for item in now.items if item.id in d.new]
    still = [item for item in now.items if item.id not in d.new]
    still.sort(key=lambda item: item.kind != "check")  # broken checks first, for they hide the rest
    tail = [words["gone"].format(n=d.fixed)] if d.fixed else []
    tail += [*filter(None, extra), *report.not_run(now, words)]
    tail += [words["stage_unknown"].format(stage=stage) for stage in report.unknown(now)]
    tail = [one_line(line) for line in tail]
    titled = (
        (words["regressed"], [item for item in new if item.kind != "check"]),
        (words["newly_broken"], [item for item in new if item.kind == "check"]),
        (words["still"] if before is not None else words["failing"], still),
    )
    entries = [
        report.Listed(_indented(item.text), 1, title if number == 0 else "")
        for title, items in titled
        for number, item in enumerate(items)
    ]
    return "\n".join((*report.fitted(entries, words, room - sum(len(line) + 1 for line in tail)), *tail))


def _indented(text: str) -> str:
    first, *rest = report.lines_of(text)
    return "\n".join([f"  {first}", *(f"    {line}" for line in rest)])


def ended(loop: Loop, words: Words) -> str:
    """The whole message of a Release: the closing line, for every way to end, and the evidence."""
    final = None if loop.asked.promise_only else loop.history.newest
    done = gone(loop, final) if final else None
    line = words["ended"].format(
        status=loop.end.final_status,
        reason=" ".join((loop.end.completion_reason or "").split()),
        session=loop.loop_id,
        iterations=loop.rounds.iteration,
        improvement="n/a" if done is None else f"{done}%",
        initial=measured(loop.start.initial, words),
        final=measured(final, words),
    )
    return "\n".join((one_line(line), *_evidence(loop, words)))


def measured(snapshot: Snapshot | None, words: Words) -> str:
    """`12 errors, 28 warnings`."""
    if snapshot is None:
        return words["not_measured"]
    return words["errors_warnings"].format(errors=snapshot.error_count, warnings=snapshot.warning_count)


def _evidence(loop: Loop, words: Words) -> list[str]:
    if loop.end.stop_reason == "complete":
        return _declared(loop, words) if loop.end.declared else _outside(loop, words)
    if loop.end.stop_reason == "cancelled" or not loop.history.snapshots or loop.asked.promise_only:
        return []
    rounds = ", ".join(_score(s) for s in loop.history.snapshots[-10:])
    return [words["failing_per_round"].format(rounds=rounds), body(None, loop.history.snapshots[-1], words, room=_ROOM)]


def _score(snapshot: Snapshot) -> str:
    unknown = ", ".join(report.unknown(snapshot))
    return f"{left.number(snapshot)} (unknown: {unknown})" if unknown else str(left.number(snapshot))


def _outside(loop: Loop, words: Words) -> list[str]:
    """Findings that targets keep from counting are not hidden: green is green where the loop was to look."""
    final = loop.history.snapshots[-1]
    if not loop.asked.target_files or not (final.error_count or final.warning_count or final.security_issues):
        return []
    return [one_line(words["outside"].format(targets=", ".join(loop.asked.target_files), what=counts(final, words)))]


def _declared(loop: Loop, words: Words) -> list[str]:
    if loop.asked.promise_only:
        return []
    red = known_red(loop)
    if red is None:
        return [words["checks_did_not_run"]]
    when = words["in_round"].format(n=red.iteration) if red.iteration else words["at_start"]
    told = counts(red, words)
    what = f"{told}, {red.tests_failed} failing test(s)" if red.tests_run else told
    return [
        words["checks_did_not_run"],
        words["red_when_declared"].format(when=when, what=what),
        *report.not_run(red, words),
    ]
