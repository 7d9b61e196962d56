"""A stop of a session whose loop runs: admit, run, judge, save, speak.

Saved before spoken: a crash in between may repeat advice, but never loses a count; and if a Continue cannot be
saved the agent is let go.
"""

import os
import time

from untilgreen.core import ending, notices, policy, report
from untilgreen.core.model import Allow, Kind, Loop, Message, Place, Release, Reply, Snapshot, Verdict
from untilgreen.core.report import Words
from untilgreen.events import last_message
from untilgreen.events.payload import Call, Said, running, speak
from untilgreen.events.trace import BUSY, CHECKS, GONE, TOO_OLD, Trace
from untilgreen.project import worktree
from untilgreen.state import catalogue, clock, locks, log, memory, store
from untilgreen.state.place import STATE

_LOCK = 10.0  # seconds that a stop waits for the state


def answer(said: Said, call: Call, trace: Trace) -> Reply:
    """The verdict, in the host's words. Raises store.Unreadable."""
    reason = policy.not_ours(said.event)
    if reason:
        return trace.allowed(2, reason)
    try:
        lock = locks.acquire(said.place.file("stop.lock"), 0)
    except locks.Busy:
        return trace.allowed(2, BUSY)
    except OSError as error:
        loop = running(said)
        if loop is None:
            return trace.allowed(8, GONE)
        words = catalogue.words(loop.settings.lang)
        return _unsaved(said, loop, Allow("no lock"), words, str(error), trace)
    try:
        loop = running(said)
        if loop is None:
            return trace.allowed(8, GONE)
        if (loop.last_iteration_at or "") >= clock.iso(trace.began):
            return trace.allowed(2, TOO_OLD)
        trace.passed(2)
        return _judged(said, call, loop, trace)
    finally:
        os.close(lock)


def _judged(said: Said, call: Call, before: Loop, trace: Trace) -> Reply:
    """The stop of a session with a running loop, alone under its stop lock."""
    began = trace.began
    settings = before.settings
    marker = last_message.marker_of(said, settings, before.completion_promise)
    trace.took(3)
    session = store.read_session(said.place)
    tree = worktree.fingerprint(before.project, (said.place.base,))
    trace.took(5)
    loop = _clocked(before, session.turn_started, began)
    loop, verdict = policy.admit(loop, session, said.event, marker, tree=tree, now=clock.iso(began))
    if verdict is not None:
        return _answer(said, before, loop, verdict, trace)
    trace.passed(7)
    loop, evidence = _evidence(loop, said, call, tree, trace)
    trace.passed(CHECKS)
    # the checks took their time: a prompt that came meanwhile goes first, too
    loop, users = policy.users_turn(loop, store.read_session(said.place), said.event, tree)
    if users:
        return _answer(said, before, loop, Allow(users, policy.STILL_RUNNING, 5), trace)
    loop = loop._replace(prompts_seen=session.prompts, turn_id=said.event.prompt_id)
    verdict = policy.judge(loop, evidence, marker, clock.iso(time.time()))
    if isinstance(verdict, Allow):  # what the checks leave behind (a lock file, a build) is nobody's work
        loop = loop._replace(tree_at_start=worktree.fingerprint(before.project, (said.place.base,)))
    trace.took(verdict.step)
    return _answer(said, before, loop, verdict, trace, evidence.but if loop.strict else evidence.weakened)


def _evidence(loop: Loop, said: Said, call: Call, tree: str, trace: Trace) -> tuple[Loop, policy.Evidence]:
    """What the checks say; a promise loop has none."""
    now = clock.iso(time.time())
    if loop.promise_only:
        return loop, policy.Evidence(Snapshot(loop.iteration, now), ran=True, tree=tree)
    from untilgreen.events import (  # half of what a stop imports, and not every stop comes this far
        evidence,
        still_wanted,
    )

    until = time.monotonic() + float(call.options.get("deadline") or loop.settings.deadline)
    idle = still_wanted.watch(loop, said, tree)
    return evidence.gather(loop, call.env, until, now, tree, idle=idle, told=trace.checked)


def _answer(
    said: Said,
    before: Loop,
    loop: Loop,
    verdict: Verdict,
    trace: Trace,
    weakened: tuple[str, ...] = (),
) -> Reply:
    """Save what the verdict says, then say it. Step 8: neither, when the loop is another by now."""
    words = catalogue.words(before.settings.lang)
    kind = verdict.kind
    if isinstance(verdict, Allow):
        prompt = said.event.prompt_id or f"prompt {store.read_session(said.place).prompts}"
        loop, user = _told(loop, prompt, verdict, words)
        text = ""
    elif isinstance(verdict, Release):
        loop, text, user = verdict.loop, ending.text(verdict.loop, words), ""
    else:
        loop, text = verdict.loop, report.continue_text(verdict.loop, words, weakened)
        user = notices.continue_notice(loop, words, weakened)
    try:
        if not _commit(said.place, before, loop._replace(last_output=text[:2_000])):
            return trace.allowed(8, GONE)
    except (OSError, locks.Busy, store.Unreadable) as error:
        return _unsaved(said, loop, verdict, words, str(error), trace)
    trace.judged(verdict, text or user)
    if not isinstance(verdict, Allow):
        memory.judged(said.place, loop, kind, text)
    return _speak(said, kind, text, user, before.settings.hold_style)


def _speak(said: Said, kind: Kind, text: str, user: str = "", style: str = "exit") -> Reply:
    return speak(said, kind, Message(text, user, style == "context"))


def _commit(place: Place, before: Loop, after: Loop) -> bool:
    """Save `after` if the state still holds the loop and the round that were judged."""
    if not os.path.isdir(place.folder):
        return False  # taken away, by uninstall or by hand: nobody's loop any more
    with locks.locked(place.file("state.lock"), _LOCK):
        now = store.read_loop(place.file(STATE))
        if now is None or not now.active or (now.loop_id, now.iteration) != (before.loop_id, before.iteration):
            return False
        spoken = time.time()
        if now.edited:
            from untilgreen.state import originals

            after = originals.settled(place, before, now, after, let_go=not after.active)
        if after.current is before.current:
            after = after._replace(current=now.current)
        if after.active:
            after = after._replace(round_started=spoken)
        if after.iteration > before.iteration:
            after = after._replace(last_iteration_at=clock.iso(spoken))
        store.save_loop(place.file(STATE), after)
    return True


def _unsaved(said: Said, loop: Loop, verdict: Verdict, words: Words, why: str, trace: Trace) -> Reply:
    """A loop that cannot count must not go on: the agent is let go, and told why as far as anybody can be."""
    reason = f"the state could not be saved: {why}"
    log.write(said.place.base, reason)
    if isinstance(verdict, Release):
        text = f"{ending.text(loop, words)}\nuntilgreen: {reason}"
    else:
        text = ending.text(policy.over(loop, "error", reason, loop.updated_at), words)
    trace.decided(12, "release", reason, text)
    return _speak(said, "release", text)


def _told(loop: Loop, prompt: str, verdict: Allow, words: Words) -> tuple[Loop, str]:
    """The user's line of an Allow, once for each prompt."""
    if not verdict.notice or loop.told == prompt:
        return loop, ""
    return loop._replace(told=prompt), notices.running_notice(loop, words)


def _clocked(loop: Loop, turn_started: float, now: float) -> Loop:
    """The loop with the round's time added: from its start, or from the prompt if that was later."""
    since = max(loop.round_started, turn_started)
    return loop._replace(elapsed_seconds=round(loop.elapsed_seconds + max(0.0, now - since), 3)) if since else loop
