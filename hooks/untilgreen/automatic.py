"""The stop of a session that edits files and in which nobody began a loop (`auto` in the configuration).

"new": what the session itself put into the files that it wrote holds it; "all": every error and security finding of
the project does. Never tests, never a broken check, at most five rounds a prompt; and what was let go once never
holds again.
"""

import os
import time

from untilgreen import archive, catalogue, checkers, clock, config, identifiers, introduced, locks, log, store, written
from untilgreen.core import automatic, edited, ending, markers, measure, notices, policy, report
from untilgreen.core.measure import UNASKED, Result
from untilgreen.core.model import Clean, Continue, Found, Loop, Release, Reply, Snapshot
from untilgreen.payload import Call, Said, known, message_of, notice
from untilgreen.store import Place

_LOCK = 10.0  # seconds that a stop waits for the state


def answer(said: Said, call: Call, began: float) -> Reply:
    """The verdict on the stop of a session that wrote files since it was last let go. Raises store.Unreadable."""
    if policy.not_ours(said.event):
        return Reply()
    settings = config.effective(said.place.root, call.env)
    if isinstance(settings, str):
        return notice(f"{settings}; the stop was not judged")
    if settings.auto == "off":
        return Reply()
    try:
        lock = locks.acquire(said.place.file("stop.lock"), 0)
    except locks.Busy:
        return Reply()  # another stop of this session is being judged: they are one
    try:
        loop = known(said)
        if loop is None or not loop.unjudged or (loop.last_iteration_at or "") >= clock.iso(began):
            return Reply()
        return _judged(said, call, loop._replace(settings=settings))
    except OSError as error:
        log.write(said.place.base, f"a stop without a loop was not judged: {error!r}")
        return notice(f"the state could not be saved: {error}; the stop was not judged")
    finally:
        os.close(lock)


def _judged(said: Said, call: Call, before: Loop) -> Reply:
    session = store.read_session(said.place)
    prompt = said.event.prompt_id or f"prompt {session.prompts}"
    loop = before if before.mode == "auto" and before.turn_id == prompt else automatic.new_turn(before, prompt)
    if loop.active and _spoke(said, loop, session.prompts):
        return Reply()
    now = clock.iso(time.time())
    ended = _declared(said, loop, now) if loop.active else None
    if ended is None:
        if _waits(said):
            return Reply()
        until = time.monotonic() + float(call.options.get("deadline") or loop.settings.deadline)
        held, broken = introduced.held(said.place, loop, call, until)
        now = clock.iso(time.time())
        results: tuple[Result, ...] = tuple((check, Found(holds) if holds else Clean()) for check, holds, _ in held)
        snapshot = measure.snapshot(results, measure.Rules(UNASKED), loop.iteration, now)
        verdict = automatic.judge(loop, snapshot, broken, now)
        current: Snapshot | None = _seen(before.current or Snapshot(loop.iteration, now), held, now)
    else:
        verdict, current = ended, before.current
    loop = verdict.loop if verdict is not None else before
    return _answer(said, call, before, loop._replace(current=current, prompts_seen=session.prompts), verdict)


def _spoke(said: Said, loop: Loop, prompts: int) -> bool:
    """The user typed something while the turn was held: it goes first."""
    return prompts > loop.prompts_seen and (said.event.prompt_id != "" or said.event.turn_goes_on)


def _waits(said: Said) -> bool:
    if not said.event.tasks:
        return False
    from untilgreen.core import waiting

    return waiting.waiting(said.event.tasks, {}) is not None


def _declared(said: Said, loop: Loop, now: str) -> Release | None:
    """A held agent that says that it is done, or cannot go on."""
    settings = loop.settings
    marker = markers.find(
        message_of(said.event, said.place), settings.completion_promise, settings.success_regex, settings.blocked_regex
    )
    if marker is not None and marker.kind == "blocked":
        return Release(policy.over(loop, "blocked", marker.reason or "no reason given", now))
    return Release(policy.declared(loop, now)) if marker is not None and settings.marker == "trust" else None


def _seen(current: Snapshot, held: list[introduced.Held], now: str) -> Snapshot:
    for check, _, result in held:
        found = result.diagnostics if isinstance(result, Found) else ()
        files = None if not checkers.get(check.checker).by_file else {one.file for one in found}
        current = edited.refreshed(current, check.name, found, files, now)
    return current


def _answer(said: Said, call: Call, before: Loop, loop: Loop, verdict: Continue | Release | None) -> Reply:
    """Save what the verdict says, then say it."""
    words = catalogue.words(before.settings.lang)
    text = user = ""
    if isinstance(verdict, Continue):
        snapshot, earlier = loop.snapshots[-1], loop.snapshots[-2] if len(loop.snapshots) > 1 else None
        line = report.auto_headline(snapshot, words)
        text = f"{line}\n{report.body(earlier, snapshot, words, room=report.LIMIT - len(line) - 1)}".rstrip()
        user = notices.continue_notice(loop, words)
    elif isinstance(verdict, Release):
        text = ending.text(loop, words)
    if not _commit(
        said.place, before, loop._replace(last_output=text[:2_000]), let_go=not isinstance(verdict, Continue)
    ):
        return Reply()
    kind = type(verdict).__name__.lower() if verdict is not None else "allow"
    reply: Reply = said.host.write(said.event.name, kind, text, user, before.settings.hold_style, call.env)
    return reply


def _commit(place: Place, before: Loop, after: Loop, *, let_go: bool) -> bool:
    """Save, unless a loop began or ended meanwhile; what was written since the checks began is still to be judged."""
    with locks.locked(place.file("state.lock"), _LOCK):
        now = store.read_loop(place.file(store.STATE))
        if now is None or (now.loop_id, now.active, now.auto_off) != (before.loop_id, before.active, before.auto_off):
            return False
        moment = time.time()
        if after.mode == "loop":  # nothing holds: the loop that is over stays as it is
            after = after._replace(settings=now.settings)
        else:
            after = after._replace(last_iteration_at=clock.iso(moment))
            if now.mode == "loop":
                archive.keep(place, now)
                after = after._replace(loop_id=identifiers.fresh(place.base, moment), started_at=clock.iso(moment))
        store.save_loop(place.file(store.STATE), written.settled(place, before, now, after, let_go=let_go))
    return True
