"""How much a state file may hold."""

from untilgreen.core.model import Loop, Snapshot


def bounded(loop: Loop) -> Loop:
    """The loop with full detail for its newest snapshots only; the journal holds the rest."""
    kept = loop.snapshots[-100:]
    full = len(kept) - 2
    snapshots = tuple(_thinned(s, i >= full) for i, s in enumerate(kept))
    current = _thinned(loop.current, True) if loop.current else None
    initial = _thinned(loop.initial, True) if loop.initial else None
    first = {name: f._replace(items=f.items[:20_000]) for name, f in loop.first.items()}
    return loop._replace(snapshots=snapshots, current=current, initial=initial, first=first)


def _thinned(snapshot: Snapshot, full: bool) -> Snapshot:
    if not full:
        return snapshot._replace(items=(), file_details=())
    # what is beyond that is not shown, but must not be called new in the next round
    items = tuple(i._replace(text=i.text[:3_000] if n < 1_000 else "") for n, i in enumerate(snapshot.items[:5_000]))
    return snapshot._replace(items=items, file_details=snapshot.file_details[:500])
