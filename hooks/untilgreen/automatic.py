"""The stop of a session that edits files and in which nobody began a loop (`auto` in the configuration).

"new": what the session itself put into the files that it wrote holds it; "all": every error and security finding of
the project does. Never tests, never a broken check, at most five rounds a prompt; and what was let go once never
holds again.
"""

import os
import time

from untilgreen import (
    archive,
    catalogue,
    clock,
    configured,
    declarations,
    identifiers,
    introduced,
    locks,
    log,
    memory,
    store,
    written,
)
from untilgreen.core import automatic, distinct, edited, ending, measure, notices, policy, report
from untilgreen.core.measure import UNASKED
from untilgreen.core.model import Clean, Continue, Found, Loop, Release, Reply, Settings, Snapshot
from untilgreen.core.scores import Result
from untilgreen.introduced import Held
from untilgreen.payload import Call, Said, known, notice
from untilgreen.store import Place

_LOCK = 10.0  # seconds that a stop waits for the state


def answer(said: Said, call: Call, began: float) -> Reply:
    """The verdict on the stop of a session that wrote files since it was last let go. Raises store.Unreadable."""
    if policy.not_ours(said.event):
        return Reply()
    settings = configured.effective(said.place.root, call.env)
    if isinstance(settings, str):
        return notice(f"{settings}; the stop was not judged")
    if settings.auto == "off":
        return Reply()
    try:
        lock = locks.acquire(said.place.file("stop.lock"), 0)
    except locks.Busy:
        return Reply()  # another stop of this session is being judged: they are one
    except OSError as error:
        return _unsaved(said, error)
    try:
        loop = known(said)
        if loop is None or not loop.unjudged or (loop.last_iteration_at or "") >= clock.iso(began):
            return Reply()
        return _judged(said, call, loop, settings)
    except (OSError, locks.Busy) as error:
        return _unsaved(said, error)
    finally:
        os.close(lock)


def _unsaved(said: Said, error: Exception) -> Reply:
    """What cannot count must not hold."""
    log.write(said.place.base, f"a stop without a loop was not judged: {error!r}")
    return notice(f"the state could not be saved: {error}; the stop was not judged")


def _judged(said: Said, call: Call, before: Loop, settings: Settings) -> Reply:
    session = store.read_session(said.place)
    loop = _turn(said, before._replace(settings=settings), session.prompts)
    ended = _declared(said, loop, clock.iso(time.time()))
    if ended is not None:
        return _answer(said, call, before, ended.loop, ended)
    if loop.active and session.prompts > loop.prompts_seen:
        return Reply()  # the user typed something while the turn was held: it goes first
    waited = _waits(said, loop)
    if waited is not None:
        _commit(said.place, before, before._replace(waited=waited), let_go=False)
        return Reply()
    until = time.monotonic() + float(call.options.get("deadline") or settings.deadline)
    held, broken = introduced.held(said.place, loop, call, until)
    if store.read_session(said.place).prompts > session.prompts:
        return Reply()  # the checks took their time: a prompt that came meanwhile goes first, too
    now = clock.iso(time.time())
    verdict = automatic.judge(loop, _snapshot(held, loop.iteration, now), broken, now)
    judged = (verdict.loop if verdict is not None else before)._replace(
        current=_seen(before.current or Snapshot(loop.iteration, now), held, now), prompts_seen=session.prompts
    )
    if not isinstance(verdict, Continue):  # all that there is now was let go, whether it ever held or not
        judged = judged._replace(let_go=(*before.let_go, *(key for one in held for key in one.known)))
    # what a broken check did not see is still to be judged
    unseen = bool(broken) and (verdict is None or judged.stop_reason == "complete")
    return _answer(said, call, before, judged, verdict, seen=not unseen)


def _turn(said: Said, before: Loop, prompts: int) -> Loop:
    """The rounds of the prompt whose stop this is. Where the host names no prompt, one that was typed while the turn
    was held begins none: the host says that the turn goes on."""
    prompt = said.event.prompt_id or f"prompt {prompts}"
    goes_on = before.active and said.event.prompt_id == "" and said.event.turn_goes_on
    same = before.mode == "auto" and (before.turn_id == prompt or goes_on)
    return before if same else automatic.new_turn(before, prompt)


def _waits(said: Said, loop: Loop) -> dict[str, int] | None:
    """How often each background task was waited for by now; None when there is nothing to wait for."""
    if not said.event.tasks:
        return None
    from untilgreen.core import waiting

    waited = waiting.waiting(said.event.tasks, loop.waited)
    return waited[0] if waited is not None else None


def _snapshot(held: list[Held], iteration: int, now: str) -> Snapshot:
    """What holds, and nothing else."""
    holding = [(one.check, key, found) for one in held for key, found in one.holding]
    once = distinct.told_once([(check, found) for check, _, found in holding])
    told = [entry for entry, kept in zip(holding, once, strict=True) if kept]
    theirs = {one.check.name: tuple(found for check, _, found in told if check is one.check) for one in held}
    results: tuple[Result, ...] = tuple(
        (one.check, Found(theirs[one.check.name]) if theirs[one.check.name] else Clean()) for one in held
    )
    snapshot = measure.snapshot(results, measure.Rules(UNASKED), iteration, now)
    return automatic.named(snapshot, [key for _, key, _ in told])


def _declared(said: Said, loop: Loop, now: str) -> Release | None:
    """The agent says that it is done, or cannot go on."""
    settings = loop.settings
    marker = declarations.marker_of(said, settings, settings.completion_promise)
    if marker is not None and marker.kind == "blocked":
        return Release(policy.over(loop, "blocked", marker.reason or "no reason given", now))
    return Release(policy.declared(loop, now)) if marker is not None and settings.marker == "trust" else None


def _seen(current: Snapshot, held: list[Held], now: str) -> Snapshot:
    """`current` with all that the checks found, of what holds and of what does not."""
    for one in held:
        found = one.result.diagnostics if isinstance(one.result, Found) else ()
        current = edited.refreshed(current, one.check.name, found, one.files, now)
    outcomes = {one.check.name: measure.outcome_name(one.result) for one in held}
    return current._replace(outcomes=current.outcomes | outcomes)


def _answer(
    said: Said, call: Call, before: Loop, loop: Loop, verdict: Continue | Release | None, *, seen: bool = True
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
        return Reply()
    if verdict is not None:
        memory.judged(said.place, loop, type(verdict).__name__.lower(), text)
    kind = type(verdict).__name__.lower() if verdict is not None else "allow"
    reply: Reply = said.host.write(said.event.name, kind, text, user, settings.hold_style, call.env)
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
