"""`journal.jsonl`, a session's whole history: one line for each start, counted stop and end; append only."""

import json
import os
from typing import Any

from untilgreen.core import document
from untilgreen.core.model import Place
from untilgreen.state import log


def append(place: Place, what: str, when: str, **facts: Any) -> None:
    """Add one entry in a single write, so that two writers never share a line.

    What it tells has happened already: a fault here is logged, and changes no answer.
    """
    entry = {"event": what, "timestamp": when} | {name: document.dump(value) for name, value in facts.items()}
    try:
        fd = os.open(place.file("journal.jsonl"), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        try:
            os.write(fd, (json.dumps(entry) + "\n").encode())
        finally:
            os.close(fd)
    except OSError as error:
        log.write(place.base, f"{what} not written to the history: {error}")
