"""Slash commands as they were typed: session-loop answers them before the model sees anything."""

import os
import time

from untilgreen.core.errors import UserError
from untilgreen.core.foreign import one_line
from untilgreen.core.model.event import Message, Reply
from untilgreen.core.model.loop import Loop
from untilgreen.core.model.settings import Settings
from untilgreen.core.words import notices
from untilgreen.loops import back
from untilgreen.loops.begin import listing, ownership, starting
from untilgreen.loops.begin.options import Request
from untilgreen.loops.heard import announcing, words
from untilgreen.loops.rest import ending, going_on, parking, standing, switching
from untilgreen.loops.stop.payload import Call, context, refusal, speak
from untilgreen.state import catalogue, noted, store

_SUPERCODES = "/cancel-ralph"  # its own command, and answered in its words where no loop runs


def answer(call: Call) -> Reply:
    """Do what the line says; an error stops the command and shows the reason."""
    try:
        commands = call.host.commands()
        command = words.command_of(call.event.prompt.strip(), commands.NAMES if commands else {})
        if command is None:
            return Reply()
        name, rest = command
        if name == "cancel":
            return _told(call, _cancel(call), alone=not rest)
        if name == "status":
            if rest or not call.event.answers:
                ownership.noted(call.place, call.event)  # its turn answers the user, and changes nothing
            return _told(call, _status(call), alone=not rest)
        if name == "rollback":
            text = _rollback(call, rest)
            if not call.event.answers:
                ownership.noted(call.place, call.event)  # as above, and what changed was the user's doing
            return _told(call, text, alone=True)
        if name == "resume":
            return _resumed(call)
        request = words.parse(rest, lambda path: starting.exists_below(call.place.root, path))
        if request.cancel:
            return _told(call, _cancel(call), alone=not request.task)
        loop = _started(call, request)
    except UserError as error:
        return Reply() if _heard(call) else refusal(call, str(error))
    told, line = announcing.announced(loop)
    return context(call, told, "\n".join((line, *switching.against(call.place, call.env))))


def _started(call: Call, request: Request) -> Loop:
    session = store.read_session(call.place)
    running, number = ownership.known(call.place).running, session.prompts + 1
    if running and parking.is_corrected(call.place, call.event, running, session):
        request = request._replace(replace=True)
    place, loop = starting.start(request, call.place.root, call.event.session, call.env, number, call.host.name)
    ownership.note_prompt(place, call.event, loop.history.tree_at_start)
    return loop


def _told(call: Call, text: str, *, alone: bool) -> Reply:
    """The answer to a command; the model gets it where the prompt says more, or the host would not show it."""
    return speak(call, "answer", Message(text)) if alone and call.event.answers else context(call, text)


def _heard(call: Call) -> bool:
    """Whether another registration answers this very line, or has just done so; it may be about to note it."""
    for _ in range(20):
        if ownership.heard(call.place, call.event):
            return True
        if ownership.known(call.place).held is None:
            return False
        time.sleep(0.025)
    return False


def _cancel(call: Call) -> str:
    with starting.state_is_used("nothing was cancelled"):
        loop = ending.cancel(call.place, call.env, told=True)
        # one that waits would begin with this very prompt
        ended = [loop] if loop else ownership.cancel_waiting(call.place.base, call.place.root, call.env)
    if ended:
        return "\n".join(map(ending.told, ended))
    if call.event.prompt.strip().startswith(_SUPERCODES):
        return catalogue.words(Settings(words="supercode"))["no_loop"]
    return ending.nothing(ownership.known(call.place).loop, call.place.root, call.env, "in_session")


def _resumed(call: Call) -> Reply:
    number = store.read_session(call.place).prompts + 1
    before, loop = going_on.resume(call.place, call.env, number)
    ownership.note_prompt(call.place, call.event, noted.fingerprint(call.place.root, call.place.base))
    told = notices.still_running(loop, whole=True, how=catalogue.context(loop.context))
    return context(call, told, going_on.describe_resumed(before, loop))


def _rollback(call: Call, text: str) -> str:
    loop = ownership.known(call.place).loop
    if loop is None or loop.project != call.place.root:
        raise UserError("no loop of this session is known here", "run untilgreen rollback --session ID in a shell")
    return back.typed(call.place, loop, text)


def _status(call: Call) -> str:
    if not os.path.isdir(call.place.base):
        return catalogue.words()["no_loops"]
    kept, unreadable = listing.everything(call.place.base, call.place.root)
    ours = [one for one in kept if one.place.session == call.place.session]
    said = catalogue.words(kept[0].loop.settings if kept else None)
    told = standing.lines(ours or kept, said, time.time()) if kept else [said["no_loops"]]
    switched = switching.lines(switching.told(call.place.base, call.place.root, call.env))
    return "\n".join((*told, *switched, *(one_line(str(one)) for one in unreadable)))
