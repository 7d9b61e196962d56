"""A stop of a session: admit, check, judge, save, speak. One road for the stop of a loop and for one without.

What differs between the two is a policy: `in_loop` and `without_loop`. Saved before spoken: a crash in between may
repeat advice, but never loses a count; and if a Continue cannot be saved the agent is let go.
"""

import os
import time
from typing import NamedTuple, Protocol

from untilgreen.core import policy
from untilgreen.core.markers import Marker
from untilgreen.core.model import (
    Allow,
    Known,
    Loop,
    Message,
    Reply,
    Session,
    Settings,
    Verdict,
)
from untilgreen.core.policy import Evidence
from untilgreen.events import last_message
from untilgreen.events.payload import Call, known, speak
from untilgreen.events.trace import BUSY, CHECKS, GONE, TOO_OLD, Trace
from untilgreen.state import clock, locks, memory, store

TYPE_CHECKING = False
if TYPE_CHECKING:
    from untilgreen.events.new_findings import Held

_LOCK = 10.0  # seconds that a stop waits for the state


class Arrival(NamedTuple):
    """A stop as it comes: who asks, and what is known of the session then."""

    call: Call
    trace: Trace
    before: Known
    settings: Settings = Settings()


class Stop(NamedTuple):
    """A stop on its way to a verdict: what came, and what was learned since."""

    call: Call
    trace: Trace
    #: what was known of the session when it came
    before: Known
    #: what is judged: the loop that runs, or the rounds of this prompt
    loop: Loop
    session: Session
    #: the marker that closes the agent's last message
    said: Marker | None = None
    #: the work tree's fingerprint, "" where nobody asks
    tree: str = ""
    #: what the checks brought, None before they ran
    evidence: Evidence | None = None
    #: without a loop: what each check found
    held: "tuple[Held, ...]" = ()
    #: without a loop: a check did not do its work, and what it did not see is still to be judged
    unseen: bool = False


class Policy(Protocol):
    """What is particular to the stop of a loop, or to one without."""

    def settings(self, arrival: Arrival, /) -> Settings | Reply:
        """The settings that are in force, or what is answered where nothing is judged."""

    def begun(self, arrival: Arrival, /) -> Stop | None:
        """The stop; None where there is nothing to judge any more."""

    def admitted(self, stop: Stop, /) -> tuple[Stop, Verdict | None]:
        """Steps 3 to 6. No verdict means: run the checks."""

    def checked(self, stop: Stop, until: float, /) -> tuple[Stop, Evidence]:
        """What the checks say; `until` is of the monotonic clock."""

    def judged(self, stop: Stop, evidence: Evidence, /) -> tuple[Stop, Verdict]:
        """Step 5 again, for a prompt that came while the checks ran, and steps 9 to 12."""

    def words(self, stop: Stop, verdict: Verdict, /) -> tuple[Loop, str, str]:
        """The loop as it is to be saved; what is said to whom the verdict is for, and to the user beside that."""

    def same(self, before: Known, now: Known, /) -> bool:
        """Step 8: whether what was judged is still what is known."""

    def settled(self, stop: Stop, now: Known, verdict: Verdict, loop: Loop, moment: float, /) -> Known:
        """What is to be known from now on; `moment`: in seconds since the epoch."""

    def unsaved(self, stop: Stop, verdict: Verdict | None, why: str, /) -> Reply:
        """What is said where nothing can be counted: the agent is let go."""


def answer(call: Call, before: Known, trace: Trace) -> Reply:
    """The verdict, in the host's words. Raises store.Unreadable."""
    judge = _policy(before)
    if reason := policy.not_ours(call.event):
        return trace.allowed(2, reason)
    arrival = Arrival(call, trace, before)
    settings = judge.settings(arrival)
    if isinstance(settings, Reply):
        return settings
    arrival = arrival._replace(settings=settings)
    try:
        lock = locks.acquire(call.place.file("stop.lock"), 0)
    except locks.Busy:
        return trace.allowed(2, BUSY)
    except OSError as error:
        stop = judge.begun(arrival)
        return judge.unsaved(stop, None, str(error)) if stop else trace.allowed(8, GONE)
    try:
        return _alone(judge, arrival._replace(before=known(call)))
    finally:
        os.close(lock)


def _policy(before: Known) -> Policy:
    if before.running:
        from untilgreen.events import in_loop

        return in_loop
    from untilgreen.events import without_loop

    return without_loop


def _alone(judge: Policy, arrival: Arrival) -> Reply:
    """The stop under its stop lock."""
    call, trace, stop = arrival.call, arrival.trace, judge.begun(arrival)
    if stop is None:
        return trace.allowed(8, GONE)
    if (stop.loop.last_iteration_at or "") >= clock.iso(trace.began):
        return trace.allowed(2, TOO_OLD)
    trace.passed(2)
    stop = stop._replace(said=last_message.marker_of(call, stop.loop.settings))
    trace.took(3)
    stop, verdict = judge.admitted(stop)
    if verdict is not None:
        return _answered(judge, stop, verdict)
    trace.passed(7)
    until = time.monotonic() + float(call.options.get("deadline") or arrival.settings.deadline)
    stop, evidence = judge.checked(stop, until)
    trace.passed(CHECKS)
    stop, verdict = judge.judged(stop._replace(evidence=evidence), evidence)
    trace.took(verdict.step)
    return _answered(judge, stop, verdict)


def _answered(judge: Policy, stop: Stop, verdict: Verdict) -> Reply:
    """Save what the verdict says, then say it. Step 8: neither, when what was judged is another by now."""
    call, kind = stop.call, verdict.kind
    loop, text, user = judge.words(stop, verdict)
    try:
        if not _saved(judge, stop, verdict, loop):
            return stop.trace.allowed(8, GONE)
    except (OSError, locks.Busy, store.Unreadable) as error:
        return judge.unsaved(stop, verdict, str(error))
    stop.trace.judged(verdict, text or user)
    if not isinstance(verdict, Allow):
        memory.judged(call.place, loop, kind, text)
    return speak(call, kind, Message(text, user, loop.settings.hold_style == "context"))


def _saved(judge: Policy, stop: Stop, verdict: Verdict, loop: Loop) -> bool:
    """Save, unless what is known is no more what was judged."""
    place = stop.call.place
    if not os.path.isdir(place.folder):
        return False  # taken away, by uninstall or by hand
    with locks.locked(place.file("state.lock"), _LOCK):
        now = store.known(place)
        if not judge.same(stop.before, now):
            return False
        after = judge.settled(stop, now, verdict, loop, time.time())
        # the edits first: that of a loop which is over counts, and only its own document says that it is
        if after.edits is not None and after.edits is not now.edits:
            store.save_edits(place, after.edits)
        if after.loop is not None and after.loop is not now.loop:
            store.save(place, after.loop)
    return True
