"""What session-loop does: slash commands, other prompts, how sessions begin and end. Most calls find no loop and end
soon: what moves loops and looks at files is imported where it is needed."""

import os
import time

from untilgreen.core.model.event import Message, Reply, Session, TurnFailure
from untilgreen.core.model.loop import Loop
from untilgreen.loops.begin import ownership
from untilgreen.loops.rest import parking
from untilgreen.loops.stop.payload import Call, context, notify, refusal, speak
from untilgreen.state import clock, store
from untilgreen.state.place import HINTS, NEXT, end_warm, is_folder


def answer(call: Call) -> Reply:
    commands = call.host.commands() if call.event.name == "prompt" else None
    if commands is not None and commands.is_ours(call.event.prompt, call.place.root, call.env):
        return _typed(call)
    answers = {"prompt": _prompt, "session-start": _session_start, "session-end": _session_end, "failure": _failed}
    answers |= {"interrupt": _interrupted}
    heard = call.event.name in answers and not call.refused and is_folder(call.place.base)
    return answers[call.event.name](call) if heard else Reply()


def _prompt(call: Call) -> Reply:
    if call.event.notification:
        if ownership.known(call.place).held is not None:
            store.change_session(call.place, lambda before: before._replace(notified=call.event.prompt_id))
        return Reply()
    try:
        kept = store.known(call.place)
    except store.Unreadable:
        ownership.noted(call.place, call.event)
        raise
    if ownership.is_our_own(kept, call.event.prompt):
        return Reply()
    running = kept.running
    if running is None:
        return Reply() if ownership.noted(call.place, call.event) else take_waiting(call)
    session = store.read_session(call.place)
    # somebody began it in a shell, for a session that was there, and this is its first prompt since
    first = session.prompts == running.turns.prompts_at_start and not running.history.snapshots
    unheard = running.begun_by == "shell" and first and session.started_at != "" and not session.ended_at
    try:
        heard = parking.heard(call.place, call.event, call.env)
    finally:
        ownership.noted(call.place, call.event)
    if heard:
        return _told(call, heard)
    if not unheard:
        return Reply()
    from untilgreen.loops.heard import announcing

    return context(call, *announcing.announced(running))


def _told(call: Call, heard: parking.Heard) -> Reply:
    """What a prompt did to the loop, for its user; the agent hears that its task goes on."""
    from untilgreen.core.words import notices
    from untilgreen.state import catalogue

    loop = heard.loop
    words = catalogue.words(loop.settings)
    if heard.told == "cancelled":
        return speak(call, "allow", Message(notice=notices.tell(loop, words, "cancelled")))
    parked = [words["it_was"].format(parked=heard.parked)] if heard.parked else []
    line = notices.tell(loop, words, heard.told, *parked)
    if heard.told != "goes_on":
        return speak(call, "allow", Message(notice=line))
    how = catalogue.context(loop.context)
    return context(call, notices.still_running(loop, whole=loop.turns.own_prompt < 0, how=how), line)


def _typed(call: Call) -> Reply:
    """A slash command of ours; a plugin's Python may lack the packages that it needs."""
    from untilgreen.settings import packages

    missing = packages.missing()
    if missing:
        return refusal(call, missing)
    from untilgreen.loops.heard import typed

    return typed.answer(call)


def take_waiting(call: Call) -> Reply:
    """The loop that waits for the next session, if one does: it is this one's from now on."""
    if not is_folder(os.path.join(call.place.base, NEXT)):
        return Reply()
    from untilgreen.state import noted

    if not ownership.awaited(call.place, call.event):
        return Reply()
    tree = noted.fingerprint(call.place.root, call.place.base)
    session = ownership.note_prompt(call.place, call.event, tree)
    loop = ownership.take_waiting(call.place, call.event, session.prompts, call.env)
    if loop is None:
        return Reply()
    if loop.history.snapshots:  # another session's, that somebody gave away
        return _told(call, parking.Heard("goes_on", loop.put(loop.turns._replace(own_prompt=-1))))
    from untilgreen.loops.heard import announcing

    return context(call, *announcing.announced(loop))


def _client(call: Call) -> str:
    """The host's process id; older clients do not send it, but they start us themselves."""
    client = call.event.client
    return client if client.isascii() and client.isdecimal() else str(os.getppid())


def _session_start(call: Call) -> Reply:
    event, client, now, root = call.event, _client(call), clock.iso(time.time()), call.place.root
    anew = event.source not in ("clear", "compact")

    def begun(before: Session) -> Session:
        known = before._replace(started_at=before.started_at or now, ended_at="", project=root, orphan_told=False)
        if client != before.client:
            known = known._replace(client=client, client_since=now)
        # whatever turn there was ended with the process before this one: nobody interrupted it
        return known._replace(began_in=event.cwd, client_since=now, rested=before.turn) if anew else known

    store.change_session(call.place, begun)
    notice = _orphans(call) if anew else ""
    loop = _forgotten(call, client)
    if loop is None:
        return speak(call, "allow", Message(notice=notice)) if notice else Reply()
    from untilgreen.core.words import memory, notices
    from untilgreen.loops.heard import announcing
    from untilgreen.state.memory import known

    kept = known(call.place, loop)
    rules = announcing.for_the_agent(loop, ends=bool(kept.feedback) or loop.settings.markers.marker == "require")
    return context(call, memory.told(notices.still_running(loop, whole=True), *kept, rules), notice)


def _forgotten(call: Call, client: str) -> Loop | None:
    """The loop that goes on in this session, of which its model knows less now, or nothing."""
    source = call.event.source
    if source == "clear":
        return ownership.take_over(call.place, call.event.session, client, call.env)
    loop = ownership.known(call.place).running if source in ("compact", "resume") else None
    return loop if loop is not None and not loop.rest.paused and store.is_ours(loop, call.place) else None


def _orphans(call: Call) -> str:
    if os.listdir(os.path.join(call.place.base, "sessions")) == [call.place.session]:
        return ""
    from untilgreen.loops.rest import orphans

    return "\n".join(orphans.told(call.place.base, call.place.root, call.env, but=call.place.session))


def _session_end(call: Call) -> Reply:
    if not is_folder(call.place.folder):
        return Reply()
    end_warm(call.place.base)
    if is_folder(os.path.join(call.place.base, HINTS)):
        from untilgreen.checks.run import impact_map  # no test ever ran in many projects

        impact_map.end(call.place.base)
    if call.event.source == "clear":
        ownership.park(call.place, _client(call), call.env)
    elif (running := ownership.known(call.place).running) is not None and not running.rests:
        _park(call, _failure(call))
    ended = clock.iso(time.time())
    store.change_session(call.place, lambda before: before._replace(ended_at=ended, rested=before.turn))
    return Reply()


def _failure(call: Call) -> TurnFailure | None:
    """What ended the last turn: headless the host (2.1.330) ends the hook of a failure a moment after it began."""
    try:
        return call.host.last_failure(call.event.transcript) if call.event.transcript else None
    except (OSError, ValueError):  # ValueError: a null byte in its name
        return None


def _failed(call: Call) -> Reply:
    """The turn ended without a stop: of what is printed here the host shows nothing."""
    if call.event.failure is not None and _park(call, call.event.failure):
        store.change_session(call.place, lambda before: before._replace(rested=before.turn))
    return Reply()


def _interrupted(call: Call) -> Reply:
    """Its user broke the turn off. A host that kills the hook of a stop then leaves behind what that started."""
    from untilgreen.state import under_way

    under_way.end(call.place)
    return Reply()


def _park(call: Call, failure: TurnFailure | None) -> bool:
    """Park the loop, whose turn failed, or whose session ended; whether that was done."""
    place, env = call.place, call.env
    parked = parking.fail(place, env, failure) if failure else parking.park(place, env, parking.ENDED)
    if parked is not None:
        notify(call, parked)
    return parked is not None
