"""What a session's log says that a model answered, did and used: one JSON object a line, the newest last.

Qwen Code and Gemini CLI keep such logs; each says how one of its lines reads. A line may come again with more in it,
under the same id: the last one counts. The hosts write before they call a hook (24 of 24 stops of Gemini CLI 0.61.0).
"""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping

from untilgreen.core.model.event import Act, Tokens
from untilgreen.core.model.snapshot import Answered, ReadSoFar, Used
from untilgreen.core.record import Any, NamedTuple
from untilgreen.core.words.spending import plus
from untilgreen.hosts import records

_TAIL = 1024 * 1024  # bytes of the end in which the newest answer is
_NEWEST = 8  # answers that lines to come may still be about
_MOST = 10**12  # tokens of an answer
_NAME = 200  # characters of an id, or of a model's name
_MOMENT = len("2026-11-21T09:30:00.000")


class LogLine(NamedTuple):
    """What one line tells. `by`: "user", "model", or "tool" for a result alone."""

    by: str
    id: str = ""
    #: ISO 8601, in UTC
    at: str = ""
    model: str = ""
    text: str = ""
    used: Used | None = None
    #: id of each call of a tool to what it did: a file written or a command run
    calls: Mapping[str, Act] = {}
    #: ids of calls that failed
    failed: tuple[str, ...] = ()


# a line's object as the host wrote it -> what it tells, None where that is nothing
Reads = Callable[[dict[str, Any]], LogLine | None]


def last_message(path: str, reads: Reads) -> str | None:
    """The text of the model's newest answer since its user (or a hold) spoke; None: there is none. Raises OSError."""
    text: str | None = None
    for line in _lines(records.tail(path, _TAIL), reads):
        text = None if line.by == "user" else line.text if line.by == "model" else text
    return text


def acts(paths: Iterable[str], reads: Reads) -> tuple[Act, ...]:
    """What was done, file by file in its order; nothing of a file that is too large. Raises OSError."""
    found: list[Act] = []
    for path in paths:
        called: dict[str, Act] = {}
        answered: dict[str, Act] = {}
        for line in _lines(records.lines_with(path, b""), reads):
            called |= line.calls
            for one in line.failed:
                if called.get(one, Act("")).edited:
                    del called[one]  # a command did run, whatever came of it
            if line.used:
                told = Tokens(line.used.input, line.used.cache_read, line.used.output)
                answered[line.id] = Act(line.at, tokens=told)
        found += (*called.values(), *answered.values())
    return tuple(found)


def usage(
    paths: Iterable[str], folder: str, reads: Reads, before: Mapping[str, ReadSoFar], since: str
) -> dict[str, ReadSoFar]:
    """What models used since a moment by the logs that are there, read on from `before`; by a log's name below
    `folder`. Raises OSError, ValueError."""
    found = dict(before)
    for path in dict.fromkeys(paths):
        name = os.path.relpath(path, folder)
        found[name] = _read_on(path, reads, before.get(name, ReadSoFar()), since)
    return found


def _read_on(path: str, reads: Reads, before: ReadSoFar, since: str) -> ReadSoFar:
    before, lines = records.read_on(path, before)
    used, newest = dict(before.used), dict(before.newest)
    for line in _lines(lines, reads):
        if line.used and line.at[:_MOMENT] >= since[:_MOMENT]:
            newest.pop(line.id, None)
            newest[line.id] = Answered(line.model, line.used)
            while len(newest) > _NEWEST:
                model, oldest = newest.pop(next(iter(newest)))
                used[model] = plus(used.get(model, Used()), oldest)
    return ReadSoFar(before.offset + sum(map(len, lines)), used, newest)


def _lines(lines: Iterable[bytes], reads: Reads) -> Iterator[LogLine]:
    for record in records.objects(lines):
        if found := reads(record):
            yield found._replace(id=found.id[:_NAME], model=found.model[:_NAME])


def did(at: str, name: str, given: Mapping[str, Any], edits: tuple[str, ...], shell: str) -> Act | None:
    """What a call of a tool does, None where that is neither an edit nor a command."""
    path, command = given.get("file_path"), given.get("command")
    if name in edits and isinstance(path, str):
        return Act(at, edited=path)
    return Act(at, command=command) if name == shell and isinstance(command, str) else None


def tokens(record: Mapping[str, Any], read: str, cached: str, *written: str) -> Used:
    """What an answer used, by the names of its counters; what the cache had is part of what was read."""
    counts = {name: value for name, value in record.items() if type(value) is int and 0 < value <= _MOST}
    had = min(counts.get(cached, 0), counts.get(read, 0))
    return Used(counts.get(read, 0) - had, sum(counts.get(name, 0) for name in written), cache_read=had)
