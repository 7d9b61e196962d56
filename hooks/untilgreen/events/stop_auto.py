"""The stop of a session that edits files and in which nobody began a loop (`auto` in the configuration).

"new": what the session itself put into the files that it wrote holds it; "all": every error and security finding of
the project does. Never tests, never a broken check, at most five rounds a prompt; and what was let go once never
holds again.
"""

import os
import time

from untilgreen.core import automatic, ending, notices, policy, report
from untilgreen.core.model import Allow, Continue, Loop, Message, Place, Release, Reply, Settings, Snapshot
from untilgreen.events import last_message, new_findings
from untilgreen.events.payload import Call, Said, known, notice, speak
from untilgreen.events.trace import BUSY, CHECKS, GONE, TOO_OLD, Trace
from untilgreen.loops import archive
from untilgreen.settings import effective
from untilgreen.state import catalogue, clock, locks, log, loop_ids, memory, originals, store
from untilgreen.state.place import STATE

_LOCK = 10.0  # seconds that a stop waits for the state
_SPOKEN = "the user has spoken"


def answer(said: Said, call: Call, trace: Trace) -> Reply:
    """The verdict on the stop of a session that wrote files since it was last let go. Raises store.Unreadable."""
    reason = policy.not_ours(said.event)
    if reason:
        return trace.allowed(2, reason)
    settings = effective.effective(said.place.root, call.env)
    if isinstance(settings, str):
        trace.decided(0, "unjudged", settings)
        told = isinstance(settings, effective.Unequipped)
        return Reply() if told else notice(f"{settings}; the stop was not judged", said)
    if settings.auto == "off":
        return trace.allowed(7, 'no loop runs, and the configuration says auto = "off"')
    try:
        lock = locks.acquire(said.place.file("stop.lock"), 0)
    except locks.Busy:
        return trace.allowed(2, BUSY)
    except OSError as error:
        return _unsaved(said, error, trace)
    try:
        loop = known(said)
        if loop is None or not loop.unjudged or (loop.last_iteration_at or "") >= clock.iso(trace.began):
            return trace.allowed(2, TOO_OLD)
        trace.passed(2)
        return _judged(said, call, loop, settings, trace)
    except (OSError, locks.Busy) as error:
        return _unsaved(said, error, trace)
    finally:
        os.close(lock)


def _unsaved(said: Said, error: Exception, trace: Trace) -> Reply:
    """What cannot count must not hold."""
    log.write(said.place.base, f"a stop without a loop was not judged: {error!r}")
    trace.decided(12, "allow", f"the state could not be saved: {error}")
    return notice(f"the state could not be saved: {error}; the stop was not judged", said)


def _judged(said: Said, call: Call, before: Loop, settings: Settings, trace: Trace) -> Reply:
    session = store.read_session(said.place)
    loop = _turn(said, before._replace(settings=settings), session.prompts)
    ended = _declared(said, loop, clock.iso(time.time()))
    trace.took(3)
    if ended is not None:
        return _answer(said, before, ended.loop, ended, trace)
    if loop.active and session.prompts > loop.prompts_seen:
        return trace.allowed(5, _SPOKEN)  # while the turn was held: it goes first
    waited = _waits(said, loop)
    if waited is not None:
        _commit(said.place, before, before._replace(waited=waited[0]), let_go=False)
        return trace.allowed(6, f"waiting for {waited[1]}")
    trace.passed(7)
    until = time.monotonic() + float(call.options.get("deadline") or settings.deadline)
    held, broken = new_findings.held(said.place, loop, call, until, trace.checked)
    trace.passed(CHECKS)
    if store.read_session(said.place).prompts > session.prompts:
        return trace.allowed(5, _SPOKEN)  # the checks took their time: a prompt that came meanwhile goes first, too
    now = clock.iso(time.time())
    verdict = automatic.judge(loop, new_findings.snapshot(held, loop.iteration, now), broken, now)
    judged = (verdict.loop if verdict is not None else before)._replace(
        current=new_findings.seen(before.current or Snapshot(loop.iteration, now), held, now),
        prompts_seen=session.prompts,
    )
    if not isinstance(verdict, Continue):  # all that there is now was let go, whether it ever held or not
        judged = judged._replace(let_go=(*before.let_go, *(key for one in held for key in one.known)))
    # what a broken check did not see is still to be judged
    unseen = bool(broken) and (verdict is None or judged.stop_reason == "complete")
    return _answer(said, before, judged, verdict, trace, seen=not unseen)


def _turn(said: Said, before: Loop, prompts: int) -> Loop:
    """The rounds of the prompt whose stop this is. Where the host names no prompt, one that was typed while the turn
    was held begins none: the host says that the turn goes on."""
    prompt = said.event.prompt_id or f"prompt {prompts}"
    goes_on = before.active and said.event.prompt_id == "" and said.event.turn_goes_on
    same = before.mode == "auto" and (before.turn_id == prompt or goes_on)
    return before if same else automatic.new_turn(before, prompt)


def _waits(said: Said, loop: Loop) -> tuple[dict[str, int], str] | None:
    """As `core.waiting.waiting`."""
    if not said.event.tasks:
        return None
    from untilgreen.core import waiting

    return waiting.waiting(said.event.tasks, loop.waited)


def _declared(said: Said, loop: Loop, now: str) -> Release | None:
    """The agent says that it is done, or cannot go on."""
    settings = loop.settings
    marker = last_message.marker_of(said, settings, settings.completion_promise)
    if marker is not None and marker.kind == "blocked":
        return Release(policy.over(loop, "blocked", marker.reason or "no reason given", now), 3)
    return Release(policy.declared(loop, now), 4) if marker is not None and settings.marker == "trust" else None


def _answer(
    said: Said,
    before: Loop,
    loop: Loop,
    verdict: Continue | Release | None,
    trace: Trace,
    *,
    seen: bool = True,
) -> Reply:
    """Save what the verdict says, then say it. `seen`: whether all that was written has been looked at."""
    settings = verdict.loop.settings if verdict is not None else before.settings
    words = catalogue.words(settings.lang)
    text = user = ""
    if isinstance(verdict, Continue):
        snapshot, earlier = loop.snapshots[-1], loop.snapshots[-2] if len(loop.snapshots) > 1 else None
        line = report.auto_headline(snapshot, words)
        text = f"{line}\n{report.body(earlier, snapshot, words, room=report.LIMIT - len(line) - 1)}".rstrip()
        user = notices.continue_notice(loop, words)
    elif isinstance(verdict, Release):
        text = ending.text(loop, words)
    loop = loop._replace(last_output=text[:2_000]) if verdict is not None else loop
    if not _commit(said.place, before, loop, let_go=seen and not isinstance(verdict, Continue)):
        return trace.allowed(8, GONE)
    if verdict is not None:
        memory.judged(said.place, loop, verdict.kind, text)
    trace.judged(verdict or Allow("nothing holds of what the session wrote", step=9), text)
    message = Message(text, user, settings.hold_style == "context")
    return speak(said, "allow" if verdict is None else verdict.kind, message)


def _commit(place: Place, before: Loop, after: Loop, *, let_go: bool) -> bool:
    """Save, unless a loop began or ended meanwhile; what was written since the checks began is still to be judged."""
    if not os.path.isdir(place.folder):
        return False  # taken away, by uninstall or by hand
    with locks.locked(place.file("state.lock"), _LOCK):
        now = store.read_loop(place.file(STATE))
        if now is None or (now.loop_id, now.active, now.auto_off) != (before.loop_id, before.active, before.auto_off):
            return False
        moment = time.time()
        if after.mode == "loop":  # nothing holds: the loop that is over stays as it is
            after = after._replace(settings=now.settings)
        else:
            after = after._replace(last_iteration_at=clock.iso(moment))
            if now.mode == "loop":
                archive.keep(place, now)
                after = after._replace(loop_id=loop_ids.fresh(place.base, moment), started_at=clock.iso(moment))
        store.save_loop(place.file(STATE), originals.settled(place, before, now, after, let_go=let_go))
    return True
