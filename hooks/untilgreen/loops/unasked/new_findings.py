"""What a session brought into the files that it wrote: findings now against findings in the texts from before.

A checker that reads a text from stdin is asked about those texts, too; for others a finding is new where its line is.
"""

import os
from collections.abc import Mapping, Sequence

from untilgreen import checkers
from untilgreen.checks.plan import planning
from untilgreen.checks.plan.planning import CheckScope
from untilgreen.checks.run import checking
from untilgreen.checks.run.checking import Look
from untilgreen.core import languages
from untilgreen.core.model.check import Check
from untilgreen.core.model.event import Place
from untilgreen.core.model.loop import Edits
from untilgreen.core.model.outcome import Broken, Clean, Diagnostic, Found, Result
from untilgreen.core.model.settings import Settings
from untilgreen.core.model.snapshot import Snapshot
from untilgreen.core.verdict import automatic, edited, measure, repeats
from untilgreen.core.verdict.measure import UNASKED
from untilgreen.loops.stop.payload import Call
from untilgreen.loops.unasked import red_tests
from untilgreen.loops.unasked.red_tests import Held
from untilgreen.project import trust
from untilgreen.project.tree import worktree
from untilgreen.settings import effective
from untilgreen.state import originals

_AT_ONCE = 8  # processes that look at copies


def held(
    call: Call,
    edits: Edits,
    settings: Settings,
    until: float,
    on_outcome: checking.OnOutcome,
    on_turn: checking.OnTurn,
) -> tuple[list[Held], list[str]]:
    """Each check with what holds of its findings; and why others did not do their work. `on_outcome` and `on_turn` as
    in `checking.run`."""
    place = call.place
    settings = settings._replace(checks={name: planning.unasked(one) for name, one in settings.checks.items()})
    files = tuple(path for path in edits.written if os.path.isfile(os.path.join(place.root, path)))
    trusted = trust.trusted(place.root, call.env)
    kinds = (*planning.STATIC, "tests") if "test_pass" in settings.unasked.auto_criteria else planning.STATIC
    scope = CheckScope(place.root, settings, UNASKED, call.env, trusted, near=files, unasked=kinds)
    scope = scope._replace(calls=effective.calls(place.root, call.env, keep=True) if trusted else ())
    planned = planning.plan(scope, worktree.files(place.root))
    if settings.unasked.auto == "new":
        planned = tuple(check for check in planned if check.stage == "tests" or concerned(check, files))
    looks = {
        c.name: Look(concerned(c, files))
        for c in planned
        if settings.unasked.auto == "new" and c.stage != "tests" and checkers.get(c.checker).files.by_file
    }
    results = checking.run(scope, planned, checking.Watch(until, on_outcome=on_outcome, on_turn=on_turn), looks)
    broken = [f"{check.name}: {result.reason}" for check, result in results if isinstance(result, Broken)]
    holding: list[Held] = []
    for check, result in results:
        if isinstance(result, Found | Clean) and check.stage == "tests":
            holding.append(red_tests.held(check, result, place, edits, settings))
        elif isinstance(result, Found | Clean):
            found = result.diagnostics if isinstance(result, Found) else ()
            new = _new(scope, place, check, found, files, until) if settings.unasked.auto == "new" else found
            seen = looks[check.name].files if check.name in looks else None
            counted = automatic.counting(found)
            known = tuple(key for key, one in counted if one.file in files)
            holding.append(Held(check, automatic.holding(counted, new, edits.let_go), result, seen, known))
    return holding, broken


def snapshot(held: Sequence[Held], iteration: int, now: str) -> Snapshot:
    """What holds, and nothing else."""
    holding = repeats.without([(one.check, key, found) for one in held for key, found in one.holding])
    holding.sort(key=lambda entry: measure.rank(entry[0], entry[2]))  # the order of a snapshot's items
    theirs = {one.check.name: tuple(found for check, _, found in holding if check is one.check) for one in held}
    results: tuple[Result, ...] = tuple(
        (one.check, Found(theirs[one.check.name]) if theirs[one.check.name] else Clean()) for one in held
    )
    measured = measure.snapshot(results, measure.Standard(UNASKED._replace(test_pass=True)), iteration, now)
    return automatic.named(measured, [key for _, key, _ in holding])


def seen(current: Snapshot, held: Sequence[Held], now: str) -> Snapshot:
    """`current` with all that the checks found, of what holds and of what does not."""
    return edited.after(current, [(one.check, one.result, one.files) for one in held], now)


def concerned(check: Check, files: tuple[str, ...]) -> tuple[str, ...]:
    """The files that a check has something to say about."""
    patterns = checkers.get(check.checker).files.patterns
    inside = (path for path in files if check.root == "." or path.startswith(check.root + "/"))
    return tuple(path for path in inside if languages.fits(path, patterns))


def _new(
    scope: CheckScope, place: Place, check: Check, found: tuple[Diagnostic, ...], files: tuple[str, ...], until: float
) -> tuple[Diagnostic, ...]:
    """What the session itself brought into the files that it wrote."""
    counting = [one for one in found if one.severity in ("error", "security")]
    theirs = {path: tuple(one for one in counting if one.file == path) for path in files}
    # the text before the session's first edit, and the one that was let go last; without them it is not
    # known what the file was like before
    copies = {path: kept for path in files if theirs[path] and (kept := originals.copies(place, path))}
    if checkers.get(check.checker).files.by_stdin:
        befores = _befores(scope, check, copies, until)
        return tuple(one for path in befores for one in automatic.more_than(theirs[path], *befores[path]))
    lines = {path: [_lines(copy) for copy in kept] for path, kept in copies.items()}
    return tuple(one for path in lines for one in theirs[path] if all(edited.is_new(one, old) for old in lines[path]))


def _befores(
    scope: CheckScope, check: Check, copies: Mapping[str, tuple[str, ...]], until: float
) -> dict[str, list[tuple[Diagnostic, ...]]]:
    """What the check finds in the copies of each file, some asked at once; no entry where it does not answer."""
    looks = {
        f"{check.name} {path} {number}": Look((path,), copy)
        for path, kept in copies.items()
        for number, copy in enumerate(kept)
    }
    planned = tuple(check._replace(name=name) for name in looks)
    results = [
        result
        for first in range(0, len(planned), _AT_ONCE)
        for result in checking.run(scope, planned[first : first + _AT_ONCE], checking.Watch(until), looks)
    ]
    said: dict[str, list[tuple[Diagnostic, ...]]] = {}
    for asked, result in results:
        if isinstance(result, Found | Clean):
            found = result.diagnostics if isinstance(result, Found) else ()
            (path,) = looks[asked.name].files
            said.setdefault(path, []).append(tuple(one._replace(check=check.name) for one in found))
    return {path: befores for path, befores in said.items() if len(befores) == len(copies[path])}


def _lines(copy: str) -> frozenset[str] | None:
    try:
        with open(copy, encoding="utf-8", errors="replace") as stream:
            return edited.lines_of(stream.read())
    except OSError:
        return None
