"""The texts of presets `jikime` (JikiME's Ralph Loop) and `supercode` (SuperCode), word for word. Pure; loaded only
where they are spoken."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping

from untilgreen.core.foreign import one_line, strip
from untilgreen.core.model.groups import Buts
from untilgreen.core.model.loop import Loop
from untilgreen.core.model.snapshot import Snapshot
from untilgreen.core.verdict import progress
from untilgreen.core.verdict.policy import known_red
from untilgreen.core.words import brief, report
from untilgreen.core.words.brief import CONTINUATION, LIMIT, Words

_LINE = 1_200  # characters of a headline
_ROOM = 2_500  # characters for the user: the host shows it under the answer
_TASK = 4_000  # characters; what was found needs room, too
# kind of an item to the word for the next step; of the others the first one's check is named
_NEXT = {"error": "errors", "security": "security", "warning": "warnings", "test": "tests"}
_MARKER = "<jikime:done />"


def supercode_held(loop: Loop, words: Words, weakened: Buts, told: tuple[str, ...]) -> str:
    """The whole feedback of a Continue, at most LIMIT characters: SuperCode's text, and below it what checks found.
    `loop` is already in the round that begins. Its promise never counts, not even where the agent repeats it all: words
    stand before it."""
    task = strip(loop.task_description).rstrip()
    more = len(task) - _TASK
    filled = {
        "ITERATION": str(loop.rounds.iteration),
        "MAX": str(loop.settings.max_iterations),
        "PROMISE": one_line(loop.settings.markers.completion_promise or "DONE"),
        "PROMPT": f"{task[:_TASK]}\n{words['more_characters'].format(n=more)}" if more > 0 else task,
    }
    # in one pass: what stands in the task is no place, and no pattern
    text = re.sub(r"\{\{(\w+)\}\}", lambda place: filled.get(place[1], place[0]), words[CONTINUATION])
    if loop.asked.promise_only and not loop.history.snapshots[-1].items:
        return "\n".join((text, *told, *report.stuck(loop, words)))
    return f"{text}\n\n{report.found(loop, words, weakened, told, (), LIMIT - len(text) - 2)}"


def _counts(snapshot: Snapshot, words: Words, left: Mapping[str, int] = {}) -> str:
    """`5 error(s), 12 warning(s), 0 security issue(s)`: diagnostics; `left`: how many must go, where that is known."""
    of_all = {"error": snapshot.error_count, "warning": snapshot.warning_count, "security": snapshot.security_issues}
    of_all |= left
    return words["current"].format(errors=of_all["error"], warnings=of_all["warning"], security=of_all["security"])


def _left(loop: Loop, snapshot: Snapshot) -> dict[str, int]:
    """How many of each kind must go: of those that were asked for, and of any that fails."""
    asked, numbers = loop.asked.completion_criteria, Counter(item.kind for item in snapshot.every)
    kinds = {"error": asked.zero_errors, "warning": asked.zero_warnings, "security": asked.zero_security}
    return {kind: numbers[kind] for kind, on in kinds.items() if on or numbers[kind]}


def _compared(loop: Loop) -> tuple[Snapshot | None, Snapshot | None]:
    """The first whole measurement, and the newest; None for one that is not whole. In a whole one each check came to
    its end and hid nothing (64 findings behind a syntax error are not gone): only such two were measured alike."""
    names, newest = {one.name for one in loop.checks.counting}, loop.history.newest

    def is_whole(one: Snapshot) -> bool:
        ended = {name for name, outcome in one.outcomes.items() if outcome in ("clean", "found")}
        return bool(ended) and ended >= names and None not in one.scores.values()

    whole = [one for one in (loop.start.initial, *loop.history.snapshots) if one and is_whole(one)]
    first, last = (whole[0], whole[-1]) if whole else (None, None)
    return None if first is newest else first, last if last is newest else None


def _gone(loop: Loop) -> int | None:
    """Percent of the failing items of the first whole measurement that are gone; None: nothing to compare."""
    first, last = _compared(loop)
    if first is None or last is None or first.not_run or last.not_run:
        return None
    return progress.percent(*(brief.count_left(one) + one.weakened for one in (first, last)))


def _next_step(snapshot: Snapshot, words: Words, loop: Loop, weakened: Buts) -> str:
    """The one thing to do next: broken checks first, for they hide the rest."""
    for kind in ("check", *_NEXT, "custom", "judge", "hook", "review"):
        found = [item for item in snapshot.every if item.kind == kind]
        if found and kind in _NEXT:
            return words[f"next_{_NEXT[kind]}"].format(n=len(found))
        if found:
            return words["next_check" if kind == "check" else "next_custom"].format(name=found[0].check)
    if weakened and loop.settings.strict:
        return words["next_weakened"].format(what=brief.but(words, weakened))
    return words["next_declare"]


def ralph_held(loop: Loop, words: Words, weakened: Buts, told: tuple[str, ...]) -> str:
    """The whole feedback of a Continue. `loop` is already in the round that begins; `told`: lines of this stop."""
    now = loop.history.snapshots[-1]
    before = loop.history.snapshots[-2] if len(loop.history.snapshots) > 1 else None
    done = _gone(loop)
    line = words["continue"].format(
        iteration=loop.rounds.iteration,
        max=loop.settings.max_iterations,
        current=_counts(now, words, _left(loop, now)),
        progress="n/a" if done is None else words["progress"].format(percent=done),
        next=_next_step(now, words, loop, weakened),
    )
    extra = [*told, *([words["counts_against"].format(what=brief.but(words, weakened))] if weakened else [])]
    if limit := loop.asked.completion_criteria.stagnation_limit if loop.rounds.no_progress_count else 0:
        extra.append(words["no_improvement"].format(n=loop.rounds.no_progress_count, limit=limit))
    extra += [*report.marker_lines(loop, words), *report.task_lines(loop, words)]
    return _below(one_line(line)[:_LINE], before, now, words, extra)


def ralph_unasked(now: Snapshot, before: Snapshot | None, words: Words, extra: Iterable[str] = ()) -> str:
    """What a stop says that is held without a loop, or judged by hand."""
    line = words["auto_continue"].format(errors=now.error_count, security=now.security_issues, marker=_MARKER)
    return _below(line, before, now, words, extra)


def _below(line: str, before: Snapshot | None, now: Snapshot, words: Words, extra: Iterable[str]) -> str:
    return f"{line}\n{_body(before, now, words, extra, LIMIT - len(line) - 1)}".rstrip()


def _body(before: Snapshot | None, now: Snapshot, words: Words, extra: Iterable[str], room: int) -> str:
    """What is left: regressions, newly broken, still failing, fixed; cut with an exact count."""
    new, fixed = report.new_ones(before, now), len(report.gone(before, now))
    shown = now.bounded(LIMIT)
    still = [item for item in shown.items if item.id not in new]
    still.sort(key=lambda item: item.kind != "check")  # broken checks first, for they hide the rest
    tail = [words["gone"].format(n=fixed)] if fixed else []
    tail += [*filter(None, extra), *report.not_run(now, words)]
    tail += [words["stage_unknown"].format(stage=stage) for stage in report.unknown(now)]
    tail = [one_line(line) for line in tail]
    titled = (
        (words["regressed"], [item for item in shown.items if item.id in new and item.kind != "check"]),
        (words["newly_broken"], [item for item in shown.items if item.id in new and item.kind == "check"]),
        (words["still"] if before is not None else words["failing"], still),
    )
    entries = [
        report.Listed("  " + "\n    ".join(report.lines_of(items[place].text)), 1, title if number == 0 else "")
        for title, items in titled
        for number, place in enumerate(report.two_of_each([item.check for item in items]))
    ]
    room -= sum(len(line) + 1 for line in tail)
    return "\n".join((*report.fitted(entries, words, room, shown.number_beyond), *tail))


def ralph_ended(loop: Loop, words: Words) -> str:
    """The whole message of a Release: the closing line, for every way to end, and the evidence."""
    (first, last), done = _compared(loop), _gone(loop)
    line = words["ended"].format(
        status=loop.end.final_status,
        reason=" ".join((loop.end.completion_reason or "").split()),
        session=loop.loop_id,
        iterations=loop.rounds.iteration,
        improvement="n/a" if done is None else f"{done}%",
        initial=_measured(first, words),
        final=_measured(last, words),
    )
    return "\n".join((one_line(line), *_evidence(loop, words)))


def _measured(snapshot: Snapshot | None, words: Words) -> str:
    """`12 errors, 28 warnings`."""
    if snapshot is None:
        return words["not_measured"]
    return words["errors_warnings"].format(errors=snapshot.error_count, warnings=snapshot.warning_count)


def _evidence(loop: Loop, words: Words) -> list[str]:
    final, targets = loop.history.newest, loop.asked.target_files
    if loop.end.stop_reason == "complete" and not loop.end.declared:
        if not targets or not final or not (final.error_count or final.warning_count or final.security_issues):
            return []
        # findings that targets keep from counting are not hidden: green is green where the loop was to look
        return [one_line(words["outside"].format(targets=", ".join(targets), what=_counts(final, words)))]
    if loop.asked.promise_only or loop.end.stop_reason == "cancelled":
        return []
    if loop.end.stop_reason == "complete":
        return _declared(loop, words)
    if final is None:
        return []
    rounds = []
    for snapshot in loop.history.snapshots[-10:]:
        unknown = ", ".join(report.unknown(snapshot))
        rounds.append(f"{brief.count_left(snapshot)}" + (f" (unknown: {unknown})" if unknown else ""))
    body = _body(None, final, words, (), _ROOM)
    return [words["failing_per_round"].format(rounds=", ".join(rounds)), body]


def _declared(loop: Loop, words: Words) -> list[str]:
    red = known_red(loop)
    if red is None:
        return [words["checks_did_not_run"]]
    when = words["in_round"].format(n=red.iteration) if red.iteration else words["at_start"]
    what = _counts(red, words) + (f", {red.tests_failed} failing test(s)" if red.tests_run else "")
    return [
        words["checks_did_not_run"],
        words["red_when_declared"].format(when=when, what=what),
        *report.not_run(red, words),
    ]
