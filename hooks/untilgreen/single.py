"""Checks of a whole root at every edit: at most one at a time, and one answer for all who waited for it.

Ten edits at once, each with a type check of its own, would make every one of them ten times slower.
"""

import json
import os
import time

from untilgreen import checking, locks, store
from untilgreen.core import document
from untilgreen.core.identity import digest
from untilgreen.core.model import Broken, Check, Clean, Found, Outcome
from untilgreen.planning import Scope

_KINDS: dict[str, type[Clean] | type[Found] | type[Broken]] = {"clean": Clean, "found": Found, "broken": Broken}


def run(scope: Scope, check: Check, base: str, until: float, began: float) -> Outcome | None:
    """What the check says of its root as it is at `began` (seconds since the epoch) or later; None: not in time.

    `until` is a time of time.monotonic(). A run that began when the caller's edit was done already is the caller's,
    too. Raises OSError.
    """
    folder = os.path.join(base, "types")
    os.makedirs(folder, mode=0o700, exist_ok=True)
    path = os.path.join(folder, digest(check.name, scope.root))
    try:
        with locks.locked(f"{path}.lock", max(0.0, until - time.monotonic())):
            remembered = _read(f"{path}.json", began)
            if remembered is not None:
                return remembered
            started = time.time()
            ((_, result),) = checking.run(scope, (check,), until)
            if isinstance(result, Broken) and time.monotonic() >= until:
                return None
            _write(f"{path}.json", started, result)
            return result
    except locks.Busy:
        return None


def _read(path: str, began: float) -> Outcome | None:
    """The newest answer if it is new enough."""
    try:
        kept = store.read_json(path)
        if not isinstance(kept, dict) or not kept["began"] >= began:
            return None
        outcome: Outcome = document.load(_KINDS[kept["kind"]], kept["outcome"])
    except (OSError, ValueError, KeyError, TypeError, document.Malformed):
        return None  # then the check is run
    return outcome


def _write(path: str, began: float, result: Outcome) -> None:
    kind = type(result).__name__.lower()
    if kind in _KINDS:
        kept = {"began": began, "kind": kind, "outcome": document.dump(result)}
        store.write_text(path, json.dumps(kept), durable=False)
