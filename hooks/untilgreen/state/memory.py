"""What is kept of a loop for people and for the agent: its history, and its memory.

Its history is in the journal: a line for each start, counted stop and end. Beside it lie three small files, rewritten
each time: `ralph-summary.md` (the task and how each round ended), `ralph-feedback.md` (the newest feedback),
`ralph-iteration.json` (where the loop stands). Their names are those of seed 000.
"""

import json
from typing import Any

from untilgreen.core import left
from untilgreen.core.foreign import one_line, strip
from untilgreen.core.model.event import Event, Place
from untilgreen.core.model.loop import Loop
from untilgreen.state import journal, log, store


def summary(loop: Loop) -> str:
    """The loop so far, in Markdown."""
    task = strip(loop.task_description) or "(none given)"
    lines = ["# Task", "", *(f"> {line}".rstrip() for line in task.split("\n")), "", "# Rounds", ""]
    lines += [f"- round {one.iteration}: {left.of(one)}" for one in loop.snapshots]
    if not loop.active:
        lines += ["", "# End", "", f"{loop.final_status}: {one_line(loop.completion_reason or '')}"]
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


def judged(place: Place, loop: Loop, kind: str, text: str, event: Event, **facts: Any) -> None:
    """Record a verdict: "continue" or "release", with what was said and what more is known of the stop."""
    facts |= {
        "loop_id": loop.loop_id,
        "iteration": loop.iteration,
        "stop_reason": loop.stop_reason,
        "completion_reason": loop.completion_reason,
        "elapsed_seconds": loop.elapsed_seconds,
        "host": event.host,
        "transcript": event.transcript,
        "snapshot": loop.snapshots[-1] if loop.snapshots else None,
    }
    record(place, loop, kind, text, **facts)
