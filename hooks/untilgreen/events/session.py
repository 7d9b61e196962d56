"""What session-loop does: slash commands as they were typed, the user's other prompts, `/clear`.

Most calls find no loop and end soon: what moves loops and looks at files is imported where it is needed.
"""

import os
import time

from untilgreen.core.model.event import Message, Reply, Session
from untilgreen.core.model.loop import Loop
from untilgreen.events.payload import Call, context, refusal, speak
from untilgreen.loops import ownership
from untilgreen.project import toplevel
from untilgreen.state import clock, store
from untilgreen.state.place import NEXT, is_folder


def answer(call: Call) -> Reply:
    """One event of a session."""
    if call.event.name == "prompt":
        return _prompt(call)
    if toplevel.refused(call.place.root, call.env) or not is_folder(call.place.base):
        return Reply()
    if call.event.name == "session-start":
        return _session_start(call)
    if call.event.name == "session-end":
        return _session_end(call)
    return Reply()


def _prompt(call: Call) -> Reply:
    commands = call.host.commands()
    if commands is not None and commands.is_ours(call.event.prompt, call.place.root, call.env):
        return _typed(call)
    if toplevel.refused(call.place.root, call.env) or not is_folder(call.place.base):
        return Reply()
    if call.event.notification:
        if ownership.known(call.place).held is not None:
            store.change_session(call.place, lambda before: before._replace(notified=call.event.prompt_id))
        return Reply()
    try:
        running = store.known(call.place).running
    except store.Unreadable:
        ownership.noted(call.place, call.event)
        raise
    if running is None:
        return Reply() if ownership.noted(call.place, call.event) else _take_waiting(call)
    from untilgreen.loops import pausing

    unheard = _is_unheard(running, store.read_session(call.place))
    try:
        heard = pausing.heard(call.place, call.event, call.env)
    finally:
        ownership.noted(call.place, call.event)
    if heard:
        return _told(call, heard.told, heard.loop)
    if not unheard:
        return Reply()
    from untilgreen.loops import announcing

    return context(call, *announcing.announced(running))


def _is_unheard(loop: Loop, session: Session) -> bool:
    """Whether somebody began it in a shell, for a session that was there, and this is its first prompt since."""
    live = session.started_at and not session.ended_at
    return bool(live) and loop.begun_by == "shell" and session.prompts == loop.prompts_at_start and not loop.snapshots


def _told(call: Call, what: str, loop: Loop) -> Reply:
    """What a prompt did to the loop, for its user; the agent hears that its task goes on."""
    from untilgreen.core import notices
    from untilgreen.state import catalogue

    words = catalogue.words(loop.settings.lang)
    if what == "cancelled":
        return speak(call, "allow", Message(notice=notices.cancelled(loop, words)))
    line = notices.spoken(loop, words, what)
    if what == "goes_on":
        return context(call, notices.still_running(loop), line)
    return speak(call, "allow", Message(notice=line))


def _typed(call: Call) -> Reply:
    """A slash command of ours; a plugin's Python may lack the packages that it needs."""
    from untilgreen.settings import packages

    missing = packages.missing()
    if missing:
        return refusal(call, missing)
    from untilgreen.events import typed

    return typed.answer(call)


def _take_waiting(call: Call) -> Reply:
    if not is_folder(os.path.join(call.place.base, NEXT)):
        return Reply()
    from untilgreen.project import worktree

    if not ownership.waiting(call.place.base, call.place.root):
        return Reply()
    tree = worktree.fingerprint(call.place.root, call.place.base)
    session = ownership.note_prompt(call.place, call.event, tree)
    loop = ownership.take_waiting(call.place, call.event.session, session.prompts, call.env)
    if loop is None:
        return Reply()
    from untilgreen.loops import announcing

    return context(call, *announcing.announced(loop))


def _client(call: Call) -> str:
    """The host's process id; older clients do not send it, but they start us themselves."""
    client = call.event.client
    return client if client.isascii() and client.isdecimal() else str(os.getppid())


def _session_start(call: Call) -> Reply:
    event, client, now, root = call.event, _client(call), clock.iso(time.time()), call.place.root
    store.change_session(
        call.place,
        lambda before: before._replace(client=client, started_at=before.started_at or now, ended_at="", project=root),
    )
    if event.source != "clear":
        return Reply()
    loop = ownership.take_over(call.place, event.session, client, call.env)
    if loop is None:
        return Reply()
    from untilgreen.core import notices

    return context(call, notices.still_running(loop, whole=True))


def _session_end(call: Call) -> Reply:
    if not is_folder(call.place.folder):
        return Reply()
    if call.event.source == "clear":
        ownership.park(call.place, _client(call), call.env)
    ended = clock.iso(time.time())
    store.change_session(call.place, lambda before: before._replace(ended_at=ended))
    return Reply()
