"""What is kept of a loop for people and for the agent: its history, and its memory.

Its history is in the journal: a line for each start, counted stop and end. Its memory are three small files beside it,
written when a round was saved: `ralph-summary.md`, `ralph-feedback.md` (what was said), `ralph-iteration.json` (where
the loop stands). Their names and their form are those of seeds 000 and 001.
"""

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from untilgreen.core.model.event import Event, Place
from untilgreen.core.model.loop import Loop
from untilgreen.core.model.settings import Memory
from untilgreen.core.model.snapshot import Snapshot
from untilgreen.core.record import Any, NamedTuple
from untilgreen.core.words import brief, memory
from untilgreen.project import files
from untilgreen.state import clock, journal, log, store

_LARGEST = 1024 * 1024  # bytes of one of the files
_ERRORS = 20
_LONGEST = 50_000  # characters of identities in a line of the history


class Exchange(NamedTuple):
    """What was said at a stop: by us, by the agent, and whether the agent's message was closed by the marker."""

    feedback: str = ""
    output: str = ""
    matched: bool = False


class Remembered(NamedTuple):
    """What the files say of a loop, "" where they say nothing of it."""

    summary: str = ""
    feedback: str = ""


def record(place: Place, loop: Loop, what: str, /, **facts: Any) -> None:
    """A line of the history; the memory of a loop that begins is empty, and one that is over remembers its end."""
    journal.append(place, what, loop.updated_at, **facts)
    if what == "start":
        with _logged(place, loop):
            for name in _files(loop):
                with suppress(FileNotFoundError):
                    os.unlink(place.file(name))
    elif not loop.active:
        keep(place, loop, Exchange())


def judged(place: Place, loop: Loop, kind: str, event: Event, **facts: Any) -> None:
    """Note a verdict in the history: "continue" or "release", with what is known of the stop."""
    facts |= {
        "loop_id": loop.loop_id,
        "iteration": loop.rounds.iteration,
        "stop_reason": loop.end.stop_reason,
        "completion_reason": loop.end.completion_reason,
        "elapsed_seconds": loop.clock.elapsed_seconds,
        "host": event.host,
        "transcript": event.transcript,
        "snapshot": _in_journal(loop.history.newest),
    }
    journal.append(place, kind, loop.updated_at, **facts)


def _in_journal(newest: Snapshot | None) -> Snapshot | None:
    """The snapshot as a line of the history has it: where very much is left, which items are no longer compared."""
    kept = newest and newest.bounded()
    return kept._replace(beyond=()) if kept and sum(len(one.ids) for one in kept.beyond) > _LONGEST else kept


def keep(place: Place, loop: Loop, said: Exchange) -> None:
    """Remember the round that has just ended. It is advice: a fault there is logged and changes nothing else."""
    with _logged(place, loop):
        _write(place, loop, said)


def known(place: Place, loop: Loop) -> Remembered:
    """What is remembered of this loop. A file that cannot be read says nothing."""
    summary, feedback, state = _files(loop)
    if store.read_object(place.file(state), _LARGEST).get("taskId") != loop.loop_id:
        return Remembered()
    return Remembered(_read(place, summary), _read(place, feedback))


def move(before: Place, place: Place, loop: Loop) -> None:
    """Let the memory of a loop go with it into another session; what is another loop's there stays."""
    if known(before, loop) == Remembered():
        return
    with _logged(place, loop):
        for name in _files(loop):
            with suppress(FileNotFoundError):
                os.replace(before.file(name), place.file(name))


def names_of(loop: Loop) -> Memory:
    """The settings, with the usual name of a file whose own would lead out of the session's folder."""
    given, usual = loop.settings.memory, Memory()
    fields = ("summary_file", "feedback_file", "state_file")
    return given._replace(**{one: getattr(usual, one) for one in fields if not memory.is_name(getattr(given, one))})


def _files(loop: Loop) -> tuple[str, str, str]:
    names = names_of(loop)
    return names.summary_file, names.feedback_file, names.state_file


@contextmanager
def _logged(place: Place, loop: Loop) -> Iterator[None]:
    try:
        yield
    except (OSError, ValueError) as error:
        log.write(place.base, f"memory of {loop.loop_id} not written: {error}")


def _read(place: Place, name: str) -> str:
    try:
        return files.read(place.file(name), _LARGEST).decode("utf-8", "replace")
    except (OSError, ValueError):  # advice: there is nothing to tell without it
        return ""


def _write(place: Place, loop: Loop, said: Exchange) -> None:
    """Raises OSError; ValueError for moments that are none."""
    names, former = names_of(loop), known(place, loop).summary
    last = _last(place, loop, said)
    position = {
        "taskId": loop.loop_id,
        "startedAt": clock.milliseconds(loop.started_at),
        "updatedAt": clock.milliseconds(loop.updated_at),
        "iteration": last.number,
        "stopReason": loop.end.stop_reason,
        "stopMessage": memory.fit((last.message,), 1_000)[0],
        "completionPromiseMatched": said.matched,
        "errors": list(last.errors),
    }
    text = memory.summary(loop.task_description, last, former, names.max_chars)
    feedback = said.feedback or loop.history.last_output
    store.write_text(place.file(names.summary_file), text, durable=False)
    store.write_text(place.file(names.feedback_file), feedback.rstrip() + "\n", durable=False)
    store.write_text(place.file(names.state_file), json.dumps(position) + "\n", durable=False)


def _last(place: Place, loop: Loop, said: Exchange) -> memory.LastRound:
    """The round that has just ended: the loop may be in its next one."""
    from untilgreen.core.words import report  # a loop that rests or goes on writes a line of the history alone

    number = loop.rounds.iteration - 1 if loop.active else loop.rounds.iteration
    last = loop.history.newest
    newest = last if last and last.iteration == number else None
    done = list(observed(place, loop.loop_id, number))
    # an end that no check looked at: what was left before still is
    red = newest if newest or loop.end.stop_reason == "complete" else brief.newest_snapshot(loop)
    items = red.items if red else ()
    return memory.LastRound(
        number,
        loop.end.stop_reason or "",
        said.matched,
        loop.end.completion_reason or (brief.describe_left(newest) if newest and not loop.asked.promise_only else ""),
        _changed(loop, newest)
        or tuple(dict.fromkeys(one["file"] for one in done if one["event"] == "edit" and one["ok"])),
        tuple((one["name"], one["command"], one["ok"]) for one in done if one["event"] == "shell"),
        memory.fit(tuple(report.lines_of(report.describe(item))[0] for item in items[:_ERRORS]), 300),
        said.output,
    )


def _changed(loop: Loop, newest: Snapshot | None) -> tuple[str, ...]:
    """The files that are others than at the stop before, or at the start; () where the trees were not kept."""
    refs = [loop.start.start_ref, *(one.ref for one in loop.history.snapshots)]
    if newest is None or not refs[-2] or not refs[-1]:
        return ()
    from untilgreen.state import snapshots

    return snapshots.changed(newest.snapshot_path, loop.project, refs[-2], refs[-1])


def observed(place: Place, loop_id: str, number: int) -> Iterator[dict[str, Any]]:
    """What the agent did in a round, the oldest first, as far as it is among the newest lines of the history."""
    for line in journal.newest(place):
        try:
            one = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if not isinstance(one, dict) or (one.get("loop_id"), one.get("iteration")) != (loop_id, number):
            continue
        told = ("name", "command") if one.get("event") == "shell" else ("event", "file")
        if all(isinstance(one.get(key), str) for key in told):
            yield one | {"ok": one.get("ok") is True}
