"""The process that runs the tests which an edit touches (`affected` starts it), and keeps what turned red."""

import json
import os
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress

from untilgreen import checkers
from untilgreen.checks.plan import planning
from untilgreen.checks.plan.planning import CheckScope
from untilgreen.checks.run import checking, impact_map
from untilgreen.checks.run.portions import Look
from untilgreen.core import document, foreign
from untilgreen.core.model.check import Check
from untilgreen.core.model.event import Place
from untilgreen.core.model.loop import Loop
from untilgreen.core.model.outcome import Clean, Found, TestId
from untilgreen.core.verdict import affected as choice
from untilgreen.core.verdict import edited
from untilgreen.core.words.brief import counted
from untilgreen.loops.observed import affected
from untilgreen.loops.unasked import new_findings
from untilgreen.project import trust
from untilgreen.project.tree import worktree
from untilgreen.project.tree.layout import below_any
from untilgreen.settings import effective
from untilgreen.state import catalogue, locks, log, store, under_way

_SECONDS, _WORTH = 10.0, 8.0  # of a run; of its tests by their last times
_FAST = 10.0  # seconds of a suite that runs although nobody began a loop


def main() -> None:
    """Run them if no newer run is there. Whatever goes wrong is in the log."""
    moment, root, base, session, *paths = json.loads(sys.argv[1])
    with suppress(OSError, locks.Busy), impact_map.alone(base, moment):
        os.nice(5)
        try:
            _look(Place(root, base, session), [os.path.relpath(path, root) for path in paths], os.environ)
        except Exception as error:  # noqa: BLE001 nobody waits for a hint
            log.write(base, f"the tests that an edit touches did not run: {type(error).__name__}: {error}")


def _look(place: Place, paths: Sequence[str], env: Mapping[str, str]) -> None:
    """Run the tests that these files touch, and keep what turned red: what failed neither when all tests ran last, nor
    at the last stop, nor was told since. Raises whatever goes wrong."""
    loop = store.known(place).running
    asked = _asked(place, loop, paths, env)
    looks = {check.name: look for check in (asked[1] if asked else ()) if (look := _touching(place, check, paths))}
    if asked is None or not looks:
        return
    scope, checks = asked[0], [check for check in asked[1] if check.name in looks]
    results = checking.run(scope, checks, checking.Watch(time.monotonic() + _SECONDS), looks)
    known = [suite for check in checks if (suite := impact_map.suite(place.base, check))]
    old = {test for tests in (*affected.red(place).values(), *(suite.failed for suite in known)) for test in tests}
    items = loop.history.newest.items if loop and loop.history.newest else ()
    old |= {TestId(item.file, item.rule) for item in items}
    found = [one for _, result in results if isinstance(result, Found) for one in result.diagnostics]
    shown = [one for one in found if one.severity == "test" and TestId(one.file, one.rule) not in old]
    if shown:
        ran = sum(result.tests.run for _, result in results if isinstance(result, Clean | Found) and result.tests)
        of, words = max(ran, sum(suite.tests for suite in known)), catalogue.words(scope.settings)
        head = counted(words, "edit_red", len(shown), file=", ".join(paths), ran=f"{ran:,}", of=f"{of:,}")
        lines = (foreign.one_line(head), *edited.feedback(shown, {}, words).split("\n")[1:])
        red = {one.check: tuple(TestId(o.file, o.rule) for o in shown if o.check == one.check) for one in shown}
        text = json.dumps(document.dump(affected.Turned(lines, red)))
        store.write_text(place.file(affected.NEW), text, durable=False)
    elif all(isinstance(result, Clean) for _, result in results):
        with suppress(FileNotFoundError):  # what was red is not any more
            os.unlink(place.file(affected.TOLD))


def _asked(
    place: Place, loop: Loop | None, paths: Sequence[str], env: Mapping[str, str]
) -> tuple[CheckScope, list[Check]] | None:
    """The checks whose tests are on and may run here, in a loop those that it asks for; None where none do."""
    settings = loop.settings if loop else effective.effective(place.root, env)
    if isinstance(settings, str) or settings.tests == "whole" or not trust.trusted(place.root, env):
        return None
    if loop:
        return planning.scope_of(loop, env), [one for one in loop.checks.counting if one.stage == "tests"]
    if "off" in (settings.unasked.auto, settings.unasked.auto_tests):
        return None
    scope = new_findings.scope_of(place.root, settings, env, tuple(paths))._replace(unasked=("tests",))
    last = under_way.last_times(place.base) if settings.unasked.auto_tests == "fast" else {}
    planned = planning.plan(scope, worktree.files(place.root))
    return scope, [one for one in planned if one.stage == "tests" and last.get(one.name, 0.0) <= _FAST]


def _touching(place: Place, check: Check, paths: Sequence[str]) -> Look | None:
    """What a check is to run for these files; None for nothing, or where no run of all its tests was seen."""
    if check.checker == "custom" or impact_map.suite(place.base, check) is None:
        return None
    if checkers.get(check.checker).runner.touching:
        theirs = tuple(path for path in paths if below_any(path, (check.root,)))
        return Look(touching=theirs) if theirs else None
    tests, seconds = list[TestId](), 0.0
    for test, took in impact_map.touched(place.base, place.root, check, paths)[: choice.MOST]:
        seconds += took
        tests += [test] if seconds <= _WORTH or not tests else []
    return Look(tests=tuple(tests)) if tests else None
