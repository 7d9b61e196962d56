"""The lines for the user while a loop runs, the message at its end, and the line that tells the model that it is on."""

from untilgreen.core import report
from untilgreen.core.model.loop import Loop
from untilgreen.core.model.snapshot import Snapshot
from untilgreen.core.policy import known_red
from untilgreen.core.report import Words

_ROOM = 2_500  # characters for the user: the host shows it under the answer


def left(loop: Loop, snapshot: Snapshot, words: Words, weakened: tuple[str, ...]) -> str:
    """What is left, in the few words of the user's line."""
    if loop.promise_only:
        return words["left_promise"]
    number = len(snapshot.items)
    if number == 0:
        return words["left_weakened"].format(what=", ".join(weakened)) if weakened else words["left_declare"]
    only_errors = all(item.kind == "error" for item in snapshot.items)
    if only_errors:
        return words["left_one_error"] if number == 1 else words["left_errors"].format(n=number)
    return words["left_one_item"] if number == 1 else words["left_items"].format(n=number)


def continue_notice(loop: Loop, words: Words, weakened: tuple[str, ...] = ()) -> str:
    """The user's line of a Continue."""
    return report.cleaned(
        words["notice_continue"].format(
            iteration=loop.iteration,
            max=loop.settings.max_iterations,
            left=left(loop, loop.snapshots[-1], words, weakened),
        )
    )


def running_notice(loop: Loop, words: Words) -> str:
    """The user's line where the loop steps aside."""
    return words["notice_running"].format(iteration=loop.iteration, max=loop.settings.max_iterations)


def started(loop: Loop) -> str:
    """The line that tells the model that the loop is on; commands look for its beginning."""
    task = " ".join(loop.task_description.split())
    return f"untilgreen: loop started ({loop.loop_id}), round 1/{loop.settings.max_iterations}" + (
        f": {task}" if task else ""
    )


def cancelled(loop: Loop) -> str:
    """The line of a loop that its user ended."""
    return f"untilgreen: loop cancelled in round {loop.iteration}/{loop.settings.max_iterations} ({loop.loop_id})"


def _headline(loop: Loop, words: Words) -> str:
    """Seed 004's closing line, for every way to end."""
    final = loop.snapshots[-1] if loop.snapshots and not loop.promise_only else None
    done = report.gone(loop, final) if final else None
    parts = (
        f"Ralph Loop: {loop.final_status} - {' '.join((loop.completion_reason or '').split())}",
        f"Session: {loop.loop_id}",
        f"Iterations: {loop.iteration}",
        f"Total improvement: {'n/a' if done is None else f'{done}%'}",
        f"Initial: {_counts(loop.initial, words)}",
        f"Final: {_counts(final, words)}",
    )
    return report.cleaned(" | ".join(parts)).replace("\n", " ")


def ending(loop: Loop, words: Words) -> str:
    """The whole message of a Release."""
    lines = [_headline(loop, words), *_evidence(loop, words)]
    return "\n".join(line for line in lines if line)


def _counts(snapshot: Snapshot | None, words: Words) -> str:
    if snapshot is None:
        return words["not_measured"]
    return words["errors_warnings"].format(errors=snapshot.error_count, warnings=snapshot.warning_count)


def _evidence(loop: Loop, words: Words) -> list[str]:
    if loop.stop_reason == "complete":
        return _declared(loop, words) if loop.declared else _outside(loop, words)
    if loop.stop_reason == "cancelled" or not loop.snapshots or loop.promise_only:
        return []
    now = loop.snapshots[-1]
    rounds = ", ".join(_score(s) for s in loop.snapshots[-10:])
    return [words["rounds"].format(rounds=rounds), report.body(None, now, words, room=_ROOM)]


def _score(snapshot: Snapshot) -> str:
    failing = sum(snapshot.failing_by_check.values())
    return f"{failing} (unknown: {', '.join(u)})" if (u := unknown(snapshot)) else str(failing)


def unknown(snapshot: Snapshot) -> list[str]:
    """The stages whose score is not known."""
    return [stage for stage, score in snapshot.scores.items() if score is None]


def _outside(loop: Loop, words: Words) -> list[str]:
    """Findings that targets keep from counting are not hidden: green is green where the loop was to look."""
    final = loop.snapshots[-1]
    if not loop.target_files or not (final.error_count or final.warning_count or final.security_issues):
        return []
    return [words["outside"].format(targets=", ".join(loop.target_files), what=report.counts(final))]


def _declared(loop: Loop, words: Words) -> list[str]:
    if loop.promise_only:
        return []
    red = known_red(loop)
    if red is None:
        return [words["unchecked"]]
    when = words["in_round"].format(n=red.iteration) if red.iteration else words["at_start"]
    what = f"{report.counts(red)}, {red.tests_failed} failing test(s)" if red.tests_run else report.counts(red)
    return [words["unchecked"], words["red_when_declared"].format(when=when, what=what), *report.not_run(red, words)]
