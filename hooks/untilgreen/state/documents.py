"""Loops and edits as they lie on disk, with the names that readers of a loop know."""

from untilgreen.core import document
from untilgreen.core.model.loop import SCHEMA_VERSION, Edits, Loop
from untilgreen.core.model.snapshot import Snapshot
from untilgreen.core.record import Any

# what a loop's settings say stands beside them, too: these names are older than the settings
SEED_NAMES = ("max_iterations", "completion_promise", "marker")


class Newer(Exception):
    """The document is a newer untilgreen's; the text says its version."""


def of_loop(loop: Loop) -> dict[str, Any]:
    """A loop as it is written, bounded."""
    found: dict[str, Any] = document.dump(bounded(loop))
    names = {name: document.value(loop.settings, name) for name in SEED_NAMES}
    first = {name: found[name] for name in ("schema_version", "loop_id", "active", "session_id")}
    return first | names | found


def loop(found: object) -> Loop:
    """The loop of a document. Raises document.Mismatch, Newer."""
    return _loop(_ours(found))


def of_edits(edits: Edits) -> dict[str, Any]:
    """Edits as they are written."""
    found: dict[str, Any] = document.dump(edits._replace(turn=None))
    return found | {"turn": of_loop(edits.turn) if edits.turn else None}


def edits(found: object) -> Edits:
    """The edits of a document. Raises as `loop`."""
    current = _ours(found)
    turn = current.get("turn")
    rest = document.load(Edits, current | {"turn": None})
    return rest if turn is None else rest._replace(turn=_loop(_object(turn)))


def _loop(found: dict[str, Any]) -> Loop:
    settings = found.get("settings", {})
    if isinstance(settings, dict):
        own = {name: found[name] for name in SEED_NAMES if name in found}
        found = found | {"settings": settings | own}
    return document.load(Loop, found)


def _ours(found: object) -> dict[str, Any]:
    """The object, if it is of this schema. Raises document.Mismatch, Newer."""
    current = _object(found)
    version = current.get("schema_version")
    if type(version) is int and version > SCHEMA_VERSION:
        raise Newer(str(version))
    if type(version) is not int or version != SCHEMA_VERSION:
        raise document.Mismatch("not a state of untilgreen")
    return current


def _object(found: object) -> dict[str, Any]:
    if not isinstance(found, dict):
        raise document.Mismatch("not a state of untilgreen")
    return found


def bounded(loop: Loop) -> Loop:
    """The loop with full detail for its newest snapshots only; the journal holds the rest."""
    kept = loop.history.snapshots[-100:]
    full = len(kept) - 2
    snapshots = tuple(_thinned(s, i >= full) for i, s in enumerate(kept))
    current = _thinned(loop.history.current, True) if loop.history.current else None
    initial = _thinned(loop.start.initial, True) if loop.start.initial else None
    first = {name: f._replace(items=f.items[:20_000]) for name, f in loop.start.first.items()}
    return loop.put(
        loop.history._replace(snapshots=snapshots, current=current), loop.start._replace(initial=initial, first=first)
    )


def _thinned(snapshot: Snapshot, full: bool) -> Snapshot:
    if not full:
        return snapshot._replace(items=(), file_details=(), judged=())
    # what is beyond that is not shown, but must not be called new in the next round
    short = (i._replace(text="", file="", rule="", cure="") for i in snapshot.items[1_000:5_000])
    items = (*(i._replace(text=i.text[:3_000]) for i in snapshot.items[:1_000]), *short)
    return snapshot._replace(items=items, file_details=snapshot.file_details[:500])
