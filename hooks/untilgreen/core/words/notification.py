"""What somebody is told who does not sit at the host: how a loop ended, or that it is paused. Pure.

No more of it than its task, its counts and its reason: no secret that can be known, no path, nothing that a check said.
"""

import re

from untilgreen.core import secrets
from untilgreen.core.foreign import strip
from untilgreen.core.model.loop import Loop
from untilgreen.core.record import NamedTuple
from untilgreen.core.words import brief
from untilgreen.core.words.brief import Words

_TASK, _REASON = 100, 200  # characters
_URL = r"\w+://[^\s\"'`<>]+"
_PATH = r"[^\s\"'`<>(),;|]*[/\\][^\s\"'`<>(),;|]*"
_WORDS = r"\w+/\w+"  # `and/or`, `TCP/IP`
_GONE = "…"


class Notification(NamedTuple):
    """One line each. `event`: "complete", "blocked", "stuck" or "paused"; `project`: the name of its folder; `left`:
    failing items, None where no check tells."""

    event: str
    title: str
    text: str
    task: str
    reason: str
    project: str
    iteration: int
    max_iterations: int
    left: int | None


def of(loop: Loop, words: Words) -> Notification | None:
    """What is told of this loop; None where it goes on, or its user ended it."""
    event = _event(loop)
    if not event:
        return None
    most, newest = loop.settings.max_iterations, brief.newest_snapshot(loop)
    failing = None if loop.asked.promise_only or newest is None else brief.count_left(newest)
    task, reason = (
        _told(loop.task_description, loop, _TASK),
        _told(loop.end.completion_reason or loop.rest.paused or loop.rest.parked, loop, _REASON),
    )
    project = brief.clean(loop.project.rpartition("/")[2])
    unchecked = event == "complete" and (loop.end.declared or newest is None)
    title = words["notified"].format(project=project, what=words[f"notified_{'unchecked' if unchecked else event}"])
    counts = [words["round"].format(round=loop.rounds.iteration, max=most)]
    counts += [] if failing is None else [words["notified_left"].format(n=failing)]
    text = " · ".join(filter(None, (task, reason, *counts)))
    return Notification(event, title, text, task, reason, project, loop.rounds.iteration, most, failing)


def _event(loop: Loop) -> str:
    if loop.active:
        return "paused" if loop.rests else ""
    if loop.end.stop_reason in ("complete", "blocked"):
        return loop.end.stop_reason
    return "" if loop.end.stop_reason in (None, "cancelled") else "stuck"


def _told(text: str, loop: Loop, room: int) -> str:
    """The text in one line, without secrets and paths. What looks like a path is taken for one."""
    [safe] = secrets.masked((re.sub(_URL, _GONE, strip(text)),))
    if loop.project:
        safe = safe.replace(loop.project, "/")
    safe = re.sub(_PATH, lambda found: found[0] if re.fullmatch(_WORDS, found[0]) else _GONE, safe)
    return brief.clean(safe, room)
