"""The hooks of an edit: the checks of their kinds on the files that were just written, kept in `current` and told to
their writer in one answer.

Whatever is wrong here changes no verdict: it is logged, and what was found is told all the same.
"""

import os
import time
from collections.abc import Iterator, Mapping, Sequence

from untilgreen import checkers
from untilgreen.checkers.checker import Files
from untilgreen.checks.plan import planning
from untilgreen.checks.plan.planning import CheckScope
from untilgreen.checks.run import one_at_a_time
from untilgreen.core import foreign, languages
from untilgreen.core.model.check import Check
from untilgreen.core.model.event import Edit
from untilgreen.core.model.groups import AskedFor, Rounds
from untilgreen.core.model.loop import SCHEMA_VERSION, Edits, Loop
from untilgreen.core.model.outcome import Broken, Found, Outcome, Result
from untilgreen.core.model.settings import Settings
from untilgreen.core.model.snapshot import Snapshot
from untilgreen.core.verdict import edited, measure
from untilgreen.core.verdict.identity import identify, of_set
from untilgreen.core.words.brief import Words
from untilgreen.loops.stop.payload import Call
from untilgreen.project import trust
from untilgreen.settings import effective
from untilgreen.state import catalogue, clock, locks, log, originals, sessions, store
from untilgreen.state.originals import Written

# of a check, by its kind
_SECONDS = {"lint": 10.0, "types": 5.0, "security": 10.0}
_LOCK = 2.0  # seconds that an edit waits for the state
_MOST = 5_000  # files of one session that are remembered


def answer(names: tuple[str, ...], edits: tuple[Edit, ...], call: Call, began: float) -> str:
    """What the hooks of these names say to edits. `began`: when this process was created. Raises store.Unreadable."""
    looked_at = (originals.of(edit, call.place, call.event.cwd) for edit in edits)
    files = {file.path: file for file in looked_at if file is not None}
    if not files:
        return ""
    running = store.known_here(call.place, call.event.session).running
    settings = running.settings if running else effective.effective(call.place.root, call.env, keep=True)
    if isinstance(settings, str):  # the configuration is broken: not every edit says so, the next stop does
        _keep(call, files)
        _record(call, files, ())
        return ""
    scope = _scope(call, settings, running)
    kinds, checks = {languages.HOOKS[name][0]: name for name in names}, dict[Check, tuple[str, ...]]()
    for path in files:
        for check in planning.for_file(scope, path, (*kinds,), running.checks.plan if running else ()):
            checks[check] = (*checks.get(check, ()), path)
    if not checks:
        return ""
    seconds = {check: float(call.options.get("deadline") or _SECONDS[_files(check).edit]) for check in checks}
    said = one_at_a_time.run(scope, checks, seconds, call.place.base, began)
    results = tuple((check, outcome) for check, outcome, _ in said if outcome is not None)
    _keep(call, files)
    # what waited for a slow check has its own time for the texts from before
    new = _new(scope, files, results, call, time.monotonic() + min(seconds.values()))
    lists = {
        " ".join((name, *files)): [one for one in new if _files(one[0]).edit == kind] for kind, name in kinds.items()
    }
    answers = [(check, one, paths) for check, one, paths in said if one is not None]
    silent, repeated = _record(call, files, answers, lists)
    words = catalogue.words(settings)
    first = measure.without_repeats([one for key, found in lists.items() if key not in repeated for one in found])
    told = [edited.feedback([one for *_, one in first], {path: file.before for path, file in files.items()}, words)]
    told += _undone(said, checks, seconds, silent, words)
    return "\n".join(filter(None, told))


def _scope(call: Call, settings: Settings, running: Loop | None) -> CheckScope:
    """What is to be checked: by the loop's criteria where one runs."""
    criteria = running.asked.completion_criteria if running else measure.UNASKED
    trusted = trust.trusted(call.place.root, call.env)
    return CheckScope(
        call.place.root,
        settings,
        criteria,
        call.env,
        trusted,
        running.checks.asked if running else {},
        calls=effective.calls(call.place.root, call.env, keep=True) if trusted else (),
        unasked=planning.STATIC,
        warm=call.place.base if settings.tools.warm else "",
    )


def _files(check: Check) -> Files:
    return checkers.get(check.checker).files


def _undone(
    said: Sequence[one_at_a_time.Answer],
    checks: Mapping[Check, tuple[str, ...]],
    seconds: Mapping[Check, float],
    silent: frozenset[str],
    words: Words,
) -> Iterator[str]:
    """A line for each check that did not do its work, or not in time."""
    for check, outcome, _ in said:
        about = {"check": check.name, "file": ", ".join(checks[check])}
        if outcome is None:
            yield foreign.one_line(words["edit_pending"].format(**about, seconds=f"{seconds[check]:g}"))
        elif isinstance(outcome, Broken) and check.name not in silent:
            yield foreign.one_line(words["edit_broken"].format(**about, reason=outcome.reason))


def _new(
    scope: CheckScope, files: Mapping[str, Written], results: tuple[Result, ...], call: Call, until: float
) -> list[measure.Finding]:
    """What this session brought into the files, by the rule of a stop without a loop. Where no text from before is
    kept, it is what stands on lines that this edit wrote; where nobody tells those, everything."""
    new: list[measure.Finding] = []
    for check, result in results:
        all_found = result.diagnostics if isinstance(result, Found) else ()
        if found := [one for one in all_found if one.severity != "info" and one.file in files]:
            from untilgreen.loops.unasked import new_findings  # most edits need no second look

            kept = [path for path in files if call.event.session and originals.copies(call.place, path)]
            theirs = [*new_findings.brought(scope, call.place, check, found, kept, until)]
            lines = {path: edited.lines_of(file.before) for path, file in files.items() if path not in kept}
            theirs += [one for one in found if one.file in lines and one.source not in (lines[one.file] or ())]
            new += [(check, "", one) for one in theirs]
    return new


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
    answers: Sequence[tuple[Check, Outcome, Sequence[str] | None]],
    told: Mapping[str, Sequence[measure.Finding]] = {},
) -> tuple[frozenset[str], frozenset[str]]:
    """Keep what the checks say, and of which files (None: of the whole root). The names of checks that were known to be
    broken, and the keys of `told` (who tells of which files) of which the same findings were told last: neither is said
    again."""
    nothing = frozenset[str]()
    if not call.event.session:
        return nothing, nothing
    now_told = {key: of_set(one for one, _ in identify([one for *_, one in found])) for key, found in told.items()}
    try:
        with sessions.locked(call.place, _LOCK):
            before = store.known_here(call.place, call.event.session)
            if store.is_foreign(call.place, before):
                return nothing, nothing
            loop = before.loop or _fresh(call)
            edits = before.edits or Edits(SCHEMA_VERSION, call.event.session, call.place.root)
            written, unjudged = (
                tuple(dict.fromkeys((*paths, *files)))[-_MOST:] for paths in (edits.written, edits.unjudged)
            )
            seen, now = loop.history.current or Snapshot(loop.rounds.iteration, loop.updated_at), clock.iso(time.time())
            repeated = frozenset(key for key, ids in now_told.items() if edits.told.get(key) == ids != "")
            known = edits.told | now_told
            edits = edits._replace(written=written, unjudged=unjudged)
            edits = edits._replace(told={one: known[one] for one in [*known][-_MOST:] if known[one]})
            store.save_edits(call.place, edits, durable=False)
            loop = loop.put(loop.history._replace(current=edited.after(seen, answers, now)))
            store.save(call.place, loop._replace(updated_at=now), durable=False)
    except (OSError, locks.Busy) as error:
        log.write(call.place.base, f"the edit of {', '.join(files)} was not recorded: {error!r}")
        return nothing, nothing
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
