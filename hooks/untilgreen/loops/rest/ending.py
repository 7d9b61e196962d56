"""Ending loops: cancelled by the commands and by session-loop, or making room for the next one."""

import os
import time
from collections.abc import Mapping
from contextlib import suppress

from untilgreen.core.errors import UserError
from untilgreen.core.model.event import Place
from untilgreen.core.model.loop import SCHEMA_VERSION, Edits, Loop
from untilgreen.core.record import Literal
from untilgreen.core.verdict import policy
from untilgreen.core.words import brief, notices
from untilgreen.state import catalogue, clock, journal, memory, seal, sessions, store
from untilgreen.state.place import STATE, end_warm

_SWITCHED_OFF = "cancel-loop in a shell switched off stops without a loop, for this session"


def make_room(place: Place, replace: bool) -> Loop | None:
    """Archive the session's last loop and return it as it was; a running one only to `replace` it. A stop that is held
    without a loop is held no more."""
    last = store.read_loop(place.file(STATE))
    for name in os.listdir(place.folder):
        if name.endswith(".tmp"):  # what a killed process left half written
            with suppress(FileNotFoundError):  # or one that lives finished just now
                os.unlink(place.file(name))
    if last is not None and last.active and not replace:
        why = f"a loop is running in this session (round {last.rounds.iteration} of {last.settings.max_iterations})"
        raise UserError(why, "end it with cancel-loop, or start with --replace")
    edits = store.read_edits(place)
    if edits is not None and edits.held:
        store.save_edits(place, edits._replace(turn=None))
    if last is None or not last.begun:
        return None
    over = last
    if last.active:
        over = cancelled(last)
        memory.record(place, over, "cancel", loop_id=last.loop_id)
    os.makedirs(place.file("loops"), mode=0o700, exist_ok=True)
    store.save_loop(place.file(f"loops/{last.loop_id}.json"), over)
    return last


def replacing(place: Place, loop: Loop, env: Mapping[str, str], *, replace: bool) -> Loop:
    """Make room for the loop, which learns whose place it takes: a running one's, or one's whose user was not told of
    its end. Only under the session's lock."""
    last, sealed = make_room(place, replace), seal.read(env, place)
    ran = last is not None and last.active
    named = brief.named(last) if last and ran else sealed.loop if sealed else ""
    if not named:
        return loop
    from untilgreen.core.verdict import attempts

    return attempts.succeeding(loop, last if ran or (last and named.startswith(f"{last.loop_id} ")) else None, named)


def told(loop: Loop) -> str:
    """The line of a loop that its user ended, in the words that it speaks."""
    return notices.tell(loop, catalogue.words(loop.settings), "cancelled")


def nothing(loop: Loop | None, root: str, env: Mapping[str, str], where: Literal["here", "in_session"]) -> str:
    """The line of a cancel that found no loop, in the newest one's words, else the configuration's."""
    from untilgreen.settings import effective

    settings = loop.settings if loop else effective.effective(root, env)
    words = catalogue.words() if isinstance(settings, str) else catalogue.words(settings)
    return words["no_loop"].format(where=words[where])


def cancelled(loop: Loop) -> Loop:
    return policy.over(loop, "cancelled", "Cancelled by user", clock.iso(time.time()))


def leave_alone(place: Place, loop: Loop, turn: Loop | None = None) -> None:
    """Switch off stops without a loop, for the session of this one. Only under the session's lock. Raises OSError."""
    edits = store.read_edits(place) or Edits(SCHEMA_VERSION, loop.session_id, loop.project)
    store.save_edits(place, edits._replace(off=True, unjudged=(), turn=turn))


def cancel(place: Place, env: Mapping[str, str], *, told: bool) -> Loop | None:
    """Cancel the session's running loop, or what holds it without one; None when nothing does. Stops without a loop are
    switched off for the session. Wins over a stop that still checks. `told`: its user sees it now. Raises OSError."""
    if not os.path.isdir(place.folder):
        return None
    with sessions.locked(place):
        known = store.known(place)
        held = known.held
        if held is None:
            return None
        over = cancelled(held)
        unsaid = brief.gone("was cancelled from a shell", brief.named(held)) if known.running else _SWITCHED_OFF
        former = known.edits.turn if known.edits else None
        leave_alone(place, held, over if known.running is None else former)
        if known.running:
            store.save(place, over)
        if told:
            seal.put(env, place, None)
        else:
            sessions.leave_word(place, env, unsaid, of=known.running)
    if known.running:
        from untilgreen.checks.run import report_folder

        report_folder.drop(env, place.root)
        end_warm(place.base)
        memory.record(place, over, "cancel", loop_id=over.loop_id)
    else:
        journal.append(place, "cancel", over.updated_at, loop_id=over.loop_id)
    return over
