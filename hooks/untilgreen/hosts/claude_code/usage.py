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
from untilgreen.hosts import records
from untilgreen.hosts.claude_code.transcript import entries
from untilgreen.hosts.reading import text_in

_NEWEST = 8  # answers that lines to come may still be about
_ID = 200  # characters of an id, or of a model's name
_MOMENT = len("2026-11-21T09:30:00.000")


def of_files(transcript: str) -> Iterator[str]:
    """The transcript, then those of its sub-agents."""
    yield transcript
    for folder, folders, names in os.walk(os.path.join(transcript.removesuffix(".jsonl"), "subagents")):
        folders.sort()
        yield from (os.path.join(folder, name) for name in sorted(names) if name.endswith(".jsonl"))


def usage(
    transcript: str, sessions: Iterable[str], before: Mapping[str, ReadSoFar], since: str
) -> dict[str, ReadSoFar]:
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
    if f"{os.sep}subagents{os.sep}" in path and os.stat(path).st_size == before.offset:  # it ended: there may be many
        return ReadSoFar(before.offset, *_settled(before.used, before.newest, 0))
    before, lines = records.read_on(path, before)
    used, newest = before.used, dict(before.newest)
    for entry in entries(line for line in lines if b'"usage"' in line):
        at, answer = entry.get("timestamp"), answered(entry)
        if answer is None or (isinstance(at, str) and at[:_MOMENT] < since[:_MOMENT]):
            continue
        name, one = answer
        known = newest.pop(name, one)
        newest[name] = one._replace(used=Used(*map(max, one.used, known.used)))
        used, newest = _settled(used, newest, _NEWEST)
    return ReadSoFar(before.offset + sum(map(len, lines)), used, newest)


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
    written, hour = records.number(usage, "cache_creation_input_tokens"), 0
    if isinstance(detail, dict):
        hour = records.number(detail, "ephemeral_1h_input_tokens")
        written = max(written, hour + records.number(detail, "ephemeral_5m_input_tokens"))
    read, output = records.number(usage, "cache_read_input_tokens"), records.number(usage, "output_tokens")
    return Used(records.number(usage, "input_tokens"), output, written - hour, hour, read)
