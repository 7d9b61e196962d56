"""The checks of an edit, at once. Of those of a whole root at most one at a time, and one answer for all who waited."""

import json
import os
import time
from collections.abc import Mapping
from contextlib import suppress

from untilgreen import checkers
from untilgreen.checks.plan.planning import CheckScope, limit
from untilgreen.checks.run import checking
from untilgreen.checks.run.portions import Look
from untilgreen.core import document
from untilgreen.core.model.check import Check, kind_of
from untilgreen.core.model.outcome import Broken, Clean, Found, Outcome
from untilgreen.core.model.settings import CheckSetting
from untilgreen.core.record import NamedTuple
from untilgreen.core.verdict.identity import digest
from untilgreen.state import locks, log, store

_KINDS: dict[str, type[Clean] | type[Found] | type[Broken]] = {"clean": Clean, "found": Found, "broken": Broken}


class _Claim(NamedTuple):
    """The right to look at a whole root."""

    path: str  #: where its answer is kept, "" where none can be
    lock: int | None = None  #: the descriptor
    kept: Outcome | None = None  #: the answer of a run that began late enough


Answer = tuple[Check, Outcome | None, tuple[str, ...] | None]


def run(
    scope: CheckScope, paths: Mapping[Check, tuple[str, ...]], seconds: Mapping[Check, float], base: str, began: float
) -> list[Answer]:
    """What the checks say of these files or of their roots as they are at `began` (seconds since the epoch) or later,
    None where that is not within their seconds; and the files that they looked at, None for a whole root.

    A run of a root that began after the caller's edit answers the caller, too. Where no answer can be kept, each caller
    runs the check. Nobody waits for a check that another call runs before the others have ended.
    """
    ends = {check: time.monotonic() + most for check, most in seconds.items()}
    if scope.warm:
        from untilgreen.checks.run import warm

        answers = {check: warm.ask(scope, check, Look(some), seconds[check]) for check, some in paths.items()}
        cold = {check: some for check, some in paths.items() if answers[check] is None}
        said = [(check, *answer) for check, answer in answers.items() if answer]
        return [*said, *_cold(scope, cold, ends, base, began)]
    return _cold(scope, paths, ends, base, began)


def _cold(
    scope: CheckScope, paths: Mapping[Check, tuple[str, ...]], ends: Mapping[Check, float], base: str, began: float
) -> list[Answer]:
    """As `run`, by the tools' command lines; `ends`: check to a time of time.monotonic()."""
    files = {check: checkers.get(check.checker).files for check in paths}
    alone = {check for check, own in files.items() if own.alone and len(paths[check]) == 1}
    looks = {check.name: Look(paths[check]) for check, own in files.items() if own.by_file or check in alone}
    whole = [check for check in paths if check.name not in looks]
    claims = {check: claim for check in whole if (claim := _claim(check, scope.root, base, began, 0.0))}
    said = _at_once(scope, {one: ends[one] for one in paths if one.name in looks or one in claims}, looks, base, claims)
    unsure = [check for check in alone if isinstance(said[check], Broken)]
    if unsure:  # nothing is built at an edit: what only a build can say is said at the stop
        from untilgreen.checkers.js import tsc

        for check in (one for one in unsure if tsc.is_build(one.call)):
            del said[check]
        unsure = [check for check in unsure if check in said]
    for check in (*unsure, *(one for one in whole if one not in claims)):
        claim = _claim(check, scope.root, base, began, max(0.0, ends[check] - time.monotonic()))
        said |= _at_once(scope, {check: ends[check]}, {}, base, {check: claim}) if claim else {check: None}
    return [
        (one, said[one], paths[one] if one.name in looks and one not in unsure else None)
        for one in paths
        if one in said
    ]


def _at_once(
    scope: CheckScope,
    ends: Mapping[Check, float],
    looks: Mapping[str, Look],
    base: str,
    claims: Mapping[Check, _Claim],
) -> dict[Check, Outcome | None]:
    """What these say, each until its end, a time of time.monotonic(); `claims` are over then."""
    said: dict[Check, Outcome | None] = {check: claim.kept for check, claim in claims.items() if claim.kept}
    left = {check: max(0.01, end - time.monotonic()) for check, end in ends.items() if check not in said}
    own, usual = scope.settings.checks, {check: limit(scope.settings, check) for check in left}
    bounded = {
        one.name: (own.get(one.name) or own.get(one.checker) or CheckSetting())._replace(timeout=min(most, usual[one]))
        for one, most in left.items()
    }
    started, short = time.time(), scope._replace(settings=scope.settings._replace(checks={**own, **bounded}))
    try:
        for check, result in checking.run(short, (*left,), checking.Watch(max(ends.values())), looks) if left else ():
            late = check in claims and isinstance(result, Broken) and result.late and left[check] <= usual[check]
            said[check] = None if late else result
            if check in claims and claims[check].path and not late:
                _keep(claims[check].path, started, result, base)
    finally:
        for lock in (claim.lock for claim in claims.values() if claim.lock is not None):
            os.close(lock)
    return said


def _claim(check: Check, root: str, base: str, began: float, wait: float) -> _Claim | None:
    """The claim of a check, after so many seconds at most; None where another call has it."""
    folder = os.path.join(base, "types")
    path = os.path.join(folder, digest(check.name, root))
    try:
        os.makedirs(folder, mode=0o700, exist_ok=True)
        lock = locks.acquire(f"{path}.lock", wait)
    except locks.Busy:
        return None
    except OSError as error:
        log.write(base, f"{check.name} runs without a lock: {error}")
        return _Claim("")
    kept = store.read_object(f"{path}.json")
    with suppress(KeyError, TypeError, document.Mismatch):  # then the check is run
        if began <= kept["began"] <= time.time():
            return _Claim(path, lock, document.load(_KINDS[kept["kind"]], kept["outcome"]))
    return _Claim(path, lock)


def _keep(path: str, started: float, result: Outcome, base: str) -> None:
    if (kind := kind_of(result)) in _KINDS:
        text = json.dumps({"began": started, "kind": kind, "outcome": document.dump(result)})
        try:
            store.write_text(f"{path}.json", text, durable=False)
        except OSError as error:  # those who wait for it run the check
            log.write(base, f"an answer was not kept: {error}")
