"""Other sessions at work in the same tree: what they alone wrote does not hold this one.

What is found in their files is theirs. A check that fails without naming a file, or by its tests, runs again with our
own edits alone, their files as the start had them: what is in order there is theirs, too.
"""

import json
import os
import time
from collections.abc import Collection, Iterator, Mapping, Sequence

from untilgreen.checks.plan.planning import CheckScope
from untilgreen.checks.run.checking import Watch
from untilgreen.checks.run.portions import Look
from untilgreen.core.model.check import Check
from untilgreen.core.model.event import Place
from untilgreen.core.model.outcome import Broken, Clean, Diagnostic, Found, Outcome, Result, TestId
from untilgreen.core.model.settings import CheckSetting
from untilgreen.core.record import NamedTuple
from untilgreen.core.trees import Tree, differing, without
from untilgreen.core.verdict import neighbours
from untilgreen.core.verdict.neighbours import ShellRun, Trail
from untilgreen.loops.stop.steps import Stop
from untilgreen.state import clock, journal, log, store
from untilgreen.state.place import EDITS, STATE, at, key_of, other_keys
from untilgreen.state.trees import TreeStore

_JOURNAL = "journal.jsonl"
_RECENT = 3600.0  # seconds: a session that was at work then is, where nobody can tell whether its host still runs


class Apart(NamedTuple):
    """The results as far as they are this session's, and those of others."""

    results: tuple[Result, ...]
    others: tuple[Result, ...] = ()
    whose: Mapping[str, str] = {}  #: file to the other session that alone wrote it
    before: Mapping[str, bytes | None] = {}  #: their texts at the start, as far as they changed; None where none was


def apart(stop: Stop, scope: CheckScope, results: tuple[Result, ...], took: Mapping[str, float], watch: Watch) -> Apart:
    """Whose these results are. `took`: check to the seconds it took. Raises processes.Interrupted, trust.Unread."""
    place, loop = stop.call.place, stop.loop
    had_it = {key_of(session) for session in loop.spent.sessions}
    others = _others(place, loop.started_at, had_it)
    if not others:
        return Apart(results)
    own, whose = _trail(place), dict[str, str]()
    for trail in (_trail(at(place.root, place.base, key)) for key in had_it):
        own = own._replace(edited={**own.edited, **trail.edited}, shells=(*own.shells, *trail.shells))

    def take(paths: Sequence[str]) -> None:
        for path in paths:
            if session := neighbours.owner(path, _changed(os.path.join(loop.project, path)), own, others):
                whose[path] = session

    take([one.file for _, outcome in results for one in _found(outcome) if one.file])
    start, now = loop.start.start_ref, stop.evidence.snapshot.ref
    if not (start and now):
        return _split(results, {}, whose)
    try:
        with TreeStore(place.base, loop.project) as objects:
            before, after = objects.tree(start), objects.tree(now)
            take(sorted(differing(before, after)))
            if not whose:
                return Apart(results)
            alone = without(after, before, whose)
            doubtful = [one for one in results if alone != after and _is_doubtful(*one, whose, loop.settings.checks)]
            said = _run_alone(scope, doubtful, took, watch, objects, alone)
            changed = [path for path in whose if before.get(path) != after.get(path)]
            texts = {path: objects.read(before[path].name) if path in before else None for path in changed}
    except OSError as error:  # it is not kept, or not any more: in doubt it is ours
        log.write(place.base, f"what this session's edits come to alone is not known: {error}")
        said, texts = {}, {}
    return _split(results, said, whose)._replace(before=texts)


def _found(outcome: Outcome) -> tuple[Diagnostic, ...]:
    return outcome.diagnostics if isinstance(outcome, Found) else ()


def _is_doubtful(check: Check, outcome: Outcome, whose: Mapping[str, str], own: Mapping[str, CheckSetting]) -> bool:
    """Whether the files that it names do not tell whose it is."""
    if check.absent or (check.name in own and own[check.name].pending):  # what is asked elsewhere says nothing here
        return False
    if isinstance(outcome, Broken):
        return not outcome.late
    return any(one.severity == "test" or not one.file or (one.hides and one.file in whose) for one in _found(outcome))


def _run_alone(
    scope: CheckScope,
    doubtful: Sequence[Result],
    took: Mapping[str, float],
    watch: Watch,
    objects: TreeStore,
    alone: Tree,
) -> dict[str, Outcome]:
    """Check to what it says of our own edits alone; no entry where that could not be had."""
    if not doubtful:
        return {}
    from untilgreen import checkers
    from untilgreen.checks.elsewhere import rerun
    from untilgreen.checks.elsewhere.materialise import KeptTree

    looks = dict[str, Look]()
    for check, outcome in doubtful:
        files = {one.file for one in _found(outcome)}
        by_file = check.checker != "custom" and checkers.get(check.checker).runner.select is not None
        if by_file and not _is_partial(outcome) and "" not in files and files.intersection(alone):
            looks[check.name] = Look(tests=tuple(TestId(file, "") for file in sorted(files.intersection(alone))))
    planned = [check for check, _ in doubtful]
    own = rerun.bounded(Watch(watch.until, watch.idle), (took.get(check.name, 0.0) for check in planned))
    ran = rerun.run(scope, planned, own, looks, KeptTree(alone, objects.content))
    known = ((check, outcome) for check, outcome in ran.results if not rerun.is_unknown(outcome))
    return {
        check.name: outcome
        for check, outcome in known
        if isinstance(outcome, Clean | Found) and not any(one.hides for one in _found(outcome))
    }


def _is_partial(outcome: Outcome) -> bool:
    """Whether it does not tell of all that fails."""
    partial = isinstance(outcome, Found) and outcome.not_run is not None
    return partial or isinstance(outcome, Broken) or any(one.hides for one in _found(outcome))


def _split(results: Sequence[Result], said: Mapping[str, Outcome], whose: Mapping[str, str]) -> Apart:
    """`said`: check to what it says of our own edits alone."""
    mine, others = list[Result](), list[Result]()
    for check, outcome in results:
        alone = said.get(check.name)
        if alone is not None and _is_partial(outcome):
            left, ours = alone, tuple(one for one in _found(alone) if one.file not in whose)
        else:
            seen = None if alone is None else {(one.file, one.rule) for one in _found(alone)}
            left, ours = outcome, tuple(one for one in _found(outcome) if _is_ours(one, whose, seen))
        if isinstance(outcome, Broken) and left is not outcome:
            others.append((check, outcome))
        elif isinstance(outcome, Found) and (theirs := tuple(one for one in outcome.diagnostics if one not in ours)):
            others.append((check, Found(theirs, failing=outcome.failing)))
        mine.append((check, _with_only(left, ours)))
    return Apart(tuple(mine), tuple(others), whose)


def _is_ours(found: Diagnostic, whose: Mapping[str, str], alone: set[tuple[str, str]] | None) -> bool:
    """`alone`: what our own edits alone come to, None where that is not known."""
    if found.severity != "test" and found.file:
        return found.file not in whose
    return alone is None or (found.file, found.rule) in alone


def _with_only(outcome: Outcome, ours: tuple[Diagnostic, ...]) -> Outcome:
    """What is left of it with these findings alone."""
    if not isinstance(outcome, Found) or ours == outcome.diagnostics:
        return outcome
    gone = sum(one.severity == "test" for one in outcome.diagnostics) - sum(one.severity == "test" for one in ours)
    tests = outcome.tests and outcome.tests._replace(failed=max(0, outcome.tests.failed - gone))
    severities = {one.severity for one in ours}
    failing = tuple(one for one in outcome.failing if one in severities)
    return outcome._replace(diagnostics=ours, tests=tests, failing=failing) if ours else Clean(tests)


# --- who is there, and what they wrote


def _others(place: Place, since: str, but: Collection[str]) -> list[Trail]:
    """The trails of the other sessions that live here, `but` these. `since`: when the loop began."""
    places = (at(place.root, place.base, key) for key in other_keys(place.base, place.session) if key not in but)
    since = min(since, clock.iso(time.time() - _RECENT))
    return [_trail(one) for one in places if _lives(one, since)]


def _lives(place: Place, since: str) -> bool:
    """Whether its session is at work here: it began and did not end, nor is its loop parked. Where nobody knows whether
    its host still runs, it was at work since `since`."""
    noted = [_changed(place.file(name)) for name in (EDITS, _JOURNAL)]
    if not any(noted):
        return False  # nobody knows that it wrote anything
    from untilgreen.loops.begin import listing

    session = store.read_session(place)
    if session.project not in ("", place.root) or listing.is_gone(session):
        return False
    try:
        loop = store.look_at(place.file(STATE))
    except store.Unreadable:
        return False
    if loop is not None and (loop.project not in ("", place.root) or (loop.active and loop.rest.parked)):
        return False
    return bool(session.started_at and session.client.isdecimal()) or clock.iso(max(noted)) >= since


def _trail(place: Place) -> Trail:
    """What the session wrote, as its hooks noted it."""
    edited, shells = dict[str, float](), list[ShellRun]()
    try:
        edits = store.look_at_edits(place)
        edited |= dict.fromkeys(edits.written if edits and edits.project in ("", place.root) else (), 0.0)
        lines = journal.observed(place)
    except (OSError, store.Unreadable) as error:
        log.write(place.base, f"what session {place.session} wrote is not known: {error}")
        lines = []
    for moment, entry in _entries(lines):
        if entry["event"] == "edit" and entry.get("ok"):
            edited[str(entry.get("file"))] = moment
        elif entry["event"] == "shell":
            seconds = entry.get("duration")
            began = moment - (seconds if isinstance(seconds, int | float) else 0)
            shells.append(ShellRun(began, moment, str(entry.get("command"))))
    return Trail(place.session, edited, shells)


def _entries(lines: Sequence[bytes]) -> Iterator[tuple[float, dict[str, object]]]:
    for line in lines:
        try:
            entry = json.loads(line)
            yield clock.milliseconds(entry["timestamp"]) / 1000, entry
        except (ValueError, LookupError, TypeError):
            continue


def _changed(path: str) -> float:
    """When the file was last written, in seconds since the epoch; 0 where none is there."""
    try:
        return os.lstat(path).st_ctime
    except (OSError, ValueError):
        return 0.0
