"""Checks of a whole root at every edit: at most one at a time, and one answer for all who waited for it."""

import json
import os
import time
from contextlib import suppress

from untilgreen.checks.plan.planning import CheckScope
from untilgreen.checks.run import checking
from untilgreen.core import document
from untilgreen.core.model.check import Check, kind_of
from untilgreen.core.model.outcome import Broken, Clean, Found, Outcome
from untilgreen.core.verdict.identity import digest
from untilgreen.state import locks, log, store

_KINDS: dict[str, type[Clean] | type[Found] | type[Broken]] = {"clean": Clean, "found": Found, "broken": Broken}


def run(scope: CheckScope, check: Check, base: str, until: float, began: float) -> Outcome | None:
    """What the check says of its root as it is at `began` (seconds since the epoch) or later; None: not in time.

    `until` is a time of time.monotonic(). A run that began after the caller's edit answers the
    caller, too. Where no answer can be kept, each caller runs the check.
    """
    folder = os.path.join(base, "types")
    path = os.path.join(folder, digest(check.name, scope.root))
    try:
        os.makedirs(folder, mode=0o700, exist_ok=True)
        lock = locks.acquire(f"{path}.lock", max(0.0, until - time.monotonic()))
    except locks.Busy:
        return None
    except OSError as error:
        log.write(base, f"{check.name} runs without a lock: {error}")
        return _now(scope, check, until)
    try:
        kept = store.read_object(f"{path}.json")
        with suppress(KeyError, TypeError, document.Mismatch):  # then the check is run
            if began <= kept["began"] <= time.time():
                return document.load(_KINDS[kept["kind"]], kept["outcome"])
        started = time.time()
        result = _now(scope, check, until)
        if result is not None and (kind := kind_of(result)) in _KINDS:
            text = json.dumps({"began": started, "kind": kind, "outcome": document.dump(result)})
            try:
                store.write_text(f"{path}.json", text, durable=False)
            except OSError as error:  # those who wait for it run the check
                log.write(base, f"an answer was not kept: {error}")
        return result
    finally:
        os.close(lock)


def _now(scope: CheckScope, check: Check, until: float) -> Outcome | None:
    ((_, result),) = checking.run(scope, (check,), checking.Watch(until))
    return None if isinstance(result, Broken) and time.monotonic() >= until else result
