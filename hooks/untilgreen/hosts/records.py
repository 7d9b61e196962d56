"""What hosts write down of a session: JSON Lines that grow while we read them; and what they print at the end of a
process that answered one prompt.

Each host says how one of its lines reads. A line may come again with more in it, under the same id: the last one
counts, and of the tokens the most that any of them says. The hosts write before they call a hook (24 of 24 stops of
Gemini CLI 0.61.0), Claude Code and Copilot CLI later.
"""

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping

from untilgreen.core.model.event import Act, Tokens
from untilgreen.core.model.snapshot import Answered, ReadSoFar, Used
from untilgreen.core.record import Any, NamedTuple
from untilgreen.core.words.spending import plus
from untilgreen.hosts.reading import table_in, text_in
from untilgreen.project import files

LARGEST = 256 * 1024 * 1024  # bytes that are read at a time
_MOST, _MOST_USD = 10**12, 1e6  # tokens
_TAIL = 1024 * 1024  # bytes of the end in which the newest answer is
_NEWEST = 8  # answers that lines to come may still be about
NAME = 200  # characters of an id, or of a model's name
_MOMENT = len("2026-11-21T09:30:00.000")


def tail(path: str, limit: int) -> list[bytes]:
    """The lines in the last `limit` bytes of a record; the first of them may be cut. Raises OSError."""
    with open(path, "rb", opener=files.followed) as file:
        file.seek(max(0, file.seek(0, os.SEEK_END) - limit))
        return file.read(limit).split(b"\n")


class LogLine(NamedTuple):
    """What one line tells. `by`: "user", "model", or another word for what nobody said."""

    by: str
    id: str = ""  #: "" for an answer that no other line is about
    at: str = ""  #: ISO 8601, in UTC
    model: str = ""
    text: str | None = None  #: None: the model said nothing here
    used: Used | None = None
    calls: Mapping[str, Act] = {}  #: id of each call of a tool to what it did: a file written or a command run
    failed: tuple[str, ...] = ()  #: ids of calls that failed
    aside: bool = False  #: of a sub-agent


class Log(NamedTuple):
    """How the record of a host's session reads."""

    #: a line's object as the host wrote it -> what it tells, None where that is nothing
    reads: Callable[[dict[str, Any]], LogLine | None]
    #: lines in which none of these stands tell neither what was done nor what it used: they are passed over unparsed
    words: tuple[bytes, ...] = (b"",)
    tail: int = _TAIL
    blocks: bool = False  #: each block of an answer is a line of its own, under the same id

    def last_message(self, path: str, limit: int | None = None) -> str | None:
        """The text of the main agent's newest answer since its user (or a hold) spoke, from the file's last bytes;
        None: there is none. Raises OSError."""
        text, newest = None, ""
        for line in self.lines(tail(path, self.tail if limit is None else limit)):
            if line.by == "user" and not line.aside:
                text = None
            elif line.by == "model" and line.text is not None and not line.aside:
                goes_on = self.blocks and text is not None and line.id.strip() and line.id == newest
                text, newest = f"{text}\n{line.text}" if goes_on else line.text, line.id
        return text

    def acts(self, paths: Iterable[str]) -> tuple[Act, ...]:
        """What was done, file by file in its order; nothing of a file that is too large. Raises OSError."""
        found: list[Act] = []
        for path in paths:
            called: dict[str, Act] = {}
            answered: dict[str | int, Act] = {}
            for line in self.lines(filter(self._tells, _whole(path))):
                called |= line.calls
                for one in line.failed:
                    if called.get(one, Act("")).edited:
                        del called[one]  # a command did run, whatever came of it
                if used := line.used:
                    read = used.input + used.cache_write + used.cache_write_1h
                    told = Tokens(read, used.cache_read, used.output)
                    answered[line.id or len(answered)] = Act(line.at, tokens=told)
            found += (*called.values(), *answered.values())
        return tuple(found)

    def usage(self, paths: Mapping[str, str], before: Mapping[str, ReadSoFar], since: str) -> dict[str, ReadSoFar]:
        """What models used since a moment by these records, by their names, read on from `before`. Raises OSError,
        ValueError where the first one cannot be read."""
        found = dict(before)
        for number, (name, path) in enumerate(paths.items()):
            try:
                found[name] = self._read_on(path, before.get(name, ReadSoFar()), since)
            except (FileNotFoundError, NotADirectoryError):
                if not number:
                    raise
        return found

    def _read_on(self, path: str, before: ReadSoFar, since: str) -> ReadSoFar:
        with open(path, "rb", opener=files.followed) as file:
            size = os.fstat(file.fileno()).st_size
            before = ReadSoFar() if size < before.offset else before  # it is another file by now
            if size - before.offset > LARGEST:
                raise ValueError(f"it grew by more than {LARGEST // 2**20} MB")
            file.seek(before.offset)
            data = file.read(size - before.offset)
        if not data and f"{os.sep}subagents{os.sep}" in path:  # it ended: there may be many
            return ReadSoFar(before.offset, *_settled(before.used, before.newest, 0))
        data = data[: data.rfind(b"\n") + 1]  # the rest is being written
        used, newest = before.used, dict(before.newest)
        for line in self.lines(filter(self._tells, data.splitlines(keepends=True))):
            if not line.used or (line.at and line.at[:_MOMENT] < since[:_MOMENT]):
                continue
            known = newest.pop(line.id, None)
            newest[line.id] = Answered(line.model, Used(*map(max, line.used, known.used if known else line.used)))
            used, newest = _settled(used, newest, _NEWEST if line.id else 0)
        return ReadSoFar(before.offset + len(data), used, newest)

    def _tells(self, line: bytes) -> bool:
        return any(word in line for word in self.words)

    def lines(self, lines: Iterable[bytes]) -> Iterator[LogLine]:
        """What these lines tell."""
        for record in objects(lines):
            if found := self.reads(record):
                yield found._replace(id=found.id[:NAME], model=found.model[:NAME])


def _whole(path: str) -> Iterator[bytes]:
    with open(path, "rb", opener=files.followed) as file:
        if os.fstat(file.fileno()).st_size <= LARGEST:
            yield from file


def _settled(
    used: dict[str, Used], newest: dict[str, Answered], most: int
) -> tuple[dict[str, Used], dict[str, Answered]]:
    """Both, with no more than so many of the newest answers by themselves."""
    used, newest = dict(used), dict(newest)
    while len(newest) > most:
        model, of_oldest = newest.pop(next(iter(newest)))
        used[model] = plus(used.get(model, Used()), of_oldest)
    return used, newest


def objects(lines: Iterable[bytes] | Iterable[str]) -> Iterator[dict[str, Any]]:
    """The objects that stand on a line each, or in a list on a line; all else is skipped. A line that is cut never
    parses: its brackets do not match."""
    for line in lines:
        try:
            found = json.loads(line if isinstance(line, str) else line.decode(errors="replace"))
        except (ValueError, RecursionError):
            continue
        yield from (one for one in (found if isinstance(found, list) else [found]) if isinstance(one, dict))


def number(record: Mapping[str, Any], key: str) -> int:
    """The whole number under this key, from 0 up; 0 where there is none."""
    value = record.get(key)
    return min(value, _MOST) if type(value) is int and value > 0 else 0


def did(at: str, name: str, given: Mapping[str, Any], edits: tuple[str, ...], shell: str) -> Act | None:
    """What a call of a tool does, None where that is neither an edit nor a command."""
    path = next((one for key in ("file_path", "notebook_path", "path") if isinstance(one := given.get(key), str)), "")
    if name in edits and path:
        return Act(at, edited=path)
    command = given.get("command")
    return Act(at, command=command) if name == shell and command and isinstance(command, str) else None


def tokens(record: Mapping[str, Any], read: str, cached: str, *written: str) -> Used:
    """What an answer used, by the names of its counters; what the cache had is part of what was read."""
    counts = {name: value for name, value in record.items() if type(value) is int and 0 < value <= _MOST}
    had = min(counts.get(cached, 0), counts.get(read, 0))
    return Used(counts.get(read, 0) - had, sum(counts.get(name, 0) for name in written), cache_read=had)


class Closing(NamedTuple):
    """What came of it, in one form for all hosts."""

    text: str = ""  #: the agent's last message
    error: str = ""  #: why it could not work, "" where it could, or the host does not say
    failed: bool = False
    status: int = 0  #: the HTTP status of the model's API, 0 where the host does not say
    used_up: bool = False  #: it came to a limit of turns that its user gave: what it left is judged
    tokens: int = 0  #: what its models used: tokens, and USD (None: not told)
    cost: float | None = None


def costs(values: Iterable[Any]) -> float | None:
    """Their sum in USD, of those that are costs; None where none is."""
    known = [float(one) for one in values if type(one) in (int, float) and 0 <= one < _MOST_USD]
    return sum(known) if known else None


def document(stdout: str) -> dict[str, Any]:
    """The JSON object that begins a line and goes on to the end, an empty one where there is none."""
    start = stdout.find("{") if stdout.startswith("{") else stdout.find("\n{")
    try:
        found = json.loads(stdout[start:]) if start >= 0 else None
    except (ValueError, RecursionError):
        found = None
    return found if isinstance(found, dict) else {}


def result(stdout: str) -> dict[str, Any] | None:
    """The document with `type` "result" by which some hosts close, the last one; None where there is none."""
    return next((one for one in reversed([*objects(stdout.splitlines())]) if one.get("type") == "result"), None)


def failure(record: dict[str, Any]) -> tuple[str, int]:
    """`{"message", "statusCode"?}`, or a text: why it failed, and the status of the model's API."""
    told = table_in(record, "error")
    return text_in(told, "message") or text_in(record, "error"), number(told, "statusCode")
