"""A stop of a session: admit, check, judge, save, speak. One road for the stop of a loop and for one without.

What differs between the two is a policy: `in_loop` and `without_loop`. Saved before spoken: a crash in between may
repeat advice, but never loses a count; and if a Continue cannot be saved the agent is let go.
"""

import os
import time
from contextlib import suppress

from untilgreen.core.model.check import kind_of
from untilgreen.core.model.event import Message, Reply
from untilgreen.core.model.loop import Allow, Known, Loop, Verdict
from untilgreen.core.model.settings import Settings
from untilgreen.core.verdict import policy
from untilgreen.core.words import brief
from untilgreen.loops.stop.payload import Call, marker_of, message_of, notice, notify, speak
from untilgreen.loops.stop.steps import Policy, Stop
from untilgreen.loops.stop.trace import BUSY, GONE, TOO_OLD, TWICE, Trace
from untilgreen.state import clock, locks, log, memory, noted, seal, store, under_way
from untilgreen.state.place import end_warm, is_folder

_LOCK = 10.0  # seconds that a stop waits for the state
_AGAIN = 5.0  # seconds in which another registration is called for a stop that was held
_SEEN = 2.0  # seconds in which a stop that holds the lock says so


def answer(call: Call, before: Known, trace: Trace) -> Reply:
    """The verdict, in the host's words. Raises store.Unreadable."""
    judge: Policy
    if before.running:
        from untilgreen.loops.stop import in_loop as judge
    else:
        from untilgreen.loops.unasked import without_loop as judge
    if reason := policy.not_ours(call.event):
        if before.running and not call.event.agent_id:
            _noted(call, rested=True)
        return trace.allowed(2, reason)
    settings = judge.settings(call, trace, before)
    if isinstance(settings, Reply):
        return settings
    if _is_held_by_another(call, before, trace.began):
        return trace.allowed(2, TWICE)
    try:
        lock = locks.acquire(call.place.file(under_way.STOP), 0)
    except locks.Busy as error:
        if _is_judged(call):
            return trace.allowed(2, BUSY)
        trace.decided(2, "unjudged", str(error))
        return notice(f"{error}; the stop was not judged", call)
    except OSError as error:
        stop = judge.begun(call, trace, before, settings)
        return judge.unsaved(stop, None, str(error)) if stop else trace.allowed(8, GONE)
    try:
        with seal.judging(call.env, call.place):
            known = store.known_here(call.place, call.event.session)
            return _alone(judge, judge.begun(call, trace, known, settings), call, trace, settings)
    finally:
        os.close(lock)


def _is_held_by_another(call: Call, before: Known, began: float) -> bool:
    """Whether another registration had just this stop judged: a host calls those of two scopes in turn. Asked without
    the lock, which the one that judges needs where it calls both at once."""
    loop = before.running or (before.edits.turn if before.edits else None)
    if loop is None or loop.clock.judged_by == call.by or loop.host not in ("", call.event.host):
        return False
    last = loop.clock.last_iteration_at or ""
    if not clock.iso(began - _AGAIN) <= last <= clock.iso(time.time()):
        return False
    # in between nobody spoke or worked; a registration may also be gone, and a loop have gone to another host
    if call.event.prompt_id not in ("", loop.turns.turn_id):
        return False
    if before.edits and not before.running:
        return all(map(clock.untouched(loop._replace(started_at=last)), before.edits.written))
    return loop.history.tree == noted.fingerprint(loop.project, call.place.base)


def _is_judged(call: Call) -> bool:
    """Whether it is a stop of ours that holds the lock, or did: anybody may lock a file that can be read."""
    until = time.monotonic() + _SEEN
    while time.monotonic() < until:
        found = seal.read(call.env, call.place)
        if found is None or seal.is_alive(found.judging):
            return True
        with suppress(locks.Busy, OSError):
            os.close(locks.acquire(call.place.file(under_way.STOP), 0))
            return True
        time.sleep(0.01)
    return False


def _alone(judge: Policy, stop: Stop | None, call: Call, trace: Trace, settings: Settings) -> Reply:
    """The stop under its stop lock."""
    if stop is None:
        return trace.allowed(8, GONE)
    # a clock that was put back says nothing: what lies in the future is no stop before this one
    if clock.iso(trace.began) <= (stop.loop.clock.last_iteration_at or "") <= clock.iso(time.time()):
        return trace.allowed(2, TOO_OLD)
    trace.passed(2)
    stop = stop._replace(said=marker_of(call, stop.loop.settings))
    trace.took(3)
    stop, verdict = judge.admitted(stop)
    if verdict is not None:
        return _answered(judge, stop, verdict)
    trace.passed(7)
    if stop.before.running and not stop.loop.history.snapshots:
        _noted(call, rested=False)
    seconds = float(call.options.get("deadline") or settings.deadline)
    stop, verdict = judge.decided(stop._replace(deadline=seconds, until=time.monotonic() + seconds))
    trace.took(verdict.step)
    return _answered(judge, stop, verdict)


def _answered(judge: Policy, stop: Stop, verdict: Verdict) -> Reply:
    """Save what the verdict says, then say it. Step 8: neither, when what was judged is another by now."""
    call, kind = stop.call, kind_of(verdict)
    loop, text, user = judge.words(stop, verdict)
    try:
        if not _saved(judge, stop, verdict, loop):
            return stop.trace.allowed(8, GONE)
    except (OSError, locks.Busy, store.Unreadable) as error:
        return judge.unsaved(stop, verdict, str(error))
    if stop.before.running and not loop.active:
        from untilgreen.checks.run import report_folder  # once a loop

        report_folder.drop(call.env, call.place.root)
        end_warm(call.place.base)
    stop.trace.judged(verdict, text or user)
    if not isinstance(verdict, Allow):
        seconds = {one["name"]: one["seconds"] for one in stop.trace.checks}
        but = brief.tell_against(stop.evidence.english, stop.evidence.but)
        memory.judged(call.place, loop, kind, call.event, but=but, seconds=seconds)
        if stop.before.running:
            matched = stop.said is not None and stop.said.kind == "complete"
            memory.keep(call.place, loop, memory.Exchange(text, message_of(call.event, call.place), matched))
            if loop.settings.memory.compress:
                from untilgreen.loops.heard import own_commands

                own_commands.compress(call.place, loop, call.env)
            notify(call, loop)
    elif loop.begun:
        _noted(call, rested=True)
    return speak(call, kind, Message(text, user, loop.settings.hold_style != "exit"))


def _noted(call: Call, *, rested: bool) -> None:
    """Note that the turn ends here: one that nothing ends was interrupted. Or that something came of it, even where it
    is interrupted now."""
    try:
        if store.read_session(call.place).turn:
            store.change_session(
                call.place, lambda one: one._replace(rested=one.turn) if rested else one._replace(stopped=one.turn)
            )
    except (OSError, locks.Busy) as error:
        log.write(call.place.base, f"the end of a turn was not noted: {error}")


def _saved(judge: Policy, stop: Stop, verdict: Verdict, loop: Loop) -> bool:
    """Save, unless what is known is no more what was judged. Raises OSError, locks.Busy, store.Unreadable."""
    place = stop.call.place
    if not is_folder(place.folder):
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
            if after.loop.active:
                seal.renew(stop.call.env, place, after.loop, now.loop)
            store.save(place, after.loop)
            if not after.loop.active:
                seal.put(stop.call.env, place, None)
    return True
