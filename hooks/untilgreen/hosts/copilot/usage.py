"""What models used, by the host's own record of a session (`events.jsonl`), which has sub-agents' calls, too.

Each call of a model is one line, `session.usage_record`, whose `inputTokens` has what was read from a cache in it
(measured on 1.0.102: 1,000 of 1,000 with 400 cached).
"""

import os
from collections.abc import Iterable, Mapping
from typing import Any

from untilgreen.core.model.snapshot import ReadSoFar, Used
from untilgreen.core.words import prices, spending
from untilgreen.hosts import records
from untilgreen.hosts.copilot.transcript import entries
from untilgreen.hosts.reading import table_in, text_in

_NAME = 200  # characters of a model's name
_MOMENT = len("2026-11-21T09:30:00.000")


def usage(
    transcript: str, sessions: Iterable[str], before: Mapping[str, ReadSoFar], since: str
) -> dict[str, ReadSoFar]:
    """The records of this session and of those before it, read on from where they were read to. Raises OSError,
    ValueError where this session's cannot be read."""
    top, name = os.path.split(os.path.dirname(transcript))
    found = dict(before)
    for session in dict.fromkeys((name, *map(os.path.basename, sessions))):
        path = os.path.join(top, session, os.path.basename(transcript))
        try:
            found[session] = _read_on(path, before.get(session, ReadSoFar()), since)
        except (FileNotFoundError, NotADirectoryError):
            if path == transcript:
                raise
    return found


def _read_on(path: str, before: ReadSoFar, since: str) -> ReadSoFar:
    before, lines = records.read_on(path, before)
    total = dict(before.used)
    for entry in entries(line for line in lines if b'"session.usage_record"' in line):
        record = table_in(entry["data"], "usage")
        if entry["type"] != "session.usage_record" or text_in(entry, "timestamp")[:_MOMENT] < since[:_MOMENT]:
            continue
        one = used(record)
        name = prices.kind(text_in(record, "model")[:_NAME], one, fast=False)
        total[name] = spending.plus(total.get(name, Used()), one)
    return ReadSoFar(before.offset + sum(map(len, lines)), total, {})


def used(record: Mapping[str, Any]) -> Used:
    """What one call used."""
    sent, answer, read, written = (
        records.number(record, f"{name}Tokens") for name in ("input", "output", "cacheRead", "cacheWrite")
    )
    return Used(max(0, sent - read), answer, written, 0, read)
