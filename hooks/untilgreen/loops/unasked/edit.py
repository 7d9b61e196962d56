"""An edit hook: the checks of one kind on the files that were just written, kept in `current` and told to
their writer.

Whatever is wrong here changes no verdict: it is logged, and what was found is told all the same.
"""

import os
import time
from collections.abc import Mapping

from untilgreen.checks.plan import planning
from untilgreen.checks.plan.planning import CheckScope
from untilgreen.checks.run import checking, one_at_a_time
from untilgreen.checks.run.portions import Look
from untilgreen.core import foreign, languages
from untilgreen.core.model.check import Check
from untilgreen.core.model.event import Edit, Place, Reply
from untilgreen.core.model.groups import AskedFor, Rounds
from untilgreen.core.model.loop import SCHEMA_VERSION, Edits, Loop
from untilgreen.core.model.outcome import Broken, Diagnostic, Found, Result
from untilgreen.core.model.settings import Settings
from untilgreen.core.model.snapshot import Snapshot
from untilgreen.core.verdict import edited, measure
from untilgreen.core.verdict.identity import identify, of_set
from untilgreen.core.words.brief import Words
from untilgreen.loops.stop.payload import Call, context
from untilgreen.project import trust
from untilgreen.settings import effective
from untilgreen.state import catalogue, clock, locks, log, originals, sessions, store
from untilgreen.state.originals import Written

_SECONDS = {"lint": 10.0, "types": 5.0, "security": 10.0}
_LOCK = 2.0  # seconds that an edit waits for the state
_MOST = 5_000  # files of one session that are remembered


def answer(name: str, edits: tuple[Edit, ...], call: Call, began: float) -> Reply:
    """What the hook `name` says to these edits. `began`: when this process was created. Raises store.Unreadable."""
    kind, _ = languages.HOOKS[name]
    looked_at = (originals.of(edit, call.place, call.event.cwd) for edit in edits)
    files = {file.path: file for file in looked_at if file is not None}
    if not files:
        return Reply()
    running = store.known_here(call.place, call.event.session).running
    settings = running.settings if running else effective.effective(call.place.root, call.env, keep=True)
    if isinstance(settings, str):  # the configuration is broken: not every edit says so, the next stop does
        _keep(call, files)
        _record(call, files, (), {})
        return Reply()
    scope = _scope(call, settings, running, kind)
    checks: dict[Check, tuple[str, ...]] = {}
    for path in files:
        for check in planning.for_file(scope, path, kind, running.checks.plan if running else ()):
            checks[check] = (*checks.get(check, ()), path)
    if not checks:
        return Reply()
    seconds = float(call.options.get("deadline") or _SECONDS[kind])
    until = time.monotonic() + seconds
    results, pending = _run(scope, checks, call.place, until, began)
    _keep(call, files)
    new = _new(scope, files, results, call, until)
    silent, repeated = _record(call, files, results, checks, (" ".join((name, *files)), new))
    words = catalogue.words(settings)
    told = [edited.feedback(() if repeated else new, {path: file.before for path, file in files.items()}, words)]
    told += _failed(results, checks, silent, words)
    for check in pending:
        late = words["edit_pending"].format(check=check.name, file=", ".join(checks[check]), seconds=f"{seconds:g}")
        told.append(foreign.one_line(late))
    text = "\n".join(filter(None, told))
    return context(call, text) if text else Reply()


def _scope(call: Call, settings: Settings, running: Loop | None, kind: str) -> CheckScope:
    """What is to be checked: by the loop's criteria where one runs."""
    criteria = running.asked.completion_criteria if running else measure.UNASKED
    trusted = trust.trusted(call.place.root, call.env)
    return CheckScope(
        call.place.root,
        settings,
        criteria._replace(zero_security=criteria.zero_security or kind == "security"),
        call.env,
        trusted,
        running.checks.asked if running else {},
        calls=effective.calls(call.place.root, call.env, keep=True) if trusted else (),
        unasked=planning.STATIC,
    )


def _run(
    scope: CheckScope, checks: Mapping[Check, tuple[str, ...]], place: Place, until: float, began: float
) -> tuple[tuple[Result, ...], tuple[Check, ...]]:
    """What the checks say, and those that have not answered."""
    by_file = tuple(filter(_by_file, checks))
    looks = {check.name: Look(checks[check]) for check in by_file}
    results = checking.run(scope, by_file, checking.Watch(until), looks) if by_file else ()
    others = [check for check in checks if check not in by_file]
    alone = [(check, one_at_a_time.run(scope, check, place.base, until, began)) for check in others]
    ended = tuple((check, outcome) for check, outcome in alone if outcome is not None)
    return (*results, *ended), tuple(check for check, outcome in alone if outcome is None)


def _by_file(check: Check) -> bool:
    from untilgreen import checkers

    return checkers.get(check.checker).files.by_file


def _failed(
    results: tuple[Result, ...], checks: Mapping[Check, tuple[str, ...]], silent: frozenset[str], words: Words
) -> list[str]:
    """A line for each check that did not do its work."""
    return [
        foreign.one_line(words["edit_broken"].format(check=one.name, file=", ".join(checks[one]), reason=result.reason))
        for one, result in results
        if isinstance(result, Broken) and one.name not in silent
    ]


def _new(
    scope: CheckScope, files: Mapping[str, Written], results: tuple[Result, ...], call: Call, until: float
) -> tuple[Diagnostic, ...]:
    """What this session brought into the files, by the rule of a stop without a loop. Where no text from before is
    kept, it is what stands on lines that this edit wrote; where nobody tells those, everything."""
    new: list[Diagnostic] = []
    for check, result in results:
        all_found = result.diagnostics if isinstance(result, Found) else ()
        if found := [one for one in all_found if one.severity != "info" and one.file in files]:
            from untilgreen.loops.unasked import new_findings  # most edits need no second look

            kept = [path for path in files if call.event.session and originals.copies(call.place, path)]
            new += new_findings.brought(scope, call.place, check, found, kept, until)
            lines = {path: edited.lines_of(file.before) for path, file in files.items() if path not in kept}
            new += [one for one in found if one.file in lines and one.source not in (lines[one.file] or ())]
    return tuple(new)


def _keep(call: Call, files: Mapping[str, Written]) -> None:
    """Keep the texts from before the session's first edit."""
    if not call.event.session:
        return
    try:
        os.makedirs(call.place.folder, mode=0o700, exist_ok=True)
        for file in files.values():
            originals.keep(call.place, file)
    except OSError as error:
        log.write(call.place.base, f"the text of {', '.join(files)} from before was not kept: {error!r}")


def _record(
    call: Call,
    files: Mapping[str, Written],
    results: tuple[Result, ...],
    checks: Mapping[Check, tuple[str, ...]],
    told: tuple[str, tuple[Diagnostic, ...]] = ("", ()),
) -> tuple[frozenset[str], bool]:
    """Keep what the checks say. The names of checks that were known to be broken, and whether the same findings were
    told last (`told`: who tells them, and of which files): neither is said again."""
    if not call.event.session:
        return frozenset(), False
    now_told = of_set(one for one, _ in identify(told[1]))
    try:
        with sessions.locked(call.place, _LOCK):
            before = store.known_here(call.place, call.event.session)
            if store.is_foreign(call.place, before):
                return frozenset(), False
            loop = before.loop or _fresh(call)
            edits = before.edits or Edits(SCHEMA_VERSION, call.event.session, call.place.root)
            written, unjudged = (
                tuple(dict.fromkeys((*paths, *files)))[-_MOST:] for paths in (edits.written, edits.unjudged)
            )
            seen, now = loop.history.current or Snapshot(loop.rounds.iteration, loop.updated_at), clock.iso(time.time())
            repeated, known = edits.told.get(told[0]) == now_told != "", edits.told | {told[0]: now_told}
            edits = edits._replace(written=written, unjudged=unjudged)
            edits = edits._replace(told={one: known[one] for one in [*known][-_MOST:] if known[one]})
            store.save_edits(call.place, edits, durable=False)
            answers = [(check, one, checks[check] if _by_file(check) else None) for check, one in results]
            loop = loop.put(loop.history._replace(current=edited.after(seen, answers, now)))
            store.save(call.place, loop._replace(updated_at=now), durable=False)
    except (OSError, locks.Busy) as error:
        log.write(call.place.base, f"the edit of {', '.join(files)} was not recorded: {error!r}")
        return frozenset(), False
    broken = (name for name, outcome in seen.outcomes.items() if outcome == "broken")
    return frozenset(broken), repeated


def _fresh(call: Call) -> Loop:
    """What is kept of a session in which nobody began a loop."""
    now = time.time()
    return Loop(
        schema_version=SCHEMA_VERSION,
        loop_id=store.fresh_id(call.place.base, now),
        active=False,
        session_id=call.event.session,
        started_at=clock.iso(now),
        updated_at=clock.iso(now),
        task_description="",
        asked=AskedFor((), measure.UNASKED),
        rounds=Rounds(1),
        status="waiting",
        project=call.place.root,
    )
