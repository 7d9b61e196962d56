"""What the host's status line says that a session cost: `cost.json`, kept while a loop with a budget in USD runs."""

import json
import math

from untilgreen.core.model.event import Place
from untilgreen.core.model.loop import Loop
from untilgreen.state import store

FILE = "cost.json"
_LARGEST = 10_000  # bytes
_MOST = 1e6  # USD


def note(place: Place, loop: Loop, total: object) -> None:
    """Keep what the status line says now, from the loop's start on; a total that falls began anew. Raises OSError."""
    now = _cost(total)
    if now is None or not loop.settings.budget.max_cost:
        return
    since = loop.spent.spending.since if loop.spent.spending else loop.started_at
    before = store.read_object(place.file(FILE), _LARGEST)
    spent, last = (_cost(before.get(name)) for name in ("spent", "total"))
    if spent is None or last is None or before.get("loop") != loop.loop_id:
        spent = 0.0
    elif before.get("since") == since:
        spent += now - last if now >= last else now
    told = {"loop": loop.loop_id, "since": since, "total": now, "spent": round(spent, 6)}
    if told != before:
        store.write_text(place.file(FILE), json.dumps(told), durable=False)


def read(place: Place, loop: Loop) -> dict[str, float]:
    """What the session cost since the loop began, by its name; none where no status line says so."""
    found = store.read_object(place.file(FILE), _LARGEST)
    spent = _cost(found.get("spent"))
    return {} if spent is None or found.get("loop") != loop.loop_id else {place.session: spent}


def _cost(value: object) -> float | None:
    if type(value) not in (int, float) or not math.isfinite(float(value)) or not 0 <= value < _MOST:  # type: ignore[arg-type,operator]
        return None
    return float(value)  # type: ignore[arg-type]
