"""Waiting: does the agent stop only until something in the background is over?

A sub-agent, a test run or a timer wakes the session again, so judging now would be too early. A dev server or a
watcher never ends: it is no reason to let go. Command lines are read, never run, and a wrong guess costs at most
two stops.
"""

import re
from collections.abc import Sequence

from untilgreen.core.foreign import strip
from untilgreen.core.model.event import Task
from untilgreen.core.shell import classify
from untilgreen.core.shell.line import read
from untilgreen.core.shell.wrappers import unwrapped

_LONGEST = 1000  # characters of a command line that are read: a host sends no more
_SHOWN = 60  # and that are shown
_REMEMBERED = 1_000  # tasks

# what ends and is worth waiting for, though it is evidence of nothing
_ENDING = re.compile(
    r"untilgreen (?:status --wait|check)\b|(?:black|isort|prettier)\b.* --check(?:-only)?\b"
    r"|python\S* (?:\S*[/_-])?(?:run_?)?(?:test|check|lint|build)\w*\.py\b"
    r"|\w+ .*\brun(?:-script)? (?:check|verify|validate|ci)\b"
)
_STAYING = {"watch", "dev", "serve", "server", "start", "preview", "storybook", "runserver"}
_WATCHING = re.compile(r"--?watch(?:-?all)?(?:=(?!false).*)?|--continuous|--looponfail", re.IGNORECASE | re.DOTALL)
_FOR_EVER = re.compile(r"(?:^|[\s;&|(])(?:while|until)\s")
_FIRST = 4  # words of a command that may name what stays


def awaited(tasks: Sequence[Task], waited: dict[str, int], limit: int = 2) -> tuple[dict[str, int], str] | None:
    """How often each id was waited for by now, and what is waited for, in words. None when there is nothing to wait
    for, or when all of it was waited for `limit` times already: what never ends must not hold back the verdict."""
    ending = [task for task in tasks if task.kind != "shell" or is_check(task.command)]
    worth_it = {task.id: task for task in ending if waited.get(task.id, 0) < limit}
    if not worth_it:
        return None
    counts = {**waited, **{key: waited.get(key, 0) + 1 for key in worth_it}}
    return dict([*counts.items()][-_REMEMBERED:]), ", ".join(map(_named, worth_it.values()))


def _named(task: Task) -> str:
    if task.kind == "shell":
        line = " ".join(strip(task.command).split())
        return line if len(line) <= _SHOWN else f"{line[: _SHOWN - 3]}..."
    kind = {"agent": "sub-agent", "wakeup": "timer"}.get(task.kind, task.kind)
    return strip(f"{kind} {task.id}")


def is_check(command: str) -> bool:
    """Whether this tests, checks or builds something and then ends. Quotes may be unbalanced: hosts clip long lines."""
    line = command[:_LONGEST]
    whole = next((line + end for end in ("", "'", '"') if read(line + end).closed), line)
    simple = [[word.text for word in unwrapped(one.words).words] for one in read(whole).commands]
    if _FOR_EVER.search(whole) or any(map(_stays, simple)):
        return False
    return bool(classify.of(whole).kinds) or any(_ENDING.match(" ".join(words)) for words in simple)


def _stays(words: Sequence[str]) -> bool:
    """Whether a simple command never ends: a server, or a watcher."""
    plain = (word.lower() for word in words[:_FIRST] if word[:1] != "-")
    named = {part for word in plain for part in re.split(r"[^a-z0-9]+", word)}
    return bool(named & _STAYING) or any(map(_WATCHING.fullmatch, words))
