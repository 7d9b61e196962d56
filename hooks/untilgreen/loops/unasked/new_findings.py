"""What a session brought into the files that it wrote: findings now against findings in the texts from before, and the
tests that it turned red.

A checker that reads a text from stdin is asked about those texts, too; for others a finding is new where its line is.
"""

import os
import re
import time
from collections.abc import Mapping, Sequence

from untilgreen import checkers
from untilgreen.checks.plan import planning
from untilgreen.checks.plan.planning import CheckScope
from untilgreen.checks.run import checking
from untilgreen.checks.run.portions import Look
from untilgreen.core import languages
from untilgreen.core.model.check import Check
from untilgreen.core.model.event import Place
from untilgreen.core.model.loop import Edits
from untilgreen.core.model.outcome import Broken, Clean, Diagnostic, Found, Result
from untilgreen.core.model.settings import CheckSetting, Settings
from untilgreen.core.model.snapshot import Snapshot
from untilgreen.core.record import NamedTuple
from untilgreen.core.verdict import automatic, edited, measure
from untilgreen.core.verdict.identity import identify
from untilgreen.core.verdict.measure import UNASKED
from untilgreen.loops.stop.payload import Call
from untilgreen.project import files as project_files
from untilgreen.project import trust
from untilgreen.project.tree.layout import below_any
from untilgreen.settings import effective
from untilgreen.state import originals

_AT_ONCE = 8  # processes that look at copies
_FAST, _CUT = 10.0, 15.0  # seconds of tests that run although nobody asked for them, and until they are ended
_LARGEST = 1024 * 1024  # bytes of a test file that is read


class Held(NamedTuple):
    """A check that came to its end, and what holds of what it found."""

    check: Check
    holding: tuple[tuple[str, Diagnostic], ...]  #: with their identities
    result: Found | Clean  #: all that it found
    files: tuple[str, ...] | None  #: what it looked at, None for its whole root
    known: tuple[str, ...]  #: the identities of all that counts in the files that the session wrote


def held(
    call: Call, edits: Edits, settings: Settings, until: float, on_outcome: checking.OnOutcome, on_turn: checking.OnTurn
) -> tuple[list[Held], list[str]]:
    """Each check with what holds of its findings; and why others did not do their work."""
    from untilgreen.project.tree import worktree  # an edit asks for what is new, and for no list of all files

    place, only_new, tests = call.place, settings.unasked.auto == "new", settings.unasked.auto_tests
    files = tuple(path for path in edits.written if os.path.isfile(os.path.join(place.root, path)))
    scope = scope_of(place.root, settings, call.env, files, keep=True)
    if tests != "off" and (only_new or tests != "fast"):
        scope = scope._replace(unasked=(*planning.STATIC, "tests"))
    planned = planning.plan(scope, worktree.files(place.root))
    if tests == "fast":
        scope, planned = _with_fast_tests(scope, planned, place.base)
    looks = dict[str, Look]()
    if only_new:
        planned = tuple(check for check in planned if check.stage == "tests" or concerned(check, files))
        static = (c for c in planned if c.stage != "tests" and checkers.get(c.checker).files.by_file)
        looks = {c.name: Look(concerned(c, files)) for c in static}
    watch = checking.Watch(until, on_outcome=on_outcome, on_turn=on_turn, hints=place.base)
    results = checking.run(scope, planned, watch, looks)
    said = results if tests != "fast" else [one for one in results if one[0].stage != "tests"]
    broken = [f"{check.name}: {result.reason}" for check, result in said if isinstance(result, Broken)]
    holding: list[Held] = []
    for check, result in results:
        if isinstance(result, Found | Clean) and check.stage == "tests":
            holding.append(_held_tests(check, result, place, edits, settings))
        elif isinstance(result, Found | Clean):
            found = result.diagnostics if isinstance(result, Found) else ()
            errors = tuple(one for one in found if one.severity in ("error", "security"))
            new = brought(scope, place, check, errors, files, until) if only_new else found
            seen = looks[check.name].files if check.name in looks else None
            counted = automatic.counting(found)
            known = tuple(key for key, one in counted if one.file in files)
            holding.append(Held(check, automatic.holding(counted, new, edits.let_go), result, seen, known))
    return holding, broken


def _with_fast_tests(scope: CheckScope, planned: Sequence[Check], base: str) -> tuple[CheckScope, tuple[Check, ...]]:
    """The checks without the tests whose last run took longer; those that are left, and new ones, have little time."""
    if all(check.stage != "tests" for check in planned):
        return scope, tuple(planned)
    from untilgreen.state import under_way

    last = under_way.last_times(base)
    kept = tuple(check for check in planned if check.stage != "tests" or last.get(check.name, 0.0) <= _FAST)
    own = scope.settings.checks
    short = {c.name: own.get(c.name, CheckSetting())._replace(timeout=_CUT) for c in kept if c.stage == "tests"}
    return scope._replace(settings=scope.settings._replace(checks={**own, **short})), kept


def scope_of(
    root: str, settings: Settings, env: Mapping[str, str], near: tuple[str, ...], *, keep: bool = False
) -> CheckScope:
    """The static checks of a project in which nobody asked for any. `keep` as in `effective.calls`."""
    settings = settings._replace(checks={name: planning.unasked(one) for name, one in settings.checks.items()})
    trusted = trust.trusted(root, env)
    calls = effective.calls(root, env, keep=keep) if trusted else ()
    return CheckScope(root, settings, UNASKED, env, trusted, near=near, calls=calls, unasked=planning.STATIC)


def snapshot(held: Sequence[Held], iteration: int, now: str) -> Snapshot:
    """What holds, and nothing else."""
    holding = measure.without_repeats([(one.check, key, found) for one in held for key, found in one.holding])
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
    return tuple(path for path in files if below_any(path, (check.root,)) and languages.fits(path, patterns))


def brought(
    scope: CheckScope, place: Place, check: Check, found: Sequence[Diagnostic], files: Sequence[str], until: float
) -> tuple[Diagnostic, ...]:
    """What of these the session itself brought into the files that it wrote."""
    theirs = {path: tuple(one for one in found if one.file == path) for path in files}
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
    results = list[Result]()
    if scope.warm:
        from untilgreen.checks.run import warm

        answers = {one: warm.ask(scope, check, looks[one.name], until - time.monotonic()) for one in planned}
        results = [(one, answer[0]) for one, answer in answers.items() if answer]
        planned = tuple(one for one in planned if not answers[one])
    results += [
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


def _held_tests(check: Check, result: Found | Clean, place: Place, edits: Edits, settings: Settings) -> Held:
    """What holds of a run of tests. A failing test holds where it did not fail when the tests of this session were
    looked at before, or where the session made its file. What failed at the first look may have failed before the
    session's first edit: it never holds. A test that is called otherwise now may be one that failed before: no more of
    them hold than there are more."""
    found = result.diagnostics if isinstance(result, Found) else ()
    failing = tuple((key, one) for key, one in identify(found) if one.severity == "test")
    let_go, before = frozenset(edits.let_go), edits.tested.get(check.name)
    new = [(key, one) for key, one in failing if key not in let_go]
    if before is None:
        made = frozenset(path for path in edits.written if originals.was_empty(place, path))
        new = [(key, one) for key, one in new if one.file in made]
    else:
        new = new[: max(0, len(failing) - before)]
    affected = tuple(
        (key, one) for key, one in new if settings.unasked.auto_tests != "affected" or _affected(place, one.file, edits)
    )
    return Held(check, affected, result, None, tuple(key for key, _ in failing))


def looked_at(edits: Edits, held: tuple[Held, ...], let_go: bool) -> Edits:
    """The edits, and how many tests failed. At the first look what does not hold never will; a look behind which
    other tests may be hidden is none."""
    tested, old = dict(edits.tested), []
    for one in held:
        found = one.result.diagnostics if isinstance(one.result, Found) else ()
        hides = any(each.hides for each in found if each.severity == "test")
        if one.check.stage != "tests" or hides or not (let_go or one.check.name not in tested):
            continue
        holding = frozenset() if let_go else frozenset(key for key, _ in one.holding)
        tested[one.check.name] = len(one.known) - len(holding)
        old += [key for key in one.known if key not in holding]
    return automatic.remembered(edits._replace(tested=tested), old)


def _affected(place: Place, path: str, edits: Edits) -> bool:
    """Whether the session wrote this file of tests, or it names a file that the session wrote."""
    if not path or path in edits.written:
        return True
    try:
        full = os.path.join(place.root, path)
        with open(full, encoding="utf-8", errors="replace", opener=project_files.followed) as stream:
            text = stream.read(_LARGEST)
    except OSError:
        return True
    names = {os.path.basename(one).partition(".")[0] for one in edits.written}
    names |= {os.path.basename(os.path.dirname(one)) for one in edits.written if "/" in one}
    return any(re.search(rf"\b{re.escape(name)}\b", text) for name in names if name)
