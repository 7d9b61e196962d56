"""The short lines: for the user while a loop runs, and the one that tells the model that it is on."""

from untilgreen.core import report
from untilgreen.core.model import Loop, Snapshot
from untilgreen.core.report import Words


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
