"""Memory for the agent: three small files beside the state, rewritten at every start, counted stop and end.

`ralph-summary.md` (the task and how each round ended), `ralph-feedback.md` (the newest feedback),
`ralph-iteration.json` (where the loop stands). The names are those of seed 000.
"""

import json
from typing import Any

from untilgreen.core.model import Loop, Place
from untilgreen.core.report import cleaned, counts
from untilgreen.state import journal, log, store


def summary(loop: Loop) -> str:
    """The loop so far, in Markdown."""
    lines = ["# Task", "", cleaned(loop.task_description) or "(none given)", "", "# Rounds", ""]
    for one in loop.snapshots:
        failing = sum(one.failing_by_check.values())
        lines.append(f"- round {one.iteration}: {failing} failing, {counts(one)}, {one.tests_failed} failing test(s)")
    if not loop.active:
        lines += ["", "# End", "", f"{loop.final_status}: {cleaned(loop.completion_reason or '')}"]
    return "\n".join(lines) + "\n"


def write(place: Place, loop: Loop, feedback: str) -> None:
    """Rewrite the three files. Raises OSError."""
    position = {
        "loop_id": loop.loop_id,
        "iteration": loop.iteration,
        "max_iterations": loop.settings.max_iterations,
        "status": loop.status,
        "stop_reason": loop.stop_reason,
        "updated_at": loop.updated_at,
    }
    store.write_text(place.file("ralph-summary.md"), summary(loop), durable=False)
    store.write_text(place.file("ralph-feedback.md"), feedback.rstrip() + "\n", durable=False)
    store.write_text(place.file("ralph-iteration.json"), json.dumps(position) + "\n", durable=False)


def record(place: Place, loop: Loop, what: str, feedback: str = "", /, **facts: Any) -> None:
    """The history and the agent's memory; it is advice: a fault there is logged and changes nothing else."""
    journal.append(place, what, loop.updated_at, **facts)
    try:
        write(place, loop, feedback)
    except OSError as error:
        log.write(place.base, f"memory of {loop.loop_id} not written: {error}")


def judged(place: Place, loop: Loop, kind: str, text: str) -> None:
    """Record a verdict: "continue" or "release", with what was said."""
    facts = {
        "loop_id": loop.loop_id,
        "iteration": loop.iteration,
        "stop_reason": loop.stop_reason,
        "completion_reason": loop.completion_reason,
        "snapshot": loop.snapshots[-1] if loop.snapshots else None,
    }
    record(place, loop, kind, text, **facts)
