"""What models used, by the host's transcripts: `PROJECT/SESSION.jsonl`, and that of each sub-agent in
`PROJECT/SESSION/subagents/` (recorded with 2.1.330; before, sub-agents stood among the rest).

Each block of an answer is a line of its own, and each of them repeats the tokens of the whole answer as they were when
it was written: lines with the same ids of message and request are one answer, and the most that
any of them says counts.
The host writes late: at a stop the newest answer may not be there yet.
"""

import os
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from untilgreen.core.model.snapshot import Answered, ReadSoFar, Used
from untilgreen.core.words import prices, spending
from untilgreen.hosts.claude_code.transcript import entries
from untilgreen.hosts.reading import text_in
from untilgreen.project import files

_LARGEST = 256 * 1024 * 1024  # bytes that are read at a time
_NEWEST = 8  # answers that lines to come may still be about
_MOST = 10**12  # tokens of an answer
_ID = 200  # characters of an id, or of a model's name
_MOMENT = len("2026-11-21T09:30:00.000")


def of_files(transcript: str) -> Iterator[str]:
    """The transcript, then those of its sub-agents."""
    yield transcript
    for folder, folders, names in os.walk(os.path.join(transcript.removesuffix(".jsonl"), "subagents")):
        folders.sort()
        yield from (os.path.join(folder, name) for name in sorted(names) if name.endswith(".jsonl"))


def read(transcript: str, sessions: Iterable[str], before: Mapping[str, ReadSoFar], since: str) -> dict[str, ReadSoFar]:
    """The records of this session and of those before it, read on from where they were read to. Raises OSError,
    ValueError where the transcript cannot be read."""
    folder = os.path.dirname(transcript)
    found = dict(before)
    earlier = (os.path.join(folder, f"{os.path.basename(session)}.jsonl") for session in sessions)
    for main in dict.fromkeys((transcript, *earlier)):
        for path in of_files(main):
            name = os.path.relpath(path, folder)
            try:
                found[name] = _read_on(path, before.get(name, ReadSoFar()), since)
            except (FileNotFoundError, NotADirectoryError):
                if path == transcript:
                    raise
    return found


def _read_on(path: str, before: ReadSoFar, since: str) -> ReadSoFar:
    with open(path, "rb", opener=files.followed) as file:
        size = os.fstat(file.fileno()).st_size
        if size < before.offset:  # it is another file
            before = ReadSoFar()
        if size == before.offset and f"{os.sep}subagents{os.sep}" in path:  # it has ended: there may be very many
            return ReadSoFar(before.offset, *_settled(before.used, before.newest, 0))
        if size - before.offset > _LARGEST:
            raise ValueError(f"it grew by more than {_LARGEST // 2**20} MB")
        offset, lines = file.seek(before.offset), []
        for line in file:
            if not line.endswith(b"\n"):
                break  # it is being written
            offset += len(line)
            lines += [line] if b'"usage"' in line else []
    used, newest = before.used, dict(before.newest)
    for entry in entries(lines):
        at, answer = entry.get("timestamp"), answered(entry)
        if answer is None or (isinstance(at, str) and at[:_MOMENT] < since[:_MOMENT]):
            continue
        name, one = answer
        known = newest.pop(name, one)
        newest[name] = one._replace(used=Used(*map(max, one.used, known.used)))
        used, newest = _settled(used, newest, _NEWEST)
    return ReadSoFar(offset, used, newest)


def _settled(
    used: dict[str, Used], newest: dict[str, Answered], most: int
) -> tuple[dict[str, Used], dict[str, Answered]]:
    """Both, with no more than so many of the newest answers by themselves."""
    if len(newest) <= most:
        return used, newest
    used, newest = dict(used), dict(newest)
    while len(newest) > most:
        model, of_oldest = newest.pop(next(iter(newest)))
        used[model] = spending.plus(used.get(model, Used()), of_oldest)
    return used, newest


def answered(entry: dict[str, Any]) -> tuple[str, Answered] | None:
    """The answer that an entry is about, by its ids; None where it is about none of a model."""
    message = entry["message"]
    usage, model = message.get("usage"), text_in(message, "model")
    if entry["type"] != "assistant" or not isinstance(usage, dict) or model == "<synthetic>":
        return None
    used = _used(usage)
    name = prices.kind(model[:_ID], used, fast=usage.get("speed") == "fast")
    return f"{text_in(message, 'id')[:_ID]} {text_in(entry, 'requestId')[:_ID]}", Answered(name, used)


def _used(usage: dict[str, Any]) -> Used:
    detail = usage.get("cache_creation")
    written, hour = _number(usage, "cache_creation_input_tokens"), 0
    if isinstance(detail, dict):
        hour = _number(detail, "ephemeral_1h_input_tokens")
        written = max(written, hour + _number(detail, "ephemeral_5m_input_tokens"))
    read, output = _number(usage, "cache_read_input_tokens"), _number(usage, "output_tokens")
    return Used(_number(usage, "input_tokens"), output, written - hour, hour, read)


def _number(found: dict[str, Any], name: str) -> int:
    value = found.get(name)
    return min(value, _MOST) if type(value) is int and value > 0 else 0
