"""How long the tests took when they last ran here, and what to set where that is more than a stop has for them."""

import os
from collections.abc import Collection, Iterator
from contextlib import suppress

from untilgreen.core.model.event import Place
from untilgreen.core.model.loop import Loop
from untilgreen.core.model.snapshot import Suite
from untilgreen.core.words.brief import Words
from untilgreen.state import store
from untilgreen.state.place import STATE

_LOOKED_AT = 5  # sessions; each loop takes over what the one before it knew
_UNREGISTERED = 540.0  # seconds of checks that the registration of a stop has room for unless it says more


def remembered(place: Place) -> dict[str, Suite]:
    """Check to its last whole run in this project, by the newest loops of its sessions."""
    from untilgreen.loops.begin import listing  # where a loop begins

    files = filter(os.path.exists, (one.file(STATE) for one in listing.sessions_of(place.base, place.root)))
    known: dict[str, Suite] = {}
    for path in sorted(files, key=os.path.getmtime, reverse=True)[:_LOOKED_AT]:
        with suppress(store.Unreadable):
            loop = store.look_at(path)
            known = (loop.history.suites if loop and loop.project == place.root else {}) | known
    return known


def too_slow(loop: Loop, words: Words, names: Collection[str] | None = None) -> Iterator[str]:
    """A line for each check of tests, or of `names`, that a stop has no time for, with the settings that help."""
    for check in loop.checks.plan:
        suite = loop.history.suites.get(check.name)
        if suite is None or check.absent or (names is not None and check.name not in names):
            continue
        from untilgreen.checks.plan import planning  # with all checkers: a loop without checks needs none

        own, deadline = planning.limit(loop.settings, check), loop.settings.deadline
        room = min(own, deadline)
        if not (suite.late or suite.seconds > room):
            continue
        # how long one that was ended takes is not known
        wanted = int(suite.seconds * (2 if suite.late else 1.25)) + 1
        key = check.name if check.checker == "custom" else check.checker
        cures = [f"checks.{key}.timeout = {wanted}"] if wanted > own else []
        cures += [f"deadline = {wanted}"] if wanted > deadline else []
        cures += [f"untilgreen init --stop-timeout {wanted * 10 // 9 + 1}"] if wanted > _UNREGISTERED else []
        if cures:
            numbers = {"seconds": f"{suite.seconds:.0f}", "room": f"{room:.0f}"}
            key = "was_ended" if suite.late else "took_long"
            yield words[key].format(check=check.name, cures=", ".join(cures), **numbers)
