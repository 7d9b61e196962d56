"""Which session a loop belongs to: waiting for the next one, taken over after `/clear`; and its user's prompts."""

import os
import time
from collections.abc import Mapping
from contextlib import suppress

from untilgreen.core.model.event import Event, Place, Session
from untilgreen.core.model.loop import SAID, Known, Loop
from untilgreen.core.verdict import wishes
from untilgreen.loops.rest import parking
from untilgreen.project import files
from untilgreen.state import log, seal, sessions, store
from untilgreen.state.place import EDITS, NEXT, OFF, ON, STATE, key_of, of

_TWICE = 3.0  # seconds within which an equal prompt is the same one


def known(place: Place) -> Known:
    """What is kept of the session; nothing where the state cannot be read."""
    return _look(place) or Known()


def _look(place: Place) -> Known | None:
    try:
        return store.known(place)
    except store.Unreadable as error:  # the next stop reports it
        log.write(place.base, str(error))
        return None


def waiting(base: str, root: str) -> list[tuple[str, Loop]]:
    """The loops of this project that wait, oldest first, each with its file. Raises store.Unreadable for one that was
    just put aside; skips one that must be left alone."""
    found = []
    for path in store.documents_in(os.path.join(base, NEXT)):
        try:
            loop = store.read_loop(path)
        except store.Unreadable as error:
            if not os.path.exists(path):
                raise
            log.write(base, str(error))
            continue
        if loop is not None and loop.project == root:
            found.append((path, loop))
    return found


def cancel_waiting(base: str, root: str, env: Mapping[str, str]) -> list[Loop]:
    """End the loops of this project that wait for the next session. Raises OSError."""
    from untilgreen.loops.rest.ending import cancelled

    ended = []
    for path, loop in waiting(base, root):
        with suppress(FileNotFoundError):  # a session took it just now; by its own id it can be ended there
            os.unlink(path)
            seal.put(env, seal.of_waiting(Place(root, base, NEXT), path), None)
            ended.append(cancelled(loop))
    return ended


def awaited(place: Place, event: Event) -> list[tuple[str, Loop]]:
    """As `waiting`: those for this session. One that was handed over waits for that host, and another session."""

    def is_for(loop: Loop) -> bool:
        return not loop.host or (loop.host == event.host and event.session not in loop.spent.sessions[-1:])

    return [(path, loop) for path, loop in waiting(place.base, place.root) if is_for(loop)]


def take_waiting(place: Place, event: Event, prompt: int, env: Mapping[str, str]) -> Loop | None:
    """Bind the oldest loop that waits for this session, whose prompt this is; None when none does."""
    from untilgreen.loops.rest.ending import make_room  # with all that checks need: only where a loop waits
    from untilgreen.state import memory

    for path, loop in awaited(place, event):
        os.makedirs(place.folder, mode=0o700, exist_ok=True)
        with sessions.locked(place):
            make_room(place, replace=True)
            try:
                os.rename(path, place.file(STATE))  # this binds it: one session gets it, whatever happens next
            except FileNotFoundError:
                continue
            bound = parking.going(loop, time.time())._replace(session_id=event.session, host=event.host)
            bound = bound.put(bound.turns._replace(own_prompt=prompt, prompts_at_start=prompt - 1, prompts_seen=prompt))
            waited = seal.of_waiting(place, path)
            sealed = seal.read(env, waited)
            store.save(place, bound)
            seal.begin(env, place, bound, by_hand=(*sealed.changed, *seal.changed(sealed, loop)) if sealed else ())
            seal.put(env, waited, None)
        for session in bound.spent.sessions[-1:]:  # one that was adopted left it there
            memory.move(of(place.root, place.base, session), place, bound)
        memory.record(place, bound, "bind", loop_id=bound.loop_id)
        return bound
    return None


def park(place: Place, client: str, env: Mapping[str, str]) -> None:
    """`/clear` ends this session: leave its running loop for the session that the same client begins next."""
    parking.park(place, env, parking.CLEARED)
    loop = store.read_loop(place.file(STATE))
    if loop is None or not loop.active:
        return
    folder = os.path.join(place.base, "parked")
    os.makedirs(folder, mode=0o700, exist_ok=True)
    store.write_text(os.path.join(folder, client), place.session, durable=False)


def take_over(place: Place, session_id: str, client: str, env: Mapping[str, str]) -> Loop | None:
    """After `/clear`: give the loop that this client parked to its new session."""
    note = os.path.join(place.base, "parked", client)
    try:
        parked = files.read(note, 200).decode("utf-8", "replace")
    except (FileNotFoundError, ValueError):
        return None
    if (parked != key_of(parked) and not parked.startswith("x-")) or "/" in parked:
        return None  # nothing that we wrote
    before = place._replace(session=parked)
    os.makedirs(place.folder, mode=0o700, exist_ok=True)
    with sessions.locked(before, 2.0), sessions.locked(place, 2.0):
        loop = store.read_loop(before.file(STATE))
        if loop is None or not loop.active or loop.project != place.root:
            return None
        # a pause of its user's stays one
        moved = parking.in_session(loop if loop.rest.paused else parking.going(loop), session_id)
        hand_over(before, place, loop, moved, env)
    os.unlink(note)
    for name in (ON, OFF):  # to its user it is the same session
        with suppress(FileNotFoundError):
            os.rename(before.file(name), place.file(name))
    from untilgreen.state import memory

    memory.record(place, moved, "move", loop_id=moved.loop_id, session=before.session)
    return moved


def hand_over(before: Place, place: Place, loop: Loop, moved: Loop, env: Mapping[str, str]) -> None:
    """Save the loop, as it is `moved`, in its new session with all that is its. Only under both sessions' locks."""
    from untilgreen.state import memory

    edits = store.read_edits(before)
    if edits is not None and store.read_edits(place) is None:
        store.save_edits(place, edits._replace(session_id=moved.session_id))
    store.save(place, moved)
    memory.move(before, place, moved)
    seal.put(env, place, resealed(env, before, loop, moved))
    seal.put(env, before, None)
    for name in (STATE, EDITS):
        with suppress(FileNotFoundError):
            os.unlink(before.file(name))


def resealed(env: Mapping[str, str], before: Place, loop: Loop, moved: Loop) -> seal.Seal | None:
    """The seal of a loop that lay in `before`, for the loop as it is moved: what was changed by hand stays known."""
    sealed = seal.read(env, before)
    if sealed is None:
        return None
    by_hand = dict.fromkeys((*sealed.changed, *seal.changed(sealed, loop)))
    return sealed._replace(parts=seal.of(moved), changed=tuple(by_hand))


def is_our_own(kept: Known, prompt: str) -> bool:
    """Whether the prompt is what we said at the last held stop: Copilot CLI, Qwen Code and Gemini CLI announce that as
    a prompt of the user's. They may lay its blanks out anew; only its beginning is kept."""

    def is_said(said: str) -> bool:
        fits = len(said) >= SAID or len(prompt.strip()) <= len(said)
        return fits and "".join(prompt[: len(said)].split()) == "".join(said.split())

    return any(
        one and one.history.last_output and is_said(one.history.last_output) for one in (kept.running, kept.held)
    )


def noted(place: Place, event: Event) -> bool:
    """Count the prompt where a loop ran or files were edited; whether a loop runs. Where the state is unreadable, one
    may."""
    kept = _look(place)
    if kept == Known():
        return False
    tree = ""  # of an edit it only counts which prompt it answers
    if kept is None or (kept.running is not None and store.is_ours(kept.running, place)):
        from untilgreen.state import noted

        tree = noted.fingerprint(place.root, place.base)
    note_prompt(place, event, tree, kept.held.turns.turn_id if kept and kept.held else "")
    return kept is None or kept.running is not None


def note_prompt(place: Place, event: Event, tree: str, held: str = "") -> Session:
    """Count the user's prompt. One with the id of the running turn, of a notification's or of the one that was `held`
    is typed into that turn, and begins none."""
    now, name = time.time(), _name(event)

    def counted(session: Session) -> Session:
        if _is_again(session, name, now):
            return session
        wish = wishes.of(event.prompt)
        session = session._replace(prompts=session.prompts + 1, newest=name, newest_at=now, wish=wish, ended_at="")
        if event.prompt_id and event.prompt_id in (session.turn_id, session.notified, held):
            return session
        return session._replace(turn=session.prompts, turn_id=event.prompt_id, turn_started=now, tree=tree)

    return store.change_session(place, counted)


def heard(place: Place, event: Event) -> bool:
    """Whether this very prompt was counted a moment ago: hooks that are registered twice hear everything twice."""
    return _is_again(store.read_session(place), _name(event), time.time())


def _is_again(session: Session, name: str, now: float) -> bool:
    return name == session.newest and 0 <= now - session.newest_at < _TWICE


def _name(event: Event) -> str:
    from untilgreen.core.verdict.identity import blake2b

    return f"{event.prompt_id} {blake2b(event.prompt.encode('utf-8', 'replace'), digest_size=8).hexdigest()}"
