"""The tests that an edit touches, run behind the agent's back: at most twenty, for ten seconds, one run at a time. What
turned red is in the answer of the next hook. It is a hint: it holds nobody, and lets nobody go.

A run is a process of its own (`affected_run`), for which no hook waits. The next edit, a run of the checks and the
session's end end it.
"""

import json
import os
import sys
import time

from untilgreen.core.model.event import Place
from untilgreen.core.model.loop import Loop
from untilgreen.core.model.outcome import TestId
from untilgreen.core.record import NamedTuple
from untilgreen.core.verdict.rounds import Hints
from untilgreen.loops.stop.payload import Call
from untilgreen.state import log, store

NEW, TOLD = "affected.json", "affected-told.json"  # in the session's folder
_LARGEST = 1_000_000  # bytes of a document
_SILENT = (".md", ".rst", ".lock")  # files that no test reads
_HERE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
# the package comes before site-packages and after the standard library
_CODE = f"""import sys
p = sys.path
p.insert([*(f.endswith('-packages') for f in p), True].index(True), {_HERE!r})
from untilgreen.loops.observed import affected_run
affected_run.main()
"""


class Turned(NamedTuple):
    """What an edit turned red: the lines for the agent, and check to its tests."""

    lines: tuple[str, ...] = ()
    red: dict[str, tuple[TestId, ...]] = {}


def after_edit(call: Call) -> str:
    """What earlier edits turned red, once; and a run begins for this one."""
    place, told = call.place, store.read_record(Turned, call.place.file(NEW), _LARGEST)
    if told:
        try:
            os.replace(place.file(NEW), place.file(TOLD))
        except OSError:
            told = None  # another hook tells it
    paths = [os.path.join(call.event.cwd or place.root, one.path) for one in call.event.edits]
    if call.event.session and not all(path.endswith(_SILENT) for path in paths):
        import subprocess

        given, null = json.dumps([time.time(), *place, *paths]), subprocess.DEVNULL
        words, env = (sys.executable, "-I", "-c", _CODE, given), {**call.env, "UNTILGREEN_DISABLE": "1"}
        try:
            process = subprocess.Popen(words, env=env, stdin=null, stdout=null, stderr=null, start_new_session=True)
            process.returncode = 0  # nobody waits for it
        except (OSError, ValueError) as error:
            log.write(place.base, f"no test ran for an edit: {error}")
    return "\n".join(told.lines) if told else ""


def red(place: Place) -> dict[str, tuple[TestId, ...]]:
    """Check to the tests that edits turned red, by the last run for one."""
    found = [store.read_record(Turned, place.file(name), _LARGEST) for name in (TOLD, NEW)]
    return {check: tests for one in found if one for check, tests in one.red.items()}


def at_stop(place: Place, loop: Loop) -> Hints:
    """What a stop runs first: what edits turned red; with `tests = "affected"` whatever the changes touch."""
    if loop.settings.tests != "affected":
        return Hints(red(place))
    from untilgreen.checks.run import impact_map

    tests = {one.name: impact_map.touched(place.base, place.root, one, None) for one in loop.checks.counting}
    return Hints(red(place), {name: [test for test, _ in some] for name, some in tests.items()})
